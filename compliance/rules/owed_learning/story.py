"""The general decider of owed learning (design 4): one learner's story of one course, told moment by moment.

The story is told once for each era. An era begins where a completion is voided: from then on the story is told without
it from the very beginning, and what differs from what stood is what the voiding changed. Within one moment the order
is: who is covered, what ends, what comes back, what begins, what administrators change, what is completed, what
freezes.

Readings that design 4 leaves open, settled here:

- A completed record lives while its learner is employed, whoever covers them; an uncompleted one while it is covered.
- A completion of a release that is published later counts from then on; releases go by publication, then version.
- A completion earns a certificate unless it changes nothing: the learner is covered, it completes no record, and it
  would not settle the current release or they hold a certificate of the course that is neither expired nor revoked.
  An `assessed` edition needs an assessed completion.
- After a voiding, the successor of a superseded release's record stands as if it had begun with its publication.
- A session's completion has a receipt id derived from session and learner; a mark raised to full again is a new one.
- Changes go to the release's record, then the renewal, then lessons; with none undone, to the completed in that order.
- Certificates are shown from the moment at which their holder first joined as an employee.
- Where several shares stop covering at once, the reason is `share_ended` only if all of them ended.
"""

from bisect import insort
from datetime import datetime
from uuid import UUID

from compliance.rules.company_days import LAST_INSTANT as END
from compliance.rules.owed_learning.certificates import Chain, Done, Link, done_by_attendance, done_by_receipt
from compliance.rules.owed_learning.coverage import PreparedCourse, employed_intervals
from compliance.rules.owed_learning.decisions import (
    NOTHING_OWED,
    Decision,
    RecordContent,
    RecordTimeline,
    RecordVersion,
    Refusal,
    RefusalCode,
    RefusedFact,
)
from compliance.rules.owed_learning.facts import (
    CertificateCorrection,
    CertificateRevocation,
    DoingFacts,
    LearnerFacts,
    ObligationChange,
)
from compliance.rules.owed_learning.identity import record_id, renewal_record_id
from compliance.rules.owed_learning.records import Record
from compliance.rules.owed_learning.tracks import Track
from compliance.rules.vocabulary import (
    CertificateKind,
    EndedReason,
    ObligationChangeKind,
    Requirement,
)


