"""The Django app of this room."""

from django.apps import AppConfig


class EvidenceConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.interfaces.console.evidence"
    label = "evidence"
    verbose_name = "Evidence packs"
