"""The Django app of this room."""

from django.apps import AppConfig


class PoliciesConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.facts.policies"
    label = "policies"
    verbose_name = "Policies"
    default_auto_field = "django.db.models.BigAutoField"
