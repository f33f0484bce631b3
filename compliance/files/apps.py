"""The Django app of this room."""

from django.apps import AppConfig


class FilesConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.files"
    label = "files"
    verbose_name = "Kept files"
