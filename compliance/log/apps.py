"""The Django app of this room."""

from django.apps import AppConfig


class LogConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.log"
    label = "log"
    verbose_name = "Log"
