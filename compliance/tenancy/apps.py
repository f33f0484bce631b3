"""The Django app of this room."""

from django.apps import AppConfig


class TenancyConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.tenancy"
    label = "tenancy"
    verbose_name = "Companies"
