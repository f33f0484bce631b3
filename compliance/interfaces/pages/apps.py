"""The Django app of this room."""

from django.apps import AppConfig


class PagesConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.interfaces.pages"
    label = "pages"
    verbose_name = "Public pages"
    default_auto_field = "django.db.models.BigAutoField"
