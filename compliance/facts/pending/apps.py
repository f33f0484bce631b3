"""The Django app of this room."""

from django.apps import AppConfig


class PendingConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.facts.pending"
    label = "pending"
    verbose_name = "Intake"
    default_auto_field = "django.db.models.BigAutoField"
