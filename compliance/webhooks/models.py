"""Webhooks and the tries that were made. Nothing here is personal: a URL of a program, numbers, moments.

A webhook is a cursor over the captures of its company: `capture_sequence` is the last one that its receiver has
acknowledged, or that had nothing to send. The next event follows from the history, so no event is stored, and none can
be lost.
"""

import uuid

from django.db import models
from django.utils.translation import gettext, gettext_lazy

from compliance.tenancy.models import CompanyRow


class Webhook(models.Model):
    """A subscription of one company. A directory table, so that one statement finds what is due for all companies."""

    class Pause(models.TextChoices):
        """Why a webhook is paused."""

        STAFF = "staff", gettext_lazy("by staff")
        FAILING = "failing", gettext_lazy("given up after 72 hours without success")
        GONE = "gone", gettext_lazy("its receiver answered 410 and wants no more")

    webhook_id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organization_id = models.UUIDField(editable=False)
    name = models.CharField(max_length=100, blank=True, default="")
    url = models.CharField(max_length=2000)
    secret = models.TextField(help_text="Sealed.")
    former_secret = models.TextField(blank=True, default="", help_text="Sealed; signs beside the other for a day.")
    former_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    created_by = models.CharField(
        max_length=60, blank=True, default="", help_text="The identifier of the member of staff, or the command."
    )
    capture_sequence = models.BigIntegerField(help_text="Acknowledged up to this capture.")
    failures = models.PositiveIntegerField(default=0, help_text="How often in a row the next event failed.")
    failing_since = models.DateTimeField(null=True)
    next_try_at = models.DateTimeField(null=True, help_text="The next event waits until then; null: it does not.")
    acknowledged_at = models.DateTimeField(null=True, help_text="When the receiver last took an event.")
    paused_at = models.DateTimeField(null=True)
    paused_because = models.CharField(max_length=8, choices=Pause, blank=True, default="")
    test_id = models.UUIDField(null=True, help_text="Of a test event that was asked for and not sent yet.")
    test_asked_at = models.DateTimeField(null=True)
    claim = models.UUIDField(null=True, help_text="Of the worker that sends, or sent last.")
    claimed_until = models.DateTimeField(null=True, help_text="No other worker sends before then.")

    class Meta:
        ordering = ["organization_id", "created_at", "webhook_id"]
        indexes = [models.Index(fields=["organization_id"], name="webhook_by_company")]

    def __str__(self) -> str:
        return self.name or gettext("webhook without a name")


class Failure(models.TextChoices):
    """What went wrong in a try, in words for the receiver's operator."""

    ADDRESS = "address", gettext_lazy("the URL is not one that webhooks are sent to")
    NO_NAME = "no name", gettext_lazy("the name of the host has no address")
    NOT_PUBLIC = "not public", gettext_lazy("the name of the host leads to an address that is not public")
    UNREACHABLE = "unreachable", gettext_lazy("no connection could be made")
    TLS = "tls", gettext_lazy("no safe connection: the certificate, its name or its time is wrong, or it is no TLS")
    TIMEOUT = "timeout", gettext_lazy("no answer within 15 seconds")
    CLOSED = "closed", gettext_lazy("the connection was closed before there was an answer")
    GARBLED = "garbled", gettext_lazy("the answer is not HTTP")
    REDIRECT = "redirect", gettext_lazy("answered with a redirect, which is not followed")
    GONE = "gone", gettext_lazy("answered 410: it wants no more")
    STATUS = "status", gettext_lazy("answered with a status that is no success")
    FAULT = "fault", gettext_lazy("a fault of this service, which its log tells of")
    SECRET = "secret", gettext_lazy("the secret cannot be opened: SECRET_KEY was changed")


class Attempt(CompanyRow):
    """One try to send an event, or a test, and its result. Kept for two weeks."""

    webhook_id = models.UUIDField()
    capture_sequence = models.BigIntegerField(null=True, help_text="Null: a test.")
    number = models.PositiveIntegerField(help_text="1 for the first try of an event.")
    at = models.DateTimeField()
    milliseconds = models.PositiveIntegerField()
    status = models.PositiveSmallIntegerField(null=True)
    failure = models.CharField(max_length=12, choices=Failure, blank=True, default="")

    class Meta:
        indexes = [
            models.Index(fields=["organization_id", "webhook_id", "-id"], name="webhook_attempts"),
            models.Index(fields=["organization_id", "at"], name="webhook_attempts_by_time"),
        ]
