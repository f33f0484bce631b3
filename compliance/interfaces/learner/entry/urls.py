"""The addresses of this room."""

from django.urls import path

from compliance.interfaces.learner.entry import devices, language

urlpatterns = [
    path("out", devices.sign_out, name="out"),
    path("devices", devices.devices, name="devices"),
    path("language", language.choose, name="language"),
]
