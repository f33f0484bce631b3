"""One plain model with the fields of a training record, and its history twice."""

import pghistory
from django.contrib.postgres.fields import ArrayField
from django.db import models
from simple_history.models import HistoricalRecords


class Profile(models.Model):
    """A person, joined for the name."""

    learner_profile_id = models.UUIDField(primary_key=True)
    person_name = models.TextField(null=True)
    work_email = models.TextField(null=True)


class TrainingRecordFields(models.Model):
    """The contract's fields, as one would declare them in Django."""

    deployment_id = models.UUIDField()
    # Another name in the database: a table with the product's column gets the product's row-level security.
    organization_id = models.UUIDField(db_column="company_id", db_index=True)
    learning_space_id = models.UUIDField()
    sequence = models.BigIntegerField()
    valid_from = models.DateTimeField()
    recorded_at = models.DateTimeField()
    cause = models.CharField(max_length=6)
    logic_version = models.IntegerField()
    record_id = models.UUIDField()
    course_id = models.UUIDField()
    course_release_id = models.UUIDField(null=True)
    renews_certificate_id = models.UUIDField(null=True)
    requirement = models.CharField(max_length=20)
    assigned_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True)
    due_time_zone = models.CharField(max_length=64)
    due_basis = models.CharField(max_length=20)
    completed_at = models.DateTimeField(null=True)
    completion_receipt_id = models.UUIDField(null=True)
    ended_at = models.DateTimeField(null=True)
    ended_reason = models.CharField(max_length=20, null=True)
    waived_at = models.DateTimeField(null=True)
    waiver_actor_id = models.UUIDField(null=True)
    waiver_reason_code = models.CharField(max_length=32, null=True)
    outcome = models.CharField(max_length=32)
    days_late = models.IntegerField(null=True)
    reminders_sent = models.IntegerField()
    share_ids = ArrayField(models.UUIDField())
    doors = ArrayField(models.CharField(max_length=10))
    certificate_id = models.UUIDField(null=True)
    obligation_change_id = models.BigIntegerField(null=True)

    class Meta:
        abstract = True


class TrainingRecord(TrainingRecordFields):
    """The rows that the DRF peer serves."""

    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, db_constraint=False)


class SimpleRecord(TrainingRecordFields):
    """The same fields with django-simple-history."""

    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, db_constraint=False)
    history = HistoricalRecords()


@pghistory.track(pghistory.InsertEvent(), pghistory.UpdateEvent())
class TrackedRecord(TrainingRecordFields):
    """The same fields with django-pghistory."""

    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, db_constraint=False)
