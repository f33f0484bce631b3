"""The tables of the history: one mechanism for all registers.

Only the head is ever updated. Captures, records and rows are append-only, by privileges and triggers.
"""

from django.db import models

from compliance.catalogue import owed
from compliance.tenancy.models import CompanyRow


class HistoryHead(models.Model):
    """The end of a company's history; a capture locks it first. A directory table: one query finds due companies."""

    organization_id = models.UUIDField(primary_key=True)
    sequence = models.BigIntegerField(default=0)
    capture_sequence = models.BigIntegerField(default=0)
    chain_hash = models.CharField(max_length=64, default="0" * 64)
    captured_at = models.DateTimeField()
    logic_version = models.IntegerField()
    tree_size = models.BigIntegerField(
        db_default=0, help_text="How many rows the tree covers: `sequence`, unless an older release captured since."
    )
    tree_range = models.BinaryField(
        db_default=b"", help_text="The compact range of the tree: the roots of its largest complete subtrees."
    )
    next_change_at = models.DateTimeField(null=True, help_text="The next moment at which the clock brings a change.")
    available = models.BooleanField(default=True)
    unavailable_reason = models.CharField(max_length=400, blank=True, default="")

    class Meta:
        indexes = [
            models.Index(fields=["next_change_at"], name="head_due", condition=models.Q(next_change_at__isnull=False))
        ]


class Capture(models.Model):
    """One transaction of the writer, chained to the one before.

    A capture with a tree's root is `svc.capture/2`, and its tree has `last_sequence` leaves. Captures made before
    companies had trees are `svc.capture/1`, and have a digest of their own rows.
    """

    append_only = True

    pk = models.CompositePrimaryKey("organization_id", "capture_sequence")
    organization_id = models.UUIDField()
    capture_sequence = models.BigIntegerField()
    captured_at = models.DateTimeField()
    first_sequence = models.BigIntegerField(help_text="last_sequence + 1 when the capture holds no row.")
    last_sequence = models.BigIntegerField()
    rows_sha256 = models.CharField(max_length=64, null=True, help_text="Of svc.capture/1 only.")
    tree_root = models.BinaryField(max_length=32, null=True, help_text="Of svc.capture/2 only, as is the next.")
    ledger_head = models.BinaryField(max_length=32, null=True, help_text="The ledger's last line sealed by then.")
    chain_hash = models.CharField(max_length=64)
    logic_version = models.IntegerField()
    why = models.CharField(max_length=40)

    @property
    def rows(self) -> int:
        """How many row versions it wrote."""
        return self.last_sequence - self.first_sequence + 1


class HistoryRecord(models.Model):
    """A record of a register. `birth`, its record number, is the sequence of its first version; pages go by it."""

    append_only = True

    pk = models.CompositePrimaryKey("organization_id", "register", "birth")
    organization_id = models.UUIDField()
    register = models.SmallIntegerField()
    birth = models.BigIntegerField()
    record_id = models.UUIDField()
    learner_profile_id = models.UUIDField(null=True)
    course_id = models.UUIDField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "record_id", "register"], name="record_once")]
        indexes = [
            models.Index(fields=["organization_id", "learner_profile_id", "course_id"], name="record_by_person"),
            models.Index(fields=["organization_id", "register", "course_id", "birth"], name="record_by_course"),
        ]


class HistoryRow(models.Model):
    """A version of a record: in force from `valid_from`, known from `sequence` on.

    `body` is the canonical JSON text of what is stored: without personal fields, without what is joined at read or
    decided by the clock, and without the envelope's columns. An empty body means that the record is absent.
    The typed columns are those that rules at read need. They repeat fields of the body (`catalogue`:
    `Register.columns`), except these: `state_before_end` is what a training record required before it ended; `state` of
    a certificate is valid, revoked or replaced; an invitation begins when it was sent, and ends when it was revoked or
    erased; `lesson_share_id` is the first share of a training record of a lesson that was shared alone.
    """

    append_only = True

    pk = models.CompositePrimaryKey("organization_id", "sequence")
    organization_id = models.UUIDField()
    sequence = models.BigIntegerField()
    register = models.SmallIntegerField()
    birth = models.BigIntegerField()
    capture_sequence = models.BigIntegerField()
    valid_from = models.DateTimeField()
    recorded_at = models.DateTimeField()
    cause = models.CharField(max_length=6)
    logic_version = models.IntegerField()
    state = models.CharField(max_length=20, null=True)
    state_before_end = models.CharField(max_length=20, null=True)
    begins_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)
    waived_at = models.DateTimeField(null=True)
    ends_at = models.DateTimeField(null=True)
    door = models.CharField(max_length=10, null=True)
    receipt_id = models.UUIDField(null=True)
    live_session_id = models.UUIDField(null=True)
    renews_certificate_id = models.UUIDField(null=True)
    lesson_share_id = models.UUIDField(null=True)
    body = models.TextField()
    row_sha256 = models.BinaryField(
        max_length=32, help_text="The row digest (`svc.row/1`), so that a fault has a place."
    )

    class Meta:
        indexes = [
            models.Index(
                "organization_id",
                "birth",
                models.F("valid_from").desc(),
                models.F("sequence").desc(),
                name="row_in_force",
            ),
            models.Index("organization_id", "register", "sequence", name="row_by_register"),
            models.Index(
                fields=["organization_id", "register", "due_at"],
                name="row_due",
                condition=models.Q(
                    register__in=(owed("course").number, owed("policy").number),
                    due_at__isnull=False,
                    done_at__isnull=True,
                    waived_at__isnull=True,
                ),
            ),
        ]


class Subtree(models.Model):
    """The root of a complete subtree of a company's tree: of 16, 256, 4,096, ... rows.

    Leaves are not kept because they follow from `row_sha256`. A proof reads at most 16 hashes per height and side.
    """

    append_only = True

    pk = models.CompositePrimaryKey("organization_id", "height", "index")
    organization_id = models.UUIDField()
    height = models.SmallIntegerField(help_text="It covers 2 to this power leaves.")
    index = models.BigIntegerField(help_text="Its place among those of its height, from 0.")
    root = models.BinaryField(max_length=32)


class RecordSource(models.Model):
    """A course version, or a lesson shared alone, behind training records: `row_id` is its row of the courses register.

    `sequence` is the first one of the capture that first wrote such a record, so that no earlier pin sees the row. The
    bodies of training records name their releases too, but searching them for each release would take too long.
    """

    append_only = True

    pk = models.CompositePrimaryKey("organization_id", "row_id")
    organization_id = models.UUIDField()
    row_id = models.UUIDField()
    sequence = models.BigIntegerField()


class DueSubject(CompanyRow):
    """A subject whose stored content changes at `next_change_at` without a new fact; the sweep finds it by index."""

    kind = models.CharField(max_length=24)
    first = models.UUIDField()
    second = models.UUIDField(null=True)
    next_change_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization_id", "kind", "first", "second"], name="due_subject_once", nulls_distinct=False
            )
        ]
        indexes = [models.Index(fields=["organization_id", "next_change_at"], name="due_subject_in_order")]
