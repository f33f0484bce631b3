"""The Django app of this room."""

from django.apps import AppConfig


class SharesConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.facts.shares"
    label = "shares"
    verbose_name = "Shares"
    default_auto_field = "django.db.models.BigAutoField"
