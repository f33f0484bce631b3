"""Policies as source rows: sealed versions, receipts in one chain per company, raw signatures."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from compliance.tenancy.models import CompanyRow


class PolicyVersion(CompanyRow):
    """A published version of a policy, sealed with its digests. Append-only."""

    append_only = True

    course_id = models.UUIDField()
    course_release_id = models.UUIDField()
    version = models.PositiveIntegerField()
    published_at = models.DateTimeField()
    act = models.CharField(max_length=12)
    doors = ArrayField(models.CharField(max_length=10))
    statement = models.TextField()
    effective_on = models.DateField(null=True)
    renew_months = models.PositiveSmallIntegerField()
    change_kind = models.CharField(max_length=10)
    html = models.TextField()
    policy_title = models.TextField()
    statement_sha256 = models.CharField(max_length=64)
    document_sha256 = models.CharField(max_length=64)
    version_digest = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "course_release_id"], name="policy_release_once"),
            models.UniqueConstraint(fields=["organization_id", "course_id", "version"], name="policy_version_once"),
        ]


class ReceiptChain(CompanyRow):
    """The tail of a company's receipt chain; writers of receipts lock it."""

    receipts = models.BigIntegerField(default=0)
    receipt_sha256 = models.CharField(max_length=64, default="0" * 64)
    signed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id"], name="one_receipt_chain")]


class Receipt(CompanyRow):
    """A signed or acknowledged receipt; `number` counts from 1 along the chain. Append-only."""

    append_only = True

    number = models.BigIntegerField()
    receipt_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    course_id = models.UUIDField()
    course_release_id = models.UUIDField()
    version = models.PositiveIntegerField()
    share_id = models.UUIDField()
    cycle_id = models.UUIDField()
    door = models.CharField(max_length=10)
    act = models.CharField(max_length=12)
    signed_at = models.DateTimeField()
    sign_in_methods = models.TextField(null=True)
    statement_sha256 = models.CharField(max_length=64)
    document_sha256 = models.CharField(max_length=64)
    signature_sha256 = models.CharField(max_length=64, null=True)
    previous_sha256 = models.CharField(max_length=64)
    receipt_sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "receipt_id"], name="receipt_once"),
            models.UniqueConstraint(fields=["organization_id", "number"], name="receipt_number_once"),
            models.UniqueConstraint(fields=["organization_id", "previous_sha256"], name="receipt_chain_unforked"),
        ]
        indexes = [
            models.Index(fields=["organization_id", "learner_profile_id", "course_id"], name="receipt_by_person")
        ]


class RawSignature(CompanyRow):
    """What the person typed or drew, and the company they signed for; apart from the receipt, so it can be erased."""

    receipt_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    signature = models.JSONField(null=True)
    signer_company = models.TextField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "receipt_id"], name="signature_once")]
        indexes = [models.Index(fields=["organization_id", "learner_profile_id"], name="signature_by_person")]
