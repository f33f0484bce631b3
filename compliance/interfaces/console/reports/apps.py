"""The Django app of this room."""

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.interfaces.console.reports"
    label = "reports"
    verbose_name = "Reports"
