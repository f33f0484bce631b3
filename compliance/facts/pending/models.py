"""The ledger of facts taken in, and the subjects that may now be decided differently (design 3)."""

from django.db import models

from compliance.tenancy.models import CompanyRow


class SubjectKind(models.TextChoices):
    """What a pending row speaks of; `first` and `second` name it."""

    PERSON_COURSE = "person_course", "learner and course"  # learner_profile_id, course_id
    PERSON_POLICY = "person_policy", "learner and policy"  # learner_profile_id, course_id of the policy
    PERSON = "person", "person"  # learner_profile_id: the employee rows
    INVITATION = "invitation", "invitation"  # invitation_id: the invitation's row
    COURSE = "course", "course versions"  # course_id: the rows of its releases
    POLICY_VERSION = "policy_version", "policy version"  # course_release_id
    RECEIPT = "receipt", "receipt"  # receipt_id
    # Wide ones: the writer replaces them by the narrow ones that they reach.
    EVERYTHING_OF_PERSON = "everything_of_person", "all a person may owe"  # learner_profile_id
    EVERYONE_OF_COURSE = "everyone_of_course", "all who may owe a course"  # course_id (training or policy)
    SHARE = "share", "all whom a share may reach"  # share_id
    TEAM = "team", "all in a team"  # team_id
    COMPANY = "company", "the whole company"


class Fact(CompanyRow):
    """One fact taken in, by its id. The digest covers its fields but the personal ones, so a repetition is known."""

    fact_id = models.UUIDField()
    kind = models.CharField(max_length=40)
    at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    digest = models.BinaryField(max_length=32)
    actor_id = models.UUIDField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "fact_id"], name="fact_once")]


class PendingSubject(CompanyRow):
    """A subject that the history has not decided yet. Claimed and removed by the writer in its own transaction."""

    kind = models.CharField(max_length=24, choices=SubjectKind)
    first = models.UUIDField(null=True)
    second = models.UUIDField(null=True)
    recorded_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    retry_after = models.DateTimeField(null=True)
    set_aside_at = models.DateTimeField(null=True)
    set_aside_reason = models.CharField(max_length=400, blank=True, default="")

    class Meta:
        indexes = [models.Index(fields=["organization_id", "id"], name="pending_in_order")]
