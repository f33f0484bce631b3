"""The ledger of recorded facts, and the subjects that must be decided again."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models

from compliance.tenancy.models import CompanyRow


class SubjectKind(models.TextChoices):
    """What a pending row is about; `first` and `second` identify it."""

    PERSON_COURSE = "person_course", "learner and course"  # learner_profile_id, course_id
    PERSON_POLICY = "person_policy", "learner and policy"  # learner_profile_id, course_id of the policy
    PERSON = "person", "person"  # learner_profile_id: the employee rows
    INVITATION = "invitation", "invitation"  # invitation_id: the invitation's row
    COURSE = "course", "course versions"  # course_id: the rows of its releases
    POLICY_VERSION = "policy_version", "policy version"  # course_release_id
    RECEIPT = "receipt", "receipt"  # receipt_id
    # The wide kinds (WIDE):
    EVERYTHING_OF_PERSON = "everything_of_person", "all a person may owe"  # learner_profile_id
    EVERYONE_OF_COURSE = "everyone_of_course", "all who may owe a course"  # course_id (training or policy)
    SHARE = "share", "all whom a share may reach"  # share_id
    TEAM = "team", "all in a team"  # team_id
    COMPANY = "company", "the whole company"


OF_MANY_PEOPLE = (SubjectKind.EVERYONE_OF_COURSE, SubjectKind.SHARE, SubjectKind.TEAM, SubjectKind.COMPANY)
WIDE = (SubjectKind.EVERYTHING_OF_PERSON, *OF_MANY_PEOPLE)
"""Kinds that the writer replaces by narrow ones (see `facts.fan_out`)."""

Subject = tuple[str, uuid.UUID, uuid.UUID | None]
"""A narrow subject: the value of its `SubjectKind`, `first` and `second`."""


class Fact(CompanyRow):
    """One recorded fact, by its id. The digest covers its non-personal fields, so that a repetition is recognised."""

    append_only = True

    fact_id = models.UUIDField()
    kind = models.CharField(max_length=40)
    at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    digest = models.BinaryField(max_length=32)
    actor_id = models.UUIDField(null=True)
    about = models.UUIDField(null=True, help_text="The person, course, share, ... that the fact speaks of first.")
    origin = models.BigIntegerField(default=0, help_text="The row of Origin; 0: recorded before origins were kept.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "fact_id"], name="fact_once")]
        indexes = [
            models.Index(fields=["organization_id", "origin", "id"], name="fact_by_origin"),
            models.Index(
                fields=["organization_id", "about"], name="fact_by_subject", condition=models.Q(about__isnull=False)
            ),
        ]


class Origin(CompanyRow):
    """The way by which the facts of one transaction came in, and who recorded them; see `recording.telling`."""

    append_only = True

    recorded_at = models.DateTimeField()
    channel = models.CharField(max_length=20)
    name = models.CharField(max_length=100, blank=True, help_text="Of the command or the source.")
    actor_id = models.UUIDField(null=True)
    confirmed_by = models.UUIDField(null=True, help_text="The second person, where one was needed.")


class Unsealed(CompanyRow):
    """An origin whose facts with a row id above `after` are not in the ledger's chain yet."""

    origin = models.BigIntegerField()
    after = models.BigIntegerField(default=0)


class Seal(CompanyRow):
    """A part of the ledger's chain: which facts, in which order, and the digest of each line; see `sealing`."""

    append_only = True

    first_line = models.BigIntegerField()
    facts = ArrayField(models.BigIntegerField(), help_text="Row ids of the facts, a line each.")
    digests = models.BinaryField(help_text="The lines' SHA-256, 32 bytes each.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "first_line"], name="seal_once")]


class LedgerHead(CompanyRow):
    """How many lines a company's ledger has, and the digest of the last."""

    lines = models.BigIntegerField(default=0)
    head = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id"], name="ledger_head_once")]


class PendingSubject(CompanyRow):
    """A subject that the history has not decided yet. Claimed and removed by the writer in its own transaction.

    A row with `waits_until` is of a fact recorded ahead of time: nobody claims it before that moment, and it does not
    count as late.
    """

    kind = models.CharField(max_length=24, choices=SubjectKind)
    first = models.UUIDField(null=True)
    second = models.UUIDField(null=True)
    recorded_at = models.DateTimeField()
    waits_until = models.DateTimeField(null=True, help_text="When the fact behind it takes effect, if that was ahead.")
    attempts = models.PositiveSmallIntegerField(default=0)
    retry_after = models.DateTimeField(null=True)
    set_aside_at = models.DateTimeField(null=True)
    set_aside_reason = models.CharField(max_length=400, blank=True, default="")

    class Meta:
        # Each capture looks for the few rows of these two kinds, and millions of others may wait beside them.
        indexes = [
            models.Index(fields=["organization_id", "id"], name="pending_wide", condition=models.Q(kind__in=WIDE)),
            models.Index(fields=["organization_id", "id"], name="pending_failing", condition=models.Q(attempts__gt=0)),
        ]
