"""API keys and sources: only the SHA-256 of a secret is stored. Directory tables: the secret identifies the company."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy


class ApiKey(models.Model):
    """A company API key with its scopes, networks and life."""

    key_id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organization_id = models.UUIDField(editable=False)
    digest = models.BinaryField(max_length=32, unique=True)
    name = models.CharField(max_length=100, blank=True)
    ending = models.CharField(max_length=4, help_text="The last four characters, to recognise the key by.")
    scopes = ArrayField(models.CharField(max_length=24))
    networks = ArrayField(models.CharField(max_length=49), default=list, blank=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    revoked_reason = models.CharField(max_length=40, blank=True, default="")
    rotated_from = models.UUIDField(null=True)
    issued_by = models.CharField(
        max_length=60, blank=True, default="", help_text="The identifier of the member of staff, or the command."
    )

    class Meta:
        ordering = ["organization_id", "created_at"]
        indexes = [
            models.Index(fields=["organization_id"], name="key_by_company"),
            models.Index(fields=["issued_by"], name="key_by_issuer"),
        ]

    def __str__(self) -> str:
        return f"{self.name or 'key'} …{self.ending}"


class Source(models.Model):
    """A program that brings facts of one company in: an HR system, an identity provider, a learning system.

    The row stays the same source: a rotation replaces its token, and the former one is valid until `former_until`.
    """

    class Leaving(models.TextChoices):
        """What it means if an identity provider sets a person inactive."""

        LEFT = "left", gettext_lazy("The person has left")
        SUSPENDED = "suspended", gettext_lazy("The person is suspended")

    source_id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organization_id = models.UUIDField(editable=False)
    digest = models.BinaryField(max_length=32, unique=True)
    former_digest = models.BinaryField(max_length=32, unique=True, null=True)
    former_until = models.DateTimeField(null=True)
    name = models.CharField(max_length=100)
    ending = models.CharField(max_length=4, help_text="The last four characters, to recognise the token by.")
    kinds = ArrayField(models.CharField(max_length=40), help_text="Kinds of fact that it may bring, and `scim`.")
    networks = ArrayField(models.CharField(max_length=49), default=list, blank=True)
    leaving = models.CharField(max_length=10, choices=Leaving, default=Leaving.LEFT)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    revoked_reason = models.CharField(max_length=40, blank=True, default="")
    issued_by = models.CharField(
        max_length=60, blank=True, default="", help_text="The identifier of the member of staff, or the command."
    )

    class Meta:
        ordering = ["organization_id", "created_at"]
        indexes = [
            models.Index(fields=["organization_id"], name="source_by_company"),
            models.Index(fields=["issued_by"], name="source_by_issuer"),
        ]

    def __str__(self) -> str:
        return f"{self.name} …{self.ending}"
