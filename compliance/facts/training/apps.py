"""The Django app of this room."""

from django.apps import AppConfig


class TrainingConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.facts.training"
    label = "training"
    verbose_name = "Training"
    default_auto_field = "django.db.models.BigAutoField"
