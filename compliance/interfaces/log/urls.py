"""The addresses of the log, below its prefix `/log/`."""

from django.urls import path

from compliance.interfaces.log import views

urlpatterns = [
    path("checkpoint", views.checkpoint, name="log-checkpoint"),
    path("tile/<path:rest>", views.tile, name="log-tile"),
]
