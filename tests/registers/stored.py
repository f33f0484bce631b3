"""A company whose history is written version by version, so that a test decides exactly what is stored and when.

Bodies and columns of each version are those that the projections write.
"""

import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.people.models import Profile
from compliance.history.models import Capture, HistoryHead, HistoryRecord, HistoryRow
from compliance.history.projections import ABSENT, ProjectedTimeline, ProjectedVersion, stored_body, training
from compliance.rules.owed_learning.decisions import Decision, RecordContent
from compliance.rules.timeline import Timeline, Version
from compliance.rules.vocabulary import Door, DueBasis, Requirement
from compliance.tenancy import context
from tests.companies import make_company


@dataclass
class StoredCompany:
    """One company; `store` appends versions to its second capture and moves the head."""

    now: datetime
    time_zone: str = "Europe/Paris"
    record_numbers: dict[tuple[int, uuid.UUID], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        history_from = (self.now - timedelta(days=900)).date()
        self.organization_id = make_company("Stored", self.time_zone, history_from, at=self.now).organization_id
        self.sequence = 0
        with context.company(self.organization_id):
            head = HistoryHead.objects.get(organization_id=self.organization_id)
            Capture.objects.create(
                organization_id=self.organization_id, capture_sequence=2, captured_at=self.now, first_sequence=1,
                last_sequence=0, chain_hash=head.chain_hash, logic_version=1, why="facts",
            )  # fmt: skip

    def store(self, timeline: ProjectedTimeline) -> None:
        """Appends the versions of a record as a projection returns them."""
        with context.company(self.organization_id):
            for version in timeline.versions:
                self.sequence += 1
                number = self.record_numbers.setdefault((timeline.register, timeline.record_id), self.sequence)
                if number == self.sequence:
                    HistoryRecord.objects.create(
                        organization_id=self.organization_id, register=timeline.register, birth=number,
                        record_id=timeline.record_id, learner_profile_id=timeline.learner_profile_id,
                        course_id=timeline.course_id,
                    )  # fmt: skip
                HistoryRow.objects.create(
                    organization_id=self.organization_id, sequence=self.sequence, register=timeline.register,
                    birth=number, capture_sequence=2, valid_from=version.valid_from, recorded_at=self.now,
                    cause="first",
                    logic_version=1, row_sha256=b"0" * 32, **version.columns._asdict(),
                    body=stored_body(timeline.register, version.body, version.columns, timeline.identity).decode(),
                )  # fmt: skip
        HistoryHead.objects.filter(organization_id=self.organization_id).update(
            sequence=self.sequence, capture_sequence=2, captured_at=self.now
        )

    def absent(self, record_id: uuid.UUID, valid_from: datetime) -> None:
        """Makes a training record absent from `valid_from` on."""
        gone = [ProjectedVersion(valid_from, *ABSENT)]
        self.store(ProjectedTimeline(TRAINING_RECORDS.number, record_id, None, None, gone))

    def profile(self, **personal: Any) -> uuid.UUID:
        """A person; returns the profile's id."""
        learner = uuid.uuid4()
        with context.company(self.organization_id):
            Profile.objects.create(organization_id=self.organization_id, learner_profile_id=learner, **personal)
        return learner

    def training(
        self, learner: uuid.UUID, assigned_at: datetime, *, valid_from: datetime | None = None, **more: Any
    ) -> uuid.UUID:
        """A version of a training record, by default required from `assigned_at` on; returns its id."""
        content = RecordContent(
            record_id=uuid.uuid4(),
            learner_profile_id=learner,
            course_id=uuid.uuid4(),
            course_release_id=uuid.uuid4(),
            lesson_release_id=None,
            renews_certificate_id=None,
            requirement=Requirement.REQUIRED,
            requirement_before_end=Requirement.OPTIONAL
            if more.get("requirement") == "optional"
            else Requirement.REQUIRED,
            assigned_at=assigned_at,
            due_at=None,
            due_time_zone=self.time_zone,
            due_basis=DueBasis.NONE,
            completed_at=None,
            completion_receipt_id=None,
            ended_at=None,
            ended_reason=None,
            waived_at=None,
            waiver_actor_id=None,
            waiver_reason_code=None,
            share_ids=(uuid.uuid4(),),
            doors=(Door.EMPLOYEE,),
            certificate_id=None,
            obligation_change_id=None,
        )._replace(**more)
        versions = (Version(valid_from or assigned_at, content),)
        (projected,) = training.project(Decision(records=(Timeline(content.record_id, versions),)))
        self.store(projected)
        return content.record_id
