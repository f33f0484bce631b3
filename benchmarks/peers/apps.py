"""The Django app of the peers."""

from django.apps import AppConfig


class PeersConfig(AppConfig):
    """Registers the peers with Django, in the benchmark only."""

    name = "benchmarks.peers"
    label = "peers"
    default_auto_field = "django.db.models.BigAutoField"
