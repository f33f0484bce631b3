"""Personal links to sign. A link's row identifies it, and holds when it ends and how it was used."""

from django.db import models

from compliance.tenancy.models import CompanyRow


class Link(CompanyRow):
    """One personal link. Only a digest of its token is stored, so a reader of this table cannot use it."""

    token_sha256 = models.CharField(max_length=64)
    share_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    signed_at = models.DateTimeField(null=True)
    receipt_until = models.DateTimeField(null=True, help_text="Until when the receipt is shown, once it was.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "token_sha256"], name="link_once")]
        indexes = [
            models.Index(fields=["organization_id", "learner_profile_id"], name="link_by_person"),
        ]
