"""The Django app of this room."""

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.webhooks"
    label = "webhooks"
    verbose_name = "Webhooks"
