"""Training as source rows: completions, changes of obligations, reminders, live sessions."""

from django.db import models

from compliance.tenancy.models import CompanyRow


class Completion(CompanyRow):
    """A completion of a release or of a lesson, received at `at`."""

    completion_receipt_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    course_id = models.UUIDField()
    course_release_id = models.UUIDField(null=True)
    lesson_release_id = models.UUIDField(null=True)
    at = models.DateTimeField()
    assessed = models.BooleanField(default=False)
    voided_at = models.DateTimeField(null=True)
    voided_by = models.UUIDField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "completion_receipt_id"], name="completion_once")
        ]
        indexes = [
            models.Index(fields=["organization_id", "learner_profile_id", "course_id"], name="completion_by_person")
        ]


class ObligationChange(CompanyRow):
    """An administrator waived, reinstated or set a deadline."""

    obligation_change_id = models.BigIntegerField()
    learner_profile_id = models.UUIDField()
    course_id = models.UUIDField()
    at = models.DateTimeField()
    change = models.CharField(max_length=14)
    reason_code = models.CharField(max_length=32, null=True)
    due_at = models.DateTimeField(null=True)
    actor_id = models.UUIDField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "obligation_change_id"], name="obligation_change_once")
        ]
        indexes = [models.Index(fields=["organization_id", "learner_profile_id", "course_id"], name="change_by_person")]


class Reminder(CompanyRow):
    """A reminder that was sent to a person about a course at `at`."""

    fact_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    course_id = models.UUIDField()
    at = models.DateTimeField()
    capture_sequence = models.BigIntegerField(null=True, help_text="The capture that took it in; null until then.")

    class Meta:
        indexes = [
            models.Index(fields=["organization_id", "learner_profile_id", "course_id"], name="reminder_by_person"),
            models.Index(
                fields=["organization_id", "at"],
                name="reminder_not_captured",
                condition=models.Q(capture_sequence__isnull=True),
            ),
        ]


class LiveSession(CompanyRow):
    """A live session of a release; full attendance completes the course."""

    live_session_id = models.UUIDField()
    course_id = models.UUIDField()
    course_release_id = models.UUIDField()
    at = models.DateTimeField()
    format = models.CharField(max_length=8)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    minutes = models.PositiveIntegerField()
    trainer_profile_id = models.UUIDField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "live_session_id"], name="session_once")]


class AttendanceMark(CompanyRow):
    """The register mark of a person in a live session, as made at `at`; the latest is the final one."""

    fact_id = models.UUIDField()
    live_session_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    course_id = models.UUIDField()
    at = models.DateTimeField()
    attended = models.CharField(max_length=8)
    marked_by = models.CharField(max_length=8)

    class Meta:
        indexes = [
            models.Index(fields=["organization_id", "learner_profile_id", "course_id"], name="mark_by_person"),
            models.Index(fields=["organization_id", "live_session_id"], name="mark_by_session"),
        ]


class Trainer(CompanyRow):
    """A trainer's current name (the one of the latest fact)."""

    trainer_profile_id = models.UUIDField()
    trainer_name = models.TextField(null=True)
    named_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "trainer_profile_id"], name="trainer_once")]
