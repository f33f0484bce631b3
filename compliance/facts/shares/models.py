"""Shares as source rows: what is owed by whom. Changes are kept as steps with their moments, which queries fold."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from compliance.tenancy.models import CompanyRow


class Share(CompanyRow):
    """A share of a course, a policy, or one lesson (then `lesson_release_id` is set)."""

    share_id = models.UUIDField()
    course_id = models.UUIDField()
    lesson_release_id = models.UUIDField(null=True)
    opened_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "share_id"], name="share_once")]
        indexes = [models.Index(fields=["organization_id", "course_id"], name="share_by_course")]


class ShareStep(CompanyRow):
    """What a fact states about a share from `at` on; null if it states nothing. The first step states everything.

    The audience is `everyone`, or `team_ids`, or `learner_profile_ids`; a step that states it sets `audience`.
    """

    fact_id = models.UUIDField()
    share_id = models.UUIDField()
    at = models.DateTimeField()
    doors = ArrayField(models.CharField(max_length=10), null=True)
    audience = models.CharField(
        max_length=20, null=True, choices=[(word, word) for word in ("everyone", "teams", "people")]
    )
    team_ids = ArrayField(models.UUIDField(), null=True)
    learner_profile_ids = ArrayField(models.UUIDField(), null=True)
    requirement = models.CharField(max_length=10, null=True)
    deadline_basis = models.CharField(max_length=20, null=True)
    due_at = models.DateTimeField(null=True)
    days = models.PositiveIntegerField(null=True)

    class Meta:
        indexes = [models.Index(fields=["organization_id", "share_id"], name="step_by_share")]
