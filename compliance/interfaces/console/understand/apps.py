"""The Django app of this room."""

from django.apps import AppConfig


class UnderstandConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.interfaces.console.understand"
    label = "understand"
    verbose_name = "Understanding"
