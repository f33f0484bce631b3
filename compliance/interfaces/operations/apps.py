"""The Django app of this room."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.interfaces.operations"
    label = "operations"
    verbose_name = "Operations"
