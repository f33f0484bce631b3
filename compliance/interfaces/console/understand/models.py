"""The summary that dashboards read: a row for each record in force today, and tallies of these rows.

It is derived from the history: all of it can be deleted and is then built anew. It holds identifiers, moments and
states, and no personal data; names are joined when a page is rendered.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from compliance.tenancy.models import CompanyRow


class Standing(CompanyRow):
    """A record in force today. Whether it is overdue or expired depends on the clock: readers compare `due_by`.

    | column | owed courses (1) | people (2) | certificates (3) | owed policies (6) |
    | --- | --- | --- | --- | --- |
    | state | requirement | access_state | - | - |
    | outcome | settled outcome, or `open` | `here` | valid, revoked, replaced | signed or `open` |
    | begins_at | assigned_at | joined_at | issued_at | - |
    | due_by | due_at | - | valid_until | due_at |
    | done_at | completed_at | - | - | signed_at |
    | team_ids | - | the person's teams | - | - |

    Without a deadline `due_by` is the end of time, so that all records sort in one order.
    """

    register = models.SmallIntegerField()
    birth = models.BigIntegerField()
    record_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    course_id = models.UUIDField(null=True)
    state = models.CharField(max_length=20)
    outcome = models.CharField(max_length=28)
    begins_at = models.DateTimeField(null=True)
    due_by = models.DateTimeField()
    done_at = models.DateTimeField(null=True)
    team_ids = ArrayField(models.UUIDField(), default=list)

    class Meta:
        db_table = "console_standing"
        constraints = [models.UniqueConstraint(fields=["organization_id", "register", "birth"], name="standing_once")]
        indexes = [
            models.Index(fields=["organization_id", "learner_profile_id", "register"], name="standing_by_person"),
            models.Index(
                fields=["organization_id", "register", "due_by", "birth"],
                name="standing_undone",
                condition=models.Q(outcome__in=("open", "valid")),
                include=["course_id", "learner_profile_id"],
            ),
            models.Index(
                fields=["organization_id", "register", "course_id", "outcome", "due_by", "birth"],
                name="standing_in_course",
                condition=models.Q(course_id__isnull=False),
                include=["learner_profile_id"],
            ),
            models.Index(
                fields=["organization_id", "register", "course_id", "done_at", "birth"],
                name="standing_done",
                condition=models.Q(done_at__isnull=False),
            ),
        ]


class Step(CompanyRow):
    """A moment at which a training record began to count as required or done (1), or ceased to (-1): see `past`."""

    birth = models.BigIntegerField()
    course_id = models.UUIDField(null=True)
    at = models.DateTimeField()
    required = models.SmallIntegerField()
    done = models.SmallIntegerField()

    class Meta:
        db_table = "console_step"
        indexes = [models.Index(fields=["organization_id", "birth"], name="step_by_record")]


class Tally(CompanyRow):
    """How many records of a course fall into a bucket of a kind (see `refreshing`), as at the mark's moment."""

    kind = models.CharField(max_length=16)
    course_id = models.UUIDField(null=True)
    bucket = models.CharField(max_length=40)
    number = models.BigIntegerField()

    class Meta:
        db_table = "console_tally"
        indexes = [models.Index(fields=["organization_id", "kind"], name="tally_by_kind")]


class Mark(models.Model):
    """Up to which sequence a company's summary is built, and as at which moment. A directory table."""

    organization_id = models.UUIDField(primary_key=True)
    sequence = models.BigIntegerField(default=0)
    as_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "console_standingmark"
