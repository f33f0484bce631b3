"""What is kept about learners beside the facts: links, sessions, language, and their takes of courses.

All of it is erasable, and the rules of owed learning read none of it. Only the SHA-256 of a token is stored, so reading
these tables gives no access.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from compliance.tenancy.models import CompanyRow


class PersonalLink(CompanyRow):
    """A link that begins a session of one person, or lets an invited person join.

    `uses_left` null: any number of uses until it expires. `leads_to` is the target's address after `/learn/`, made by
    us. `address_sha256`: of the token and the e-mail address to which it was sent; empty if we sent it to none.
    """

    token_sha256 = models.CharField(max_length=64)
    learner_profile_id = models.UUIDField(null=True)
    invitation_id = models.UUIDField(null=True)
    leads_to = models.TextField(default="", blank=True)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    uses_left = models.PositiveSmallIntegerField(null=True)
    address_sha256 = models.CharField(max_length=64, default="", db_default="", blank=True)
    used_at = models.DateTimeField(null=True, help_text="When it was used last.")
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "token_sha256"], name="personal_link_once"),
            models.CheckConstraint(
                condition=models.Q(learner_profile_id__isnull=True) ^ models.Q(invitation_id__isnull=True),
                name="personal_link_of_one",
            ),
        ]
        indexes = [
            models.Index(fields=["organization_id", "learner_profile_id"], name="personal_link_by_person"),
            models.Index(fields=["organization_id", "invitation_id"], name="personal_link_by_invitation"),
        ]


class LinkRequest(models.Model):
    """A request for a link by an address. A directory table, because the request names no company.

    The address is encrypted with a key that is not in the database; the worker deletes the row with its answer.
    """

    request_id = models.UUIDField(primary_key=True)
    asked_at = models.DateTimeField()
    sealed_address = models.TextField()


class LearnerSession(CompanyRow):
    """A learner's session on one device."""

    token_sha256 = models.CharField(max_length=64)
    learner_profile_id = models.UUIDField()
    begun_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    device = models.TextField(null=True, help_text='What its owner knows the device by: "Firefox on Android".')

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "token_sha256"], name="learner_session_once")]
        indexes = [models.Index(fields=["organization_id", "learner_profile_id"], name="learner_session_by_person")]


class LearnerPreference(CompanyRow):
    """The language that a learner chose, as a BCP 47 tag."""

    learner_profile_id = models.UUIDField()
    language = models.CharField(max_length=35, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "learner_profile_id"], name="learner_preference_once")
        ]


class Take(CompanyRow):
    """A person's way through what one training record asks for, from the first page to the receipt.

    `course_release_id` is the release taken; for a lesson that was shared alone, `lesson_release_id` is also set and
    the release is one that contains it. If the release was superseded midway, `carried_at` is when another take began
    with what still counts of this one.
    """

    take_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    record_id = models.UUIDField()
    course_id = models.UUIDField()
    course_release_id = models.UUIDField()
    lesson_release_id = models.UUIDField(null=True)
    begun_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    page_id = models.CharField(max_length=48, blank=True, default="", help_text="The page that was open last.")
    finished_at = models.DateTimeField(null=True)
    assessed = models.BooleanField(default=False)
    completion_receipt_id = models.UUIDField(null=True)
    carried_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "take_id"], name="take_once"),
            models.UniqueConstraint(
                fields=["organization_id", "learner_profile_id", "record_id"],
                condition=models.Q(finished_at__isnull=True, carried_at__isnull=True),
                name="take_open_once",
            ),
        ]
        indexes = [
            models.Index(fields=["organization_id", "learner_profile_id", "course_id"], name="take_by_person"),
            models.Index(fields=["organization_id", "course_id"], name="take_by_course"),
        ]


class PageRead(CompanyRow):
    """A page that was opened, or (`film`: the number of its block) a film on it that was seen to its end.

    Pages of a lesson count while its content is the same (`lesson_sha256`).
    """

    take_id = models.UUIDField()
    lesson_sha256 = models.CharField(max_length=64)
    page_id = models.CharField(max_length=48)
    film = models.PositiveIntegerField(default=0, help_text="0: the page itself.")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization_id", "take_id", "lesson_sha256", "page_id", "film"], name="page_read_once"
            )
        ]


class Answer(CompanyRow):
    """One counted answer to a question; `number` counts a question's answers from 1."""

    take_id = models.UUIDField()
    lesson_sha256 = models.CharField(max_length=64)
    question_id = models.CharField(max_length=64)
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    right = models.BooleanField()
    choices = ArrayField(models.CharField(max_length=64), null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization_id", "take_id", "lesson_sha256", "question_id", "number"], name="answer_once"
            )
        ]


class MoreAttempts(CompanyRow):
    """Further attempts at a question that a manager granted in a take."""

    take_id = models.UUIDField()
    question_id = models.CharField(max_length=64)
    attempts = models.PositiveSmallIntegerField()
    at = models.DateTimeField()
    actor_id = models.UUIDField()

    class Meta:
        indexes = [models.Index(fields=["organization_id", "take_id"], name="more_attempts_by_take")]
