"""A training record while its course is being decided, and its terms until they freeze (docs/rules.md#records)."""

from datetime import datetime
from uuid import UUID

from compliance.rules.absences import Away
from compliance.rules.company_days import end_of_day_after
from compliance.rules.owed_learning.certificates import Chain
from compliance.rules.owed_learning.completions import Done
from compliance.rules.owed_learning.coverage import Stay
from compliance.rules.owed_learning.decisions import RecordContent
from compliance.rules.owed_learning.tracks import Track
from compliance.rules.reckoning import NO_DEADLINE, CountedFrom, Reckoning
from compliance.rules.vocabulary import Door, DueBasis, EndedReason, Requirement, WaiverReasonCode

_PREFERRED = (DueBasis.SHARE_DEADLINE, DueBasis.DAYS_AFTER_ADDED, DueBasis.OVERRIDE)
"""Preference among equal deadlines: the first of these counts."""


class Record:
    """A training record at the moment that is being decided."""

    __slots__ = (
        "assigned_at",
        "begun_at",
        "chain",
        "change_id",
        "done",
        "doors",
        "due_at",
        "due_basis",
        "ended_at",
        "ended_reason",
        "floor",
        "frozen",
        "hidden",
        "opened_at",
        "override",
        "reckoning",
        "record_id",
        "release",
        "required",
        "share_deadline",
        "share_ids",
        "track",
        "waiver",
    )

    def __init__(self, record_id: UUID, track: Track, release: int | None, chain: Chain | None, at: datetime) -> None:
        self.record_id = record_id
        self.track = track
        self.release = release
        self.chain = chain
        self.begun_at = self.opened_at = self.assigned_at = at
        self.done: Done | None = None
        self.frozen = False
        self.hidden = False
        self.required = False
        self.due_at: datetime | None = None
        self.due_basis = DueBasis.NONE
        self.reckoning = self.share_deadline = NO_DEADLINE
        self.share_ids: tuple[UUID, ...] = ()
        self.doors: tuple[Door, ...] = ()
        self.ended_at: datetime | None = None
        self.ended_reason: EndedReason | None = None
        self.override: datetime | None = None
        self.waiver: tuple[datetime, UUID | None, WaiverReasonCode | None] | None = None
        self.change_id: int | None = None
        self.floor: datetime | None = None

    @property
    def live(self) -> bool:
        """Whether the record has not ended and is not waiting to return."""
        return self.ended_at is None

    @property
    def open(self) -> bool:
        """Whether the record is live and not completed (it may be waived)."""
        return self.ended_at is None and self.done is None

    def end(self, moment: datetime, reason: EndedReason) -> None:
        """End the record at `moment`."""
        self.ended_at = moment
        self.ended_reason = reason

    def restart(self, moment: datetime) -> None:
        """Let the record apply again from `moment` on, as an open record."""
        self.begun_at = moment
        self.ended_at = self.ended_reason = None

    def settle_terms(self, zone: str, moment: datetime, away: tuple[Away, ...]) -> None:
        """Set requirement, `assigned_at`, deadline, shares and doors as of `moment`, and freeze them if it is time.

        `away`: the days on which the learner is absent, as known at `moment`.
        """
        track = self.track
        if track.covered:
            self.share_ids = tuple(stay.stage.share.share_id for stay in track.staying)
            if len(track.staying) == 1:
                self.doors = track.staying[0].stage.doors
            else:
                self.doors = tuple(sorted({door for stay in track.staying for door in stay.stage.doors}))
            if not self.frozen:
                self.required = track.required
                if self.done is None or track.required or self.begun_at == moment:
                    self.assigned_at = max(track.first_required or self.begun_at, self.begun_at)
                if self.chain is not None:
                    self.share_deadline = self.chain.renewal_deadline(zone, moment).excused(zone, away)
                    if self.done is None or self.done.at >= moment or self.begun_at == moment:
                        self.release = track.current
                else:
                    self.share_deadline = self._share_deadline(zone, away)
        if not self.frozen:
            self.reckoning = self.share_deadline
            if self.override is not None:
                personal = Reckoning(DueBasis.OVERRIDE, self.override, CountedFrom.PERSONAL)
                self.reckoning = personal.excused(zone, away)
            self.due_at, self.due_basis = self.reckoning.excused_at, self.reckoning.excused_basis
            self.frozen = self.required and self.done is not None

    def _share_deadline(self, zone: str, away: tuple[Away, ...]) -> Reckoning:
        """The earliest deadline among the required shares, each moved by absences; of equals, a fixed one.

        `plain.py` sets the deadline of plain decisions itself, `days_after_added` included;
        `tests/oracle/test_owed_learning.py` compares its answers with those of this method.
        """
        best: tuple[datetime, int] | None = None
        found = NO_DEADLINE
        for stay in self.track.staying:
            if not stay.stage.required:
                continue
            deadline = stay.stage.deadline
            if deadline.basis == DueBasis.SHARE_DEADLINE and deadline.due_at is not None:
                if self.floor is not None and deadline.due_at < self.floor:
                    continue
                reckoned = Reckoning(DueBasis.SHARE_DEADLINE, deadline.due_at, CountedFrom.SHARE)
            elif deadline.basis == DueBasis.DAYS_AFTER_ADDED and deadline.days is not None:
                added, counted_from = self._added(stay)
                due_at = end_of_day_after(zone, added, deadline.days)
                reckoned = Reckoning(DueBasis.DAYS_AFTER_ADDED, due_at, counted_from, added, deadline.days)
            else:
                continue
            reckoned = reckoned.excused(zone, away)
            assert reckoned.excused_at is not None
            due = (reckoned.excused_at, _PREFERRED.index(reckoned.excused_basis))
            if best is None or due < best:
                best, found = due, reckoned
        return found

    def _added(self, stay: Stay) -> tuple[datetime, CountedFrom]:
        """The latest of the moments from which days are counted; of equal ones, the first of these."""
        latest, counted_from = stay.entry, CountedFrom.ADDED
        for moment, reason in (
            (stay.stage.required_since, CountedFrom.REQUIRED),
            (self.track.run_start, CountedFrom.PUBLISHED),
            (self.floor, CountedFrom.ASKED_AGAIN),
        ):
            if moment is not None and moment > latest:
                latest, counted_from = moment, reason
        return latest, counted_from

    def content(self, learner_profile_id: UUID, zone: str, moment: datetime, earned: Chain | None) -> RecordContent:
        """What is stored of the record from `moment` on; `earned` is the certificate of its completion."""
        before_end = Requirement.REQUIRED if self.required else Requirement.OPTIONAL
        if self.live:
            requirement = before_end
        elif self.ended_reason == EndedReason.RELEASE_SUPERSEDED:
            requirement = Requirement.SUPERSEDED
        else:
            requirement = Requirement.NO_LONGER_REQUIRED
        course, lesson_release_id = self.track.course, self.track.lesson_release_id
        release = None
        if lesson_release_id is None and self.release is not None:
            release = course.releases[self.release].course_release_id
        waived_at, waiver_actor_id, waiver_reason_code = self.waiver or (None, None, None)
        return RecordContent(
            record_id=self.record_id,
            learner_profile_id=learner_profile_id,
            course_id=course.course_id,
            course_release_id=release,
            lesson_release_id=lesson_release_id,
            renews_certificate_id=self.chain.tip(moment) if self.chain is not None else None,
            requirement=requirement,
            requirement_before_end=before_end,
            assigned_at=self.assigned_at,
            due_at=self.due_at,
            due_time_zone=zone,
            due_basis=self.due_basis,
            completed_at=self.done.completed_at if self.done is not None else None,
            completion_receipt_id=self.done.receipt_id if self.done is not None else None,
            ended_at=self.ended_at,
            ended_reason=self.ended_reason,
            waived_at=waived_at,
            waiver_actor_id=waiver_actor_id,
            waiver_reason_code=waiver_reason_code,
            share_ids=self.share_ids,
            doors=self.doors,
            certificate_id=earned.tip(moment) if earned is not None else None,
            obligation_change_id=self.change_id,
        )
