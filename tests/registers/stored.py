"""A company whose history is written row by row, so that a test says exactly what is stored and when."""

import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import orjson

from compliance.facts.people.models import Profile
from compliance.history import numbers
from compliance.history.actions import create_company
from compliance.history.models import HistoryHead, HistoryRecord, HistoryRow
from compliance.history.text import instant
from compliance.tenancy import context


def _plain(value: Any) -> Any:
    return instant(value) if isinstance(value, datetime) else str(value)


def canonical(row: dict[str, Any]) -> str:
    return orjson.dumps(row, default=_plain, option=orjson.OPT_PASSTHROUGH_DATETIME).decode()


@dataclass
class StoredCompany:
    """One company; `store` appends a version and moves the head."""

    now: datetime
    time_zone: str = "Europe/Paris"
    births: dict[tuple[int, uuid.UUID], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.organization = create_company(
            name="Stored", time_zone=self.time_zone, history_from=(self.now - timedelta(days=900)).date(), now=self.now
        )
        self.organization_id = self.organization.organization_id
        self.sequence = 0

    def store(
        self,
        register: int,
        record_id: uuid.UUID,
        body: dict[str, Any] | None,
        valid_from: datetime,
        *,
        learner: uuid.UUID | None = None,
        course: uuid.UUID | None = None,
        **columns: Any,
    ) -> int:
        """Appends a version (absent without a body) and returns its sequence."""
        self.sequence += 1
        with context.company(self.organization_id):
            birth = self.births.setdefault((register, record_id), self.sequence)
            if birth == self.sequence:
                HistoryRecord.objects.create(
                    organization_id=self.organization_id, register=register, birth=birth, record_id=record_id,
                    learner_profile_id=learner, course_id=course,
                )  # fmt: skip
            HistoryRow.objects.create(
                organization_id=self.organization_id, sequence=self.sequence, register=register, birth=birth,
                capture_sequence=2, valid_from=valid_from, recorded_at=self.now, cause="first", logic_version=1,
                body="" if body is None else canonical(body), row_sha256=b"0" * 32, **columns,
            )  # fmt: skip
        HistoryHead.objects.filter(organization_id=self.organization_id).update(
            sequence=self.sequence, capture_sequence=2, captured_at=self.now
        )
        return self.sequence

    def profile(self, **personal: Any) -> uuid.UUID:
        """A person; returns the profile's id."""
        learner = uuid.uuid4()
        with context.company(self.organization_id):
            Profile.objects.create(organization_id=self.organization_id, learner_profile_id=learner, **personal)
        return learner

    def training(self, learner: uuid.UUID, assigned_at: datetime, **more: Any) -> uuid.UUID:
        """A training record from `assigned_at` on; returns its id."""
        values: dict[str, Any] = {
            "record_id": uuid.uuid4(),
            "learner_profile_id": learner,
            "course_id": uuid.uuid4(),
            "course_release_id": uuid.uuid4(),
            "renews_certificate_id": None,
            "requirement": "required",
            "assigned_at": assigned_at,
            "due_at": None,
            "due_time_zone": self.time_zone,
            "due_basis": "none",
            "completed_at": None,
            "completion_receipt_id": None,
            "ended_at": None,
            "ended_reason": None,
            "waived_at": None,
            "waiver_actor_id": None,
            "waiver_reason_code": None,
            "share_ids": [uuid.uuid4()],
            "doors": ["employee"],
            "certificate_id": None,
            "obligation_change_id": None,
        } | {name: value for name, value in more.items() if name != "valid_from"}
        before_end = more.pop("requirement_before_end", None)
        values.pop("requirement_before_end", None)
        self.store(
            numbers.TRAINING_RECORDS,
            values["record_id"],
            values,
            more.get("valid_from", assigned_at),
            learner=learner,
            course=values["course_id"],
            state=values["requirement"],
            state_before_end=before_end or values["requirement"],
            begins_at=assigned_at,
            due_at=values["due_at"],
            done_at=values["completed_at"],
            waived_at=values["waived_at"],
            ends_at=values["ended_at"],
        )
        return values["record_id"]
