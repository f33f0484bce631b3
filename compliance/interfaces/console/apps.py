"""The Django app of this room."""

from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.interfaces.console"
    label = "console"
    verbose_name = "Console"
