"""Facts about certificates as source rows. Certificates themselves are decided by the rules and not stored here."""

from django.db import models

from compliance.tenancy.models import CompanyRow


class CertificateRevocation(CompanyRow):
    """A certificate was revoked by an administrator at `at`."""

    fact_id = models.UUIDField()
    certificate_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    course_id = models.UUIDField()
    at = models.DateTimeField()
    actor_id = models.UUIDField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "certificate_id"], name="certificate_revoked_once")
        ]
        indexes = [
            models.Index(fields=["organization_id", "learner_profile_id", "course_id"], name="revocation_by_person")
        ]


class CertificateCorrection(CompanyRow):
    """A new certificate corrected an earlier one at `at`; `person_name` is the corrected name, if it changed."""

    certificate_id = models.UUIDField()
    supersedes_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    course_id = models.UUIDField()
    at = models.DateTimeField()
    actor_id = models.UUIDField()
    person_name = models.TextField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "certificate_id"], name="correction_once"),
            models.UniqueConstraint(fields=["organization_id", "supersedes_id"], name="corrected_once"),
        ]
        indexes = [
            models.Index(fields=["organization_id", "learner_profile_id", "course_id"], name="correction_by_person")
        ]


class IssuedName(CompanyRow):
    """The name on a certificate, kept when the history first recorded it; later names of the holder do not change it.

    `person_name` is null if the holder had none. `identity_sha256` is the commitment to it (`svc.identity/1`) in the
    certificate's rows; null while they have none, because they were written before commitments existed. Erasure clears
    name and salt.
    """

    certificate_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    person_name = models.TextField(null=True)
    identity_sha256 = models.BinaryField(max_length=32, null=True)
    salt = models.BinaryField(max_length=16, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "certificate_id"], name="certificate_named_once")
        ]
        indexes = [
            models.Index(fields=["organization_id", "learner_profile_id"], name="issued_name_by_person"),
            models.Index(fields=["organization_id", "identity_sha256"], name="issued_name_of_company"),
        ]


class CheckCode(models.Model):
    """The code that opens a certificate's public check page. A visitor belongs to no company and uses one function.

    `check_code` is personal and cleared by erasure.
    """

    id = models.BigAutoField(primary_key=True)
    organization_id = models.UUIDField(editable=False)
    certificate_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    check_code = models.CharField(max_length=40, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "certificate_id"], name="check_code_once"),
            # The code comes first: this is also the index by which a code is found. That no two companies draw the same
            # one rests on its 100 random bits, since no key spans the servers of several companies.
            models.UniqueConstraint(fields=["check_code", "organization_id"], name="check_code_opens_one"),
        ]
        indexes = [models.Index(fields=["organization_id", "learner_profile_id"], name="check_code_by_person")]
