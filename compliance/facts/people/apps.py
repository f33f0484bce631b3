"""The Django app of this room."""

from django.apps import AppConfig


class PeopleConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.facts.people"
    label = "people"
    verbose_name = "People"
    default_auto_field = "django.db.models.BigAutoField"
