"""The registers that are written to files by schedule, and the files."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy

from compliance.files.models import KeptFile, name_of
from compliance.tenancy.models import CompanyRow


class StandingExport(CompanyRow):
    """Registers that are written to files by schedule. It runs while the person who set it up may export."""

    class Every(models.TextChoices):
        """How often it runs."""

        DAY = "day", gettext_lazy("Every day")
        WEEK = "week", gettext_lazy("Every Monday")
        MONTH = "month", gettext_lazy("On the first of every month")

    export_id = models.UUIDField(default=uuid.uuid4, editable=False)
    registers = ArrayField(models.CharField(max_length=40))
    written_as = models.CharField(max_length=10)
    personal = models.BooleanField(help_text="Whether names and addresses are in the files.")
    every = models.CharField(max_length=10, choices=Every)
    hour = models.SmallIntegerField(help_text="In the company's time.")
    keep = models.SmallIntegerField(help_text="How many runs are kept, the newest.")
    days = models.SmallIntegerField(help_text="After how many days a file is removed in any case.")
    user_id = models.IntegerField()
    username = models.CharField(max_length=150)
    made_at = models.DateTimeField()
    next_run_at = models.DateTimeField()
    begun_at = models.DateTimeField(null=True)
    last_run_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=300, blank=True, default="", help_text="Why the last run wrote nothing.")
    stopped_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "export_id"], name="standing_export_once")]
        indexes = [models.Index(fields=["organization_id", "next_run_at"], name="standing_export_due")]

    def __str__(self) -> str:
        return f"{', '.join(self.registers)} as {self.written_as}"


class ExportFile(CompanyRow):
    """A file of one register at one moment. The row is written before the file.

    A file with names is removed when somebody of the company is erased; any file is removed when it expires.
    """

    file_id = models.UUIDField(default=uuid.uuid4, editable=False)
    export_id = models.UUIDField(null=True, help_text="Empty for a file that was asked for once.")
    register = models.CharField(max_length=40)
    written_as = models.CharField(max_length=10)
    personal = models.BooleanField()
    as_at = models.DateTimeField()
    capture_sequence = models.BigIntegerField()
    erasures = models.BigIntegerField(help_text="How many erasures the company had made before any row was read.")
    kept_file_id = models.UUIDField(null=True, help_text="The file of it; null of exports of before (`stored_as`).")
    stored_as = models.CharField(max_length=300, blank=True, default="")
    begun_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ready = models.BooleanField(default=False)
    rows = models.BigIntegerField(default=0)
    size = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True, default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "file_id"], name="export_file_once")]
        indexes = [models.Index(fields=["organization_id", "-as_at"], name="export_file_by_moment")]

    @property
    def kept_as(self) -> str:
        """The name of its object, for operators."""
        if self.kept_file_id is None:
            return self.stored_as
        return name_of(self.organization_id, KeptFile.Purpose.EXPORT, self.kept_file_id)

    @property
    def file_name(self) -> str:
        """The name under which it is downloaded."""
        return f"{self.register}-{self.as_at:%Y-%m-%dT%H%M%SZ}.{self.written_as}"
