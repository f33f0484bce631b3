"""The Django app of this room."""

from django.apps import AppConfig


class LettersConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.letters"
    label = "letters"
    verbose_name = "Letters"
