"""The Django app of this room."""

from django.apps import AppConfig


class ExportsConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.interfaces.console.exports"
    label = "exports"
    verbose_name = "Standing exports"
