"""Reports that were made, kept for a limited time: their sums, and a line for each record that differs.

They hold identifiers, moments and states, and no personal data: names are joined when a page is rendered, so an erasure
has nothing to clear here. A report is identified by its two moments and the capture up to which the history was known.
"""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy

from compliance.tenancy.models import CompanyRow


class Report(CompanyRow):
    """A report about two moments, both as known at one capture."""

    report_id = models.UUIDField(default=uuid.uuid4, editable=False)
    job_id = models.UUIDField(null=True, help_text="The work in the background that makes it; empty: made at once.")
    first = models.DateTimeField()
    second = models.DateTimeField()
    capture_sequence = models.BigIntegerField(help_text="Up to which the history was known when it was asked for.")
    sequence = models.BigIntegerField()
    known_capture_sequence = models.BigIntegerField(
        help_text="The newest capture at the first moment; 0: there was none."
    )
    known_sequence = models.BigIntegerField()
    begun_at = models.DateTimeField()
    ready = models.BooleanField(default=False)
    counts = models.JSONField(default=dict, help_text="By register: how many records there are of each kind of line.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "report_id"], name="report_once")]
        indexes = [models.Index(fields=["organization_id", "-begun_at"], name="report_by_moment")]


class ReportCell(CompanyRow):
    """The sums over the records of a register in a report: of one course or all (null), of one team or all (null).

    The team whose identifier is all zeros holds the people who are in none.
    """

    report_id = models.UUIDField()
    register = models.SmallIntegerField()
    course_id = models.UUIDField(null=True)
    team_id = models.UUIDField(null=True)
    required_before = models.BigIntegerField()
    done_before = models.BigIntegerField()
    required = models.BigIntegerField()
    done = models.BigIntegerField()
    overdue = models.BigIntegerField()
    done_between = models.BigIntegerField()
    late_between = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["organization_id", "report_id", "register"], name="report_cell_by_report")]


class ReportLine(CompanyRow):
    """A record that differs between the moments of a report, was done between them, or was recorded late.

    `before` and `after` are its states, empty where it is not listed. `late`: a fact recorded later changed
    the state at the first moment; `known_before` is the state as it was known then.
    """

    class Kind(models.TextChoices):
        """How the record changed between the two moments."""

        NEW = "new", gettext_lazy("New")
        ENDED = "ended", gettext_lazy("Ended")
        CHANGED = "changed", gettext_lazy("Changed")
        SAME = "same", gettext_lazy("The same")

    report_id = models.UUIDField()
    number = models.BigIntegerField()
    register = models.SmallIntegerField()
    record_id = models.UUIDField()
    learner_profile_id = models.UUIDField(null=True)
    course_id = models.UUIDField(null=True)
    team_ids = ArrayField(models.UUIDField(), default=list)
    kind = models.CharField(max_length=8, choices=Kind)
    before = models.CharField(max_length=30)
    after = models.CharField(max_length=30)
    late = models.BooleanField()
    known_before = models.CharField(max_length=30)
    done_between = models.BooleanField(help_text="Whether it was completed or signed between the two moments.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "report_id", "number"], name="report_line_once")
        ]


class StandingReport(CompanyRow):
    """A scheduled report. Its letter goes to the person who set it up, while that person may see the company."""

    class Every(models.TextChoices):
        """How often it is made; each report is about the period before."""

        WEEK = "week", gettext_lazy("Every Monday, about the week before")
        MONTH = "month", gettext_lazy("On the first of every month, about the month before")
        QUARTER = "quarter", gettext_lazy("On the first of every quarter, about the quarter before")

    standing_id = models.UUIDField(default=uuid.uuid4, editable=False)
    every = models.CharField(max_length=10, choices=Every)
    hour = models.SmallIntegerField(help_text="In the company's time.")
    user_id = models.IntegerField()
    username = models.CharField(max_length=150)
    made_at = models.DateTimeField()
    next_run_at = models.DateTimeField(help_text="The hour at which it is due; what it is about follows from it.")
    try_at = models.DateTimeField(help_text="When it is tried: later than it is due where the mail server refused.")
    attempts = models.SmallIntegerField(default=0)
    begun_at = models.DateTimeField(null=True)
    report_id = models.UUIDField(null=True, help_text="The report whose letter has not been sent yet.")
    last_report_id = models.UUIDField(null=True)
    last_run_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=300, blank=True, default="", help_text="Why the last letter was not sent.")
    stopped_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "standing_id"], name="standing_report_once")]
        indexes = [models.Index(fields=["organization_id", "try_at"], name="standing_report_due")]

    def __str__(self) -> str:
        return str(self.get_every_display())
