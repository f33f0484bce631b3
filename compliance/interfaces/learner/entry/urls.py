"""The addresses of this room."""

from django.urls import path

from compliance.interfaces.learner.entry import asking, coming_in, devices, language

urlpatterns = [
    path("in/<str:token>", coming_in.come_in, name="come_in"),
    path("asked", asking.asked, name="asked"),
    path("out", devices.sign_out, name="out"),
    path("devices", devices.devices, name="devices"),
    path("language", language.choose, name="language"),
]
