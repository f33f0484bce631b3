"""The Django app of this room."""

from django.apps import AppConfig


class LearningConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.learning"
    label = "learning"
    verbose_name = "Learning"
