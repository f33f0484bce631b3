"""Letters that wait to be sent, and how far the history was searched for news.

A letter is a row before it is sent. The row has no address, no name and no link, which are read or made when it is
sent, so its only reference to a person is its recipient's identifier.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy

from compliance.tenancy.models import CompanyRow


class Letter(CompanyRow):
    """One letter to a person or an invited person."""

    class Kind(models.TextChoices):
        """What a letter is about."""

        LINK = "link", gettext_lazy("a link that was asked for")
        STAFF_LINK = "staff link", gettext_lazy("a link that staff sent")
        INVITATION = "invitation", gettext_lazy("an invitation to join")
        NEW = "new", gettext_lazy("what is new to do")
        REMINDER = "reminder", gettext_lazy("a reminder")  # has rows of its own: it is sent at most once (operations)
        POLICY = "policy", gettext_lazy("a policy to sign")
        SIGNED = "signed", gettext_lazy("a signed copy")
        CERTIFICATE = "certificate", gettext_lazy("a certificate")

    letter_id = models.UUIDField()
    kind = models.CharField(max_length=12, choices=Kind)
    learner_profile_id = models.UUIDField(null=True)
    invitation_id = models.UUIDField(null=True)
    subject_ids = ArrayField(
        models.UUIDField(), default=list, help_text="Courses, policies, a receipt or a certificate, by kind."
    )
    to_work_address = models.BooleanField(default=False, help_text="Else to the account's address, if there is one.")
    made_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True, help_text="When it is tried next; null once it is settled.")
    attempts = models.PositiveSmallIntegerField(default=0)
    settled_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    failure = models.CharField(max_length=100, blank=True, default="", help_text="Why it was not sent, or not at once.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "letter_id"], name="learner_letter_once"),
            models.CheckConstraint(
                condition=models.Q(learner_profile_id__isnull=True) ^ models.Q(invitation_id__isnull=True),
                name="learner_letter_to_one",
            ),
        ]
        indexes = [
            models.Index(
                fields=["organization_id", "due_at"],
                name="learner_letter_due",
                condition=models.Q(due_at__isnull=False),
            ),
            models.Index(fields=["organization_id", "settled_at"], name="learner_letter_settled"),
            models.Index(
                fields=["settled_at"],
                name="learner_letter_failed",
                condition=models.Q(sent_at__isnull=True, settled_at__isnull=False),
            ),
            models.Index(fields=["organization_id", "learner_profile_id"], name="learner_letter_by_person"),
        ]


class LettersRead(CompanyRow):
    """The sequence up to which a company's history was searched for news."""

    sequence = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id"], name="letters_read_once")]
