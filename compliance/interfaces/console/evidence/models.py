"""Packs that staff requested, kept for a few days to be downloaded."""

import uuid

from django.db import models

from compliance.tenancy.models import CompanyRow


class Pack(CompanyRow):
    """A pack that a job builds: its subject and, once built, its size, digests and contents.

    It holds names, so it is kept only for days, and removed at once when somebody is erased.
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
    kept_file_id = models.UUIDField(null=True, help_text="The file of it; null of packs of before, which are in parts.")
    size = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True, default="")
    list_sha256 = models.CharField(max_length=64, blank=True, default="")
    completeness = models.JSONField(default=dict)
    registers = models.JSONField(default=dict)
    sample = models.JSONField(default=dict, help_text="The log's root, and the records that it drew, by register.")
    holds = models.BooleanField(null=True, help_text="What the verifier found; null while it has not.")
    verdict = models.TextField(blank=True, default="", help_text="What the verifier printed.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "job_id"], name="pack_once")]
        indexes = [models.Index(fields=["organization_id", "-begun_at"], name="pack_by_moment")]


class PackPart(CompanyRow):
    """A mebibyte of an old pack, from before packs were files. No rows are written any more, and old ones expire."""

    job_id = models.UUIDField()
    number = models.IntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "job_id", "number"], name="pack_part_once")]


class ManifestRequest(models.Model):
    """A list of files that waits for the signer's signature, or has it. A directory table, for the signer to read.

    It holds digests and names of files, and nothing personal.
    """

    request_id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organization_id = models.UUIDField()
    capture_sequence = models.BigIntegerField()
    text = models.TextField(help_text="What is to be signed: `svc.evidence/2`.")
    asked_at = models.DateTimeField()
    note = models.TextField(blank=True, default="", help_text="The signed note; empty while it is waited for.")
    refused = models.CharField(max_length=200, blank=True, default="", help_text="Why the signer does not sign it.")
