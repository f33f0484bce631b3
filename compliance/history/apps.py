"""The Django app of this room."""

from django.apps import AppConfig


class HistoryConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.history"
    label = "history"
    verbose_name = "History"
