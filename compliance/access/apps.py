"""The Django app of this room."""

from django.apps import AppConfig


class AccessConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.access"
    label = "access"
    verbose_name = "API keys and sources"
