"""Records of operation: verification runs, and reminders that are sent."""

from django.db import models
from django.utils.translation import gettext_lazy

from compliance.tenancy.models import CompanyRow


class CompanyStanding(models.Model):
    """A company's last verification. A directory table, because alerts and metrics read all companies at once."""

    organization_id = models.UUIDField(primary_key=True)
    verified_at = models.DateTimeField(null=True, help_text="When a whole verification last finished.")
    verified_well = models.BooleanField(default=True)


class VerificationRun(CompanyRow):
    """One verification of one company, and the first fault that it found."""

    append_only = True

    class Kind(models.TextChoices):
        """What was verified."""

        HISTORY = "history", gettext_lazy("history chain")
        RECEIPTS = "receipts", gettext_lazy("receipt chain")
        CHECKPOINTS = "checkpoints", gettext_lazy("signed log")

    kind = models.CharField(max_length=12, choices=Kind)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField()
    well = models.BooleanField()
    checked = models.BigIntegerField(default=0, help_text="How many rows, receipts or captures were recomputed.")
    fault = models.CharField(max_length=400, blank=True, default="")

    class Meta:
        indexes = [models.Index(fields=["organization_id", "-finished_at"], name="verification_newest")]


class ReminderDelivery(CompanyRow):
    """One reminder of one record at one step before or after its deadline. The row exists before anything is sent.

    `sending` is written first; if the process dies before it has written `sent`, nobody can know whether the letter
    went out, so it becomes `unknown` and is never sent again. `failed` was refused by the mail server and is tried
    again.
    """

    class State(models.TextChoices):
        """How far the letter has come."""

        SENDING = "sending", "being sent"
        SENT = "sent", "sent"
        FAILED = "failed", "refused by the mail server"
        UNKNOWN = "unknown", "unknown: the process died while sending"

    record_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    course_id = models.UUIDField()
    due_at = models.DateTimeField()
    step_days = models.SmallIntegerField(help_text="Days from the deadline: negative before it, positive after it.")
    letter_id = models.UUIDField(help_text="One letter to a person may speak of several records.")
    state = models.CharField(max_length=8, choices=State)
    claimed_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=1)
    failure = models.CharField(max_length=100, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization_id", "record_id", "due_at", "step_days"], name="reminder_once"
            )
        ]
        indexes = [
            models.Index(fields=["organization_id", "state", "claimed_at"], name="reminder_by_state"),
            models.Index(
                fields=["state"], name="reminder_unsettled", condition=models.Q(state__in=("failed", "unknown"))
            ),
        ]
