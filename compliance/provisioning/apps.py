"""The Django app of this room."""

from django.apps import AppConfig


class ProvisioningConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.provisioning"
    label = "provisioning"
    verbose_name = "Provisioning"
