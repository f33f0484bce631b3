"""The general decider of owed learning: one learner and one course, moment by moment, as docs/rules.md states.

All moments are decided once for each era. An era begins where a completion is voided: everything is then decided again
from the beginning without that completion, and the differences are what the voiding changed (docs/rules.md#voiding).
"""

from bisect import insort
from datetime import datetime
from uuid import UUID

from compliance.rules.absences import NOT_AWAY, away_at, turning_points
from compliance.rules.company_days import LAST_INSTANT as END
from compliance.rules.owed_learning.certificates import Certificates, Chain
from compliance.rules.owed_learning.completions import Done, done_by_attendance, done_by_receipt
from compliance.rules.owed_learning.coverage import PreparedCourse, employed_intervals
from compliance.rules.owed_learning.decisions import (
    NOTHING_OWED,
    Decision,
    RecordContent,
    Refusal,
    RefusalCode,
    RefusedFact,
)
from compliance.rules.owed_learning.facts import DoingFacts, LearnerFacts, ObligationChange
from compliance.rules.owed_learning.identity import record_id, renewal_record_id
from compliance.rules.owed_learning.records import Record
from compliance.rules.owed_learning.tracks import Track
from compliance.rules.timeline import Timeline, Version, append_version
from compliance.rules.vocabulary import (
    CertificateKind,
    EndedReason,
    ObligationChangeKind,
    Requirement,
)


