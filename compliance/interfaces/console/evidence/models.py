"""Packs that staff had built, kept for a short while so that they can be taken away."""

from django.db import models

from compliance.tenancy.models import CompanyRow


class Pack(CompanyRow):
    """A pack that a job builds: its subject, and once built, what it is.

    It holds names, so it is kept for days, not for ever, and not a moment longer once somebody is erased.
    """

    job_id = models.UUIDField()
    first_day = models.DateField()
    last_day = models.DateField()
    capture_sequence = models.BigIntegerField()
    file_name = models.CharField(max_length=120)
    begun_at = models.DateTimeField()
    erasures = models.BigIntegerField(
        default=0,
        help_text="How many erasures the company had made before any name was read: after another one it goes.",
    )
    built = models.BooleanField(default=False)
    size = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True, default="")
    list_sha256 = models.CharField(max_length=64, blank=True, default="")
    completeness = models.JSONField(default=dict)
    registers = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "job_id"], name="pack_once")]
        indexes = [models.Index(fields=["organization_id", "-begun_at"], name="pack_by_moment")]


class PackPart(CompanyRow):
    """A mebibyte of a pack: web and worker need no folder in common, and neither holds a whole pack in memory."""

    job_id = models.UUIDField()
    number = models.IntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "job_id", "number"], name="pack_part_once")]
