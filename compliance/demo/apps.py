"""The Django app of this room: it brings the command that tells the story."""

from django.apps import AppConfig


class DemoConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.demo"
    label = "demo"
    verbose_name = "Demo"
