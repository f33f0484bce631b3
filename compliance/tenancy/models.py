"""Organizations, the deployment, and the base of every row that belongs to a company."""

import uuid
from typing import Any, ClassVar

from django.db import models


class Deployment(models.Model):
    """This installation; one row. `deployment_id` is generated once and kept in the database."""

    deployment_id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    only = models.BooleanField(default=True, unique=True, editable=False)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(only=True), name="one_deployment")]


class Organization(models.Model):
    """A company: the tenant. A directory table, read without a company context."""

    organization_id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    learning_space_id = models.UUIDField(default=uuid.uuid4, editable=False, unique=True)
    name = models.CharField(max_length=200)
    time_zone = models.CharField(max_length=64, help_text="IANA time zone; the company's days follow it.")
    history_complete_from = models.DateTimeField(help_text="Reads before this moment are refused (before_history).")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["name", "organization_id"]

    def __str__(self) -> str:
        return self.name


class CompanyRow(models.Model):
    """Base of every table under row-level security: it names its organization in a plain column.

    There is no foreign key to the organization: the policy of row-level security already ties each row to the
    company of the transaction, and a key check per inserted row would cost a tenth of an import.

    A model whose rows are never changed or removed sets `append_only = True`; `expected` derives their protections.
    """

    append_only: ClassVar[bool] = False

    id = models.BigAutoField(primary_key=True)
    organization_id = models.UUIDField(editable=False)

    class Meta:
        abstract = True

    def _do_update(self, base_qs: Any, using: str | None, pk_val: Any, values: Any, *more: Any, **named: Any) -> Any:
        """Updates the row with its company as a condition, by which a cluster asks one node, and never as a value."""
        own = base_qs.filter(organization_id=self.organization_id)
        written = [each for each in values if each[0].attname != "organization_id"]
        return super()._do_update(own, using, pk_val, written, *more, **named)
