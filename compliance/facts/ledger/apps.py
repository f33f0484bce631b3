"""The Django app of this room."""

from django.apps import AppConfig


class LedgerConfig(AppConfig):
    """Registers the room with Django, under the label that existing databases have for its tables and migrations."""

    name = "compliance.facts.ledger"
    label = "pending"
    verbose_name = "Ledger of facts"
