"""The Django app of this room."""

from django.apps import AppConfig


class CommandsConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.interfaces.commands"
    label = "commands"
    verbose_name = "Commands"
