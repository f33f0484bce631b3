"""The Django app of this room."""

from django.apps import AppConfig


class CertificatesConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.facts.certificates"
    label = "certificates"
    verbose_name = "Certificates"
    default_auto_field = "django.db.models.BigAutoField"
