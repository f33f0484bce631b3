"""The Django app of this room."""

from django.apps import AppConfig


class CoursesConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.facts.courses"
    label = "courses"
    verbose_name = "Courses"
    default_auto_field = "django.db.models.BigAutoField"