class Story:
    """Decides everything about one learner and one course."""

    def __init__(
        self,
        organization_id: UUID,
        zone: str,
        course: PreparedCourse,
        learner: LearnerFacts,
        doing: DoingFacts,
        now: datetime,
    ) -> None:
        self.organization_id = organization_id
        self.zone = zone
        self.course = course
        self.learner = learner
        self.now = now
        self.employed = employed_intervals(learner)
        self.track = Track(course, None, course.shares, learner, self.employed)
        self.tracks = [self.track]
        for lesson_release_id in sorted(course.lessons):
            self.tracks.append(
                Track(course, lesson_release_id, course.lessons[lesson_release_id], learner, self.employed)
            )
        self.all_done = [done_by_receipt(completion) for completion in doing.completions]
        for session in doing.attendances:
            self.all_done.extend(done_by_attendance(organization_id, learner.learner_profile_id, session))
        # A completion of a release that is published later counts from the publication on.
        self.all_done = [
            done._replace(at=course.releases[index].published_at)
            if (index := self.track.release_index(done)) is not None and done.at < course.releases[index].published_at
            else done
            for done in self.all_done
        ]
        self.all_done.sort(key=lambda done: done.order)
        self.changes = sorted(doing.changes, key=lambda change: (change.at, change.obligation_change_id))
        self.refusals: list[Refusal] = []
        self.refused_changes: set[int] = set()
        self.certificates = Certificates(doing, self.refusals)
        self.versions: dict[UUID, list[Version[RecordContent]]] = {}
        # Reset for each era:
        self.era_start: datetime | None = None
        self.alive: list[Done] = []
        self.records: list[Record] = []
        self.discharged: set[UUID] = set()
        self.moments: list[datetime] = []

    def decide(self) -> Decision:
        """Decide every era, and return the whole decision."""
        happened = self.all_done or self.changes or self.certificates.facts
        if not happened and not any(track.stays for track in self.tracks):
            return NOTHING_OWED
        voidings = sorted({done.voided_at for done in self.all_done if done.voided_at is not None})
        static = self._static_moments()
        for start, end in zip([None, *voidings], [*voidings, END], strict=True):
            self._decide_era(static, start, end)
        records = [Timeline(key, tuple(versions)) for key, versions in self.versions.items()]
        records.sort(key=lambda timeline: (timeline.versions[0].valid_from, timeline.record_id))
        joined = [employment.joined_at for employment in self.learner.employments]
        certificates = [
            timeline
            for chain in self.certificates.chains.values()
            if joined
            for timeline in chain.timelines(self.learner.learner_profile_id, self.course.course_id, min(joined))
        ]
        certificates.sort(key=lambda timeline: (timeline.versions[0].valid_from, timeline.record_id))
        self.refusals.sort(key=lambda refusal: (refusal.at, refusal.fact, str(refusal.fact_key)))
        return Decision(tuple(records), tuple(certificates), self._next_change_at(), tuple(self.refusals))

    def _static_moments(self) -> list[datetime]:
        moments: set[datetime] = set()
        for track in self.tracks:
            moments |= track.moments
        for start, end in self.employed:
            moments.add(start)
            if end != END:
                moments.add(end)
        if self.learner.erased_at is not None:
            moments.add(self.learner.erased_at)
        moments |= turning_points(self.learner.absences)
        for done in self.all_done:
            moments.add(done.at)
            moments.update(at for at in (done.voided_at, done.lowered_at) if at is not None)
        moments.update(change.at for change in self.changes)
        moments.update(fact.at for fact in self.certificates.facts)
        return sorted(moments)

    def _decide_era(self, static: list[datetime], start: datetime | None, end: datetime) -> None:
        """Decide all moments before `end`, and write the contents that hold from `start` on."""
        self.era_start = start
        self.alive = [
            done for done in self.all_done if done.voided_at is None or start is None or done.voided_at > start
        ]
        self.records = []
        self.certificates.held = []
        self.discharged = set()
        for track in self.tracks:
            track.rewind()
        self.moments = list(static)
        position = 0
        while position < len(self.moments):
            moment = self.moments[position]
            if moment >= end:
                return
            self._step(moment)
            if moment == start:
                self._reconcile(moment)
            if not self._decided_before(moment):
                self._write(moment)
            position += 1

    def _decided_before(self, moment: datetime) -> bool:
        """Whether an earlier era has decided this moment."""
        return self.era_start is not None and moment < self.era_start

    def _step(self, moment: datetime) -> None:
        for track in self.tracks:
            track.move(moment)
        superseded = self._end(moment)
        self._record_certificate_facts(moment)
        for track in self.tracks:
            if track.covered:
                self._begin(track, moment, superseded if track is self.track else None)
        self._open_renewal(moment)
        for change in self.changes:
            if change.at == moment:
                self._change(change)
        for done in self.alive:
            if done.at == moment:
                self._complete(done, moment)
                # It was lost at the moment at which it was earned: the next completion of this moment may earn another.
                self._record_certificate_facts(moment)
        self._record_certificate_facts(moment, last_time=True)
        self._open_renewal(moment)
        away = away_at(self.learner.absences, moment) if self.learner.absences else NOT_AWAY
        for record in self.records:
            if record.live:
                record.settle_terms(self.zone, moment, away)

    # Ending and returning

    def _end(self, moment: datetime) -> Record | None:
        """End what no longer applies; return the open record that a new release supersedes."""
        erased = self.learner.erased_at is not None and self.learner.erased_at <= moment
        employed = any(start <= moment < end for start, end in self.employed)
        superseded = None
        for record in self.records:
            track = record.track
            if not record.live:
                if record.done is not None and employed and record.ended_reason == EndedReason.PERSON_LEFT:
                    record.ended_at = record.ended_reason = None
            elif erased:
                record.end(moment, EndedReason.SOURCE_REMOVED)
            elif not employed:
                record.end(moment, EndedReason.PERSON_LEFT)
            elif record.done is not None:
                continue
            elif not track.covered:
                record.end(moment, track.uncovered_reason(moment))
            elif record.chain is None and record.release != track.current:
                record.end(moment, EndedReason.RELEASE_SUPERSEDED)
                superseded = record
        return superseded

    # Beginning

    def _begin(self, track: Track, moment: datetime, superseded: Record | None) -> None:
        """Begin or restart the record of the current release, unless a completed one settles it."""
        current = track.current
        assert current is not None  # covered
        last_retake = self.course.last_retake[current] if track.lesson_release_id is None else 0
        of_track = [record for record in self.records if record.track is track and record.chain is None]
        mine: Record | None = None
        beside = False
        for record in of_track:
            assert record.release is not None
            if record.release == current:
                mine = record
            if record.done is not None and record.live:
                if last_retake <= record.release <= current:
                    return
                beside = beside or record.release < last_retake
        if mine is not None and mine.live:
            return
        if mine is None:
            release_id = track.lesson_release_id or self.course.releases[current].course_release_id
            key = record_id(self.organization_id, self.learner.learner_profile_id, self.course.course_id, release_id)
            mine = Record(key, track, current, None, moment)
            self.records.append(mine)
            if superseded is not None:
                mine.override, mine.waiver = superseded.override, superseded.waiver
                mine.change_id, mine.floor = superseded.change_id, superseded.floor
            elif beside:
                mine.floor = self.course.releases[last_retake].published_at
        else:
            mine.restart(moment)
        self._settle_by_earlier(mine, moment, since=None)

    def _settle_by_earlier(self, record: Record, moment: datetime, since: datetime | None) -> None:
        """Settle a record that begins, by the earliest earlier completion that counts and was not lost since."""
        for done in self.alive:
            if done.at >= moment:
                return
            if record.track.counts(done) and (since is None or done.at >= since):
                chain = self.certificates.held_for(done)
                if chain is None or not chain.lost(moment):
                    record.done = done
                    return

    def _open_renewal(self, moment: datetime) -> None:
        """Open or restart the one renewal cycle: that of the newest certificate with an end."""
        track = self.track
        if not track.covered or not self.certificates.held:
            return
        chain = self.certificates.newest_with_end()
        if chain is None:
            return
        for record in self.records:
            if record.chain is chain:
                if not record.live and record.done is None:
                    record.restart(moment)
                    self._settle_by_earlier(record, moment, since=record.opened_at)
                return
        if chain.root_id in self.discharged or not chain.renewal_opened(moment, self.now):
            return
        if any(
            record.open and record.chain is None and record.track is track and chain.lost(record.begun_at)
            for record in self.records
        ):
            self.discharged.add(chain.root_id)
            return
        key = renewal_record_id(self.organization_id, chain.root_id)
        self.records.append(Record(key, track, None, chain, moment))

    # Administrators' changes

    def _change(self, change: ObligationChange) -> None:
        if change.obligation_change_id in self.refused_changes:
            return
        record = self._addressed()
        if record is None:
            self._refuse_change(change, RefusalCode.NO_SUCH_RECORD)
        elif change.change == ObligationChangeKind.WAIVE:
            if record.done is not None:
                self._refuse_change(change, RefusalCode.RECORD_COMPLETED)
                return
            record.waiver = (change.at, change.actor_id, change.reason_code)
            record.change_id = change.obligation_change_id
        elif change.change == ObligationChangeKind.REINSTATE:
            if record.waiver is not None:
                record.waiver = None
                record.change_id = change.obligation_change_id
        elif not record.frozen and (change.due_at is not None or record.override is not None):
            record.override = change.due_at
            record.change_id = change.obligation_change_id

    def _addressed(self) -> Record | None:
        """The record that a change applies to: the release's, then the renewal's, then a lesson's; open ones first."""
        live = [record for record in self.records if record.live]
        live.sort(key=self._rank)
        return next((record for record in live if record.open), live[0] if live else None)

    def _rank(self, record: Record) -> tuple[int, float, str]:
        if record.track.lesson_release_id is not None:
            return (2, 0, str(record.track.lesson_release_id))
        if record.chain is not None:
            return (1, -record.opened_at.timestamp(), str(record.record_id))
        assert record.release is not None
        return (0, -record.release, "")

    def _refuse_change(self, change: ObligationChange, code: RefusalCode) -> None:
        if self._decided_before(change.at):
            return  # it was accepted by the facts of its moment
        self.refused_changes.add(change.obligation_change_id)
        self.refusals.append(Refusal(RefusedFact.OBLIGATION_CHANGED, change.obligation_change_id, change.at, code))

    # Completing and earning

    def _complete(self, done: Done, moment: datetime) -> None:
        completed = [record for record in self.records if record.open and record.track.counts(done)]
        for record in completed:
            record.done = done
        if done.lesson_release_id is not None:
            return
        chain = self.certificates.chains.get(done.receipt_id) or self._earned(done, moment, completed)
        if chain is None:
            return
        self.certificates.held.append(chain)
        if chain.opens_at is not None and moment < chain.opens_at <= self.now and chain.opens_at not in self.moments:
            insort(self.moments, chain.opens_at)

    def _earned(self, done: Done, moment: datetime, completed: list[Record]) -> Chain | None:
        """The certificate that a completion earns; `completed` are the records that it settles."""
        index = self.track.release_index(done)
        edition = self.course.edition_at(moment)
        if index is None or edition is None or (edition.kind == CertificateKind.ASSESSED and not done.assessed):
            return None
        useful = self.track.counts(done) and all(held.lost(moment) for held in self.certificates.held)
        if self.track.covered and not completed and not useful:
            return None
        issued_at = moment if self.era_start is None else max(moment, self.era_start)
        chain = Chain(self.organization_id, self.zone, done, edition, self.course.releases[index], issued_at)
        chain.renews_id = next((record.chain.tip(moment) for record in completed if record.chain), None)
        self.certificates.chains[done.receipt_id] = chain
        return chain

    def _record_certificate_facts(self, moment: datetime, *, last_time: bool = False) -> None:
        if self.certificates.facts and not self._decided_before(moment):
            self.certificates.record_facts(moment, last_time=last_time)

    # Writing versions

    def _reconcile(self, moment: datetime) -> None:
        """At a voiding: end what existed until now, hide what never existed, and remove what it had opened."""
        decided = {record.record_id for record in self.records}
        for key, versions in self.versions.items():
            if key not in decided and versions[-1].content is not None:
                versions.append(Version(moment, None))
        for record in self.records:
            if record.live:
                continue
            written = self.versions.get(record.record_id)
            before = written[-1].content if written else None
            if before is None:
                record.hidden = True
                continue
            if before.ended_at is not None:
                record.ended_at, record.ended_reason = before.ended_at, before.ended_reason
            else:
                record.ended_at = moment
            if record.done is not None:
                continue  # another completion settles it, and that completion's terms apply if the record returns
            record.assigned_at = before.assigned_at
            record.due_at, record.due_basis = before.due_at, before.due_basis
            record.share_ids, record.doors = before.share_ids, before.doors
            record.required = before.requirement_before_end == Requirement.REQUIRED

    def _write(self, moment: datetime) -> None:
        for record in self.records:
            if record.hidden and not record.live:
                continue
            record.hidden = False
            earned = self.certificates.held_for(record.done)
            content = record.content(self.learner.learner_profile_id, self.zone, moment, earned)
            append_version(self.versions.setdefault(record.record_id, []), moment, content)

    # Changes by the clock

    def _next_change_at(self) -> datetime | None:
        """When the next renewal opens by the clock, if facts stay as they are."""
        newest = self.certificates.newest_with_end()
        # Facts of the next minutes may still make another certificate the newest; checking one time too many is
        # harmless.
        chains = self.certificates.held if self.moments and self.moments[-1] > self.now else [newest] if newest else []
        opening = [
            chain.opens_at
            for chain in chains
            if chain.opens_at is not None
            and chain.opens_at > self.now
            and chain.root_id not in self.discharged
            and not any(record.chain is chain for record in self.records)
            and self.track.covered_at(chain.opens_at)
        ]
        return min(opening, default=None)