class Story:
    """One learner and one course."""

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
        self.all_done.sort(key=lambda done: (done.at, done.receipt_id))
        self.changes = sorted(doing.changes, key=lambda change: (change.at, change.obligation_change_id))
        self.corrections = sorted(doing.corrections, key=lambda fact: (fact.at, fact.certificate_id))
        self.revocations = sorted(doing.revocations, key=lambda fact: (fact.at, fact.certificate_id, fact.actor_id))
        self.refusals: list[Refusal] = []
        self.refused_changes: set[int] = set()
        self.judged_certificate_facts: set[CertificateCorrection | CertificateRevocation] = set()
        self.chains: dict[UUID, Chain] = {}
        self.versions: dict[UUID, list[RecordVersion]] = {}
        # Set anew for each era:
        self.era_start: datetime | None = None
        self.alive: list[Done] = []
        self.records: list[Record] = []
        self.held: list[Chain] = []
        self.discharged: set[UUID] = set()
        self.moments: list[datetime] = []

    def decide(self) -> Decision:
        """Tell the story of every era."""
        told = self.all_done or self.changes or self.corrections or self.revocations
        if not told and not any(track.stays for track in self.tracks):
            return NOTHING_OWED
        voidings = sorted({done.voided_at for done in self.all_done if done.voided_at is not None})
        static = self._static_moments()
        for start, end in zip([None, *voidings], [*voidings, END], strict=True):
            self._tell(static, start, end)
        records = [RecordTimeline(key, tuple(versions)) for key, versions in self.versions.items()]
        records.sort(key=lambda timeline: (timeline.versions[0].valid_from, timeline.record_id))
        joined = [employment.joined_at for employment in self.learner.employments]
        certificates = [
            timeline
            for chain in self.chains.values()
            if joined
            for timeline in chain.timelines(self.learner.learner_profile_id, self.course.course_id, min(joined))
        ]
        certificates.sort(key=lambda timeline: (timeline.versions[0].valid_from, timeline.certificate_id))
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
        for done in self.all_done:
            moments.add(done.at)
            moments.update(at for at in (done.voided_at, done.lowered_at) if at is not None)
        moments.update(change.at for change in self.changes)
        moments.update(fact.at for fact in self.corrections)
        moments.update(fact.at for fact in self.revocations)
        return sorted(moments)

    def _tell(self, static: list[datetime], start: datetime | None, end: datetime) -> None:
        """Tell the story up to `end`, and write down what holds from `start` on."""
        self.era_start = start
        self.alive = [
            done for done in self.all_done if done.voided_at is None or start is None or done.voided_at > start
        ]
        self.records = []
        self.held = []
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
            if start is None or moment > start:
                self._write(moment)
            elif moment == start:
                self._reconcile(moment)
                self._write(moment)
            position += 1

    def _happens_again(self, moment: datetime) -> bool:
        """Whether this moment was already told in an earlier era."""
        return self.era_start is not None and moment < self.era_start

    def _step(self, moment: datetime) -> None:
        for track in self.tracks:
            track.move(moment)
        superseded = self._end(moment)
        self._judge_certificate_facts(moment)
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
                # Lost at the moment at which it was earned: the next completion of this moment may earn another.
                self._judge_certificate_facts(moment)
        self._judge_certificate_facts(moment, last_time=True)
        self._open_renewal(moment)
        for record in self.records:
            if record.live:
                record.settle_terms(self.zone, moment)

    # What ends and what comes back

    def _end(self, moment: datetime) -> Record | None:
        """End what no longer applies; the open record that a new release supersedes is answered."""
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

    # What begins

    def _begin(self, track: Track, moment: datetime, superseded: Record | None) -> None:
        """Begin or restart the record of the current release, unless a completed one stands."""
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
        """Settle a record that begins by the earliest completion before it that counts and was not lost meanwhile."""
        for done in self.alive:
            if done.at >= moment:
                return
            if record.track.counts(done) and (since is None or done.at >= since):
                chain = self._held_of(done)
                if chain is None or not chain.lost(moment):
                    record.done = done
                    return

    def _open_renewal(self, moment: datetime) -> None:
        """Open or restart the one renewal cycle: that of the newest certificate with an end."""
        track = self.track
        if not track.covered or not self.held:
            return
        chain = self._newest_with_end()
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

    def _newest_with_end(self) -> Chain | None:
        return max(
            (chain for chain in self.held if chain.valid_until is not None), key=lambda chain: chain.order, default=None
        )

    def _held_of(self, done: Done) -> Chain | None:
        chain = self.chains.get(done.receipt_id)
        return chain if chain is not None and chain in self.held else None

    # What administrators change

    def _change(self, change: ObligationChange) -> None:
        if change.obligation_change_id in self.refused_changes:
            return
        record = self._addressed()
        if record is None:
            self._refuse_change(
                change, RefusalCode.NO_SUCH_RECORD, "the learner owes nothing of this course at that moment"
            )
        elif change.change == ObligationChangeKind.WAIVE:
            if record.done is not None:
                self._refuse_change(change, RefusalCode.RECORD_COMPLETED, "a completed record cannot be waived")
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
        """The record that a change concerns: the release's, then the renewal, then a lesson's; an open one first."""
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

    def _refuse_change(self, change: ObligationChange, code: RefusalCode, sentence: str) -> None:
        if self._happens_again(change.at):
            return  # it was judged at its moment, as things stood then
        self.refused_changes.add(change.obligation_change_id)
        self.refusals.append(
            Refusal(RefusedFact.OBLIGATION_CHANGED, change.obligation_change_id, change.at, code, sentence)
        )

    # What is completed, and what it earns

    def _complete(self, done: Done, moment: datetime) -> None:
        completed: list[Record] = []
        for record in self.records:
            if record.open and record.track.counts(done):
                record.done = done
                completed.append(record)
        if done.lesson_release_id is not None:
            return
        chain = self.chains.get(done.receipt_id)
        if chain is None:
            index = self.track.release_index(done)
            edition = self.course.edition_at(moment)
            if index is None or edition is None:
                return
            if edition.kind == CertificateKind.ASSESSED and not done.assessed:
                return
            useful = self.track.counts(done) and all(held.lost(moment) for held in self.held)
            if self.track.covered and not completed and not useful:
                return
            issued_at = moment if self.era_start is None else max(moment, self.era_start)
            chain = Chain(self.organization_id, self.zone, done, edition, self.course.releases[index], issued_at)
            chain.renews_id = next((record.chain.tip(moment) for record in completed if record.chain), None)
            self.chains[done.receipt_id] = chain
        self.held.append(chain)
        if chain.opens_at is not None and moment < chain.opens_at <= self.now and chain.opens_at not in self.moments:
            insort(self.moments, chain.opens_at)

    def _judge_certificate_facts(self, moment: datetime, *, last_time: bool = False) -> None:
        """Record corrections and revocations of this moment, once; what is still refused `last_time` is reported.

        Corrections go first, each as soon as what it corrects is there, whatever their ids.
        """
        if self._happens_again(moment) or not (self.corrections or self.revocations):
            return
        facts: list[CertificateCorrection | CertificateRevocation] = [*self.corrections, *self.revocations]
        waiting = [fact for fact in facts if fact.at == moment and fact not in self.judged_certificate_facts]
        while judged := next((fact for fact in waiting if self._judge_certificate_fact(fact)), None):
            self.judged_certificate_facts.add(judged)
            waiting.remove(judged)
        if last_time:
            for fact in waiting:
                self._refuse_certificate_fact(fact, RefusalCode.NO_SUCH_CERTIFICATE)

    def _judge_certificate_fact(self, fact: CertificateCorrection | CertificateRevocation) -> bool:
        """Record or refuse one; False if its certificate is not there yet."""
        certificate = fact.supersedes_id if isinstance(fact, CertificateCorrection) else fact.certificate_id
        chain = self._chain_with(certificate, fact.at)
        if chain is None:
            return False
        if isinstance(fact, CertificateCorrection) and chain.links[-1].certificate_id != certificate:
            self._refuse_certificate_fact(fact, RefusalCode.ALREADY_CORRECTED)
        elif chain.revoked(certificate, fact.at) is not None:
            self._refuse_certificate_fact(fact, RefusalCode.ALREADY_REVOKED)
        elif isinstance(fact, CertificateCorrection):
            chain.links.append(Link(fact.certificate_id, fact.at, fact.actor_id))
        else:
            chain.revocations[certificate] = (fact.at, fact.actor_id)
        return True

    def _chain_with(self, certificate_id: UUID, moment: datetime) -> Chain | None:
        for chain in self.chains.values():
            if any(link.certificate_id == certificate_id and link.at <= moment for link in chain.links):
                return chain
        return None

    def _refuse_certificate_fact(self, fact: CertificateCorrection | CertificateRevocation, code: RefusalCode) -> None:
        sentence = {
            RefusalCode.NO_SUCH_CERTIFICATE: "the learner holds no such certificate of this course at that moment",
            RefusalCode.ALREADY_CORRECTED: "the certificate has already been replaced by a correction",
            RefusalCode.ALREADY_REVOKED: "the certificate has already been revoked",
        }[code]
        kind = (
            RefusedFact.CERTIFICATE_CORRECTED
            if isinstance(fact, CertificateCorrection)
            else RefusedFact.CERTIFICATE_REVOKED
        )
        self.refusals.append(Refusal(kind, fact.certificate_id, fact.at, code, sentence))

    # Writing down

    def _reconcile(self, moment: datetime) -> None:
        """At a voiding: what stood until now ends now, what never stood is not shown, what it had opened vanishes."""
        told = {record.record_id for record in self.records}
        for key, versions in self.versions.items():
            if key not in told and versions[-1].content is not None:
                versions.append(RecordVersion(moment, None))
        for record in self.records:
            if record.live:
                continue
            stood = self._stood(record)
            if stood is None:
                record.hidden = True
                continue
            if stood.ended_at is not None:
                record.ended_at, record.ended_reason = stood.ended_at, stood.ended_reason
                if record.done is not None:
                    continue
            else:
                record.ended_at = moment
            record.assigned_at = stood.assigned_at
            record.due_at, record.due_basis = stood.due_at, stood.due_basis
            record.share_ids, record.doors = stood.share_ids, stood.doors
            record.required = stood.requirement_before_end == Requirement.REQUIRED

    def _stood(self, record: Record) -> RecordContent | None:
        versions = self.versions.get(record.record_id)
        return versions[-1].content if versions else None

    def _write(self, moment: datetime) -> None:
        for record in self.records:
            if record.hidden and not record.live:
                continue
            record.hidden = False
            content = self._content(record, moment)
            versions = self.versions.setdefault(record.record_id, [])
            if not versions or versions[-1].content != content:
                versions.append(RecordVersion(moment, content))

    def _content(self, record: Record, moment: datetime) -> RecordContent:
        before_end = Requirement.REQUIRED if record.required else Requirement.OPTIONAL
        if record.live:
            requirement = before_end
        elif record.ended_reason == EndedReason.RELEASE_SUPERSEDED:
            requirement = Requirement.SUPERSEDED
        else:
            requirement = Requirement.NO_LONGER_REQUIRED
        lesson_release_id = record.track.lesson_release_id
        release = None
        if lesson_release_id is None and record.release is not None:
            release = self.course.releases[record.release].course_release_id
        chain = self._held_of(record.done) if record.done is not None else None
        waived_at, waiver_actor_id, waiver_reason_code = record.waiver or (None, None, None)
        return RecordContent(
            record_id=record.record_id,
            learner_profile_id=self.learner.learner_profile_id,
            course_id=self.course.course_id,
            course_release_id=release,
            lesson_release_id=lesson_release_id,
            renews_certificate_id=record.chain.tip(moment) if record.chain is not None else None,
            requirement=requirement,
            requirement_before_end=before_end,
            assigned_at=record.assigned_at,
            due_at=record.due_at,
            due_time_zone=self.zone,
            due_basis=record.due_basis,
            completed_at=record.done.completed_at if record.done is not None else None,
            completion_receipt_id=record.done.receipt_id if record.done is not None else None,
            ended_at=record.ended_at,
            ended_reason=record.ended_reason,
            waived_at=waived_at,
            waiver_actor_id=waiver_actor_id,
            waiver_reason_code=waiver_reason_code,
            share_ids=record.share_ids,
            doors=record.doors,
            certificate_id=chain.tip(moment) if chain is not None else None,
            obligation_change_id=record.change_id,
        )

    # What the clock will bring

    def _next_change_at(self) -> datetime | None:
        """When the next renewal opens by the clock, if facts stay as they are."""
        newest = self._newest_with_end()
        # Facts of the next minutes may yet make another certificate the newest: better to look once too often.
        chains = self.held if self.moments and self.moments[-1] > self.now else [newest] if newest else []
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
