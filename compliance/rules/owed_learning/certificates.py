"""The certificates that completions earn, with their ends, corrections and revocations (docs/rules.md#certificates).

A chain is one earned certificate with its corrections: the newest link is current, the others are replaced. Everything
in a chain has a moment, so its state at any moment can be computed regardless of later facts.
"""

from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from compliance.rules.company_days import add_months, day_of, end_of_day, end_of_day_after
from compliance.rules.owed_learning.completions import Done
from compliance.rules.owed_learning.decisions import (
    CertificateContent,
    CertificateTimeline,
    Refusal,
    RefusalCode,
    RefusedFact,
)
from compliance.rules.owed_learning.facts import (
    CertificateCorrection,
    CertificateEdition,
    CertificateRevocation,
    DoingFacts,
    Release,
)
from compliance.rules.owed_learning.identity import certificate_id
from compliance.rules.reckoning import CountedFrom, Reckoning
from compliance.rules.timeline import Timeline, Version, append_version
from compliance.rules.vocabulary import CertificateKind, CertificateStatus, DueBasis, MarkedBy

DAYS_TO_RENEW_AFTER_REVOCATION = 30


class Link(NamedTuple):
    """A certificate of a chain, and the moment from which it is the current one."""

    certificate_id: UUID
    at: datetime
    actor_id: UUID | None


class Chain:
    """An earned certificate with its corrections and revocations, each with its moment."""

    __slots__ = (
        "done",
        "edition",
        "issued_at",
        "links",
        "opens_at",
        "release",
        "renews_id",
        "revocations",
        "valid_until",
    )

    def __init__(
        self, organization_id: UUID, zone: str, done: Done, edition: CertificateEdition, release: Release, at: datetime
    ) -> None:
        self.done = done
        self.edition = edition
        self.release = release
        self.issued_at = at
        self.links = [Link(certificate_id(organization_id, done.receipt_id), at, None)]
        self.renews_id: UUID | None = None
        self.revocations: dict[UUID, tuple[datetime, UUID | None]] = {}
        self.valid_until: datetime | None = None
        self.opens_at: datetime | None = None
        if edition.valid_months is not None:
            last_day = add_months(day_of(zone, done.completed_at), edition.valid_months)
            self.valid_until = end_of_day(zone, last_day)
            if edition.renew_days_before is not None:
                opens_on = last_day - timedelta(days=min(edition.renew_days_before, last_day.toordinal() - 1))
                self.opens_at = max(end_of_day(zone, opens_on), done.at)

    @property
    def root_id(self) -> UUID:
        """The id of the certificate that was earned."""
        return self.links[0].certificate_id

    @property
    def order(self) -> tuple[datetime, datetime, UUID]:
        """Sort key: the order of the completion that earned the certificate."""
        return self.done.order

    def tip(self, moment: datetime) -> UUID:
        """The id of the certificate that is current at `moment`: the earned one until it is corrected."""
        found = self.links[0]
        for link in self.links:
            if link.at <= moment:
                found = link
        return found.certificate_id

    def has(self, certificate_id: UUID, moment: datetime) -> bool:
        """Whether this certificate is in the chain by `moment`."""
        return any(link.certificate_id == certificate_id and link.at <= moment for link in self.links)

    def revoked(self, link_id: UUID, moment: datetime) -> tuple[datetime, UUID | None] | None:
        """When and by whom this certificate was revoked, by `moment`: by an administrator, a voiding or a mark."""
        events = [self.revocations.get(link_id)]
        if self.done.voided_at is not None:
            events.append((self.done.voided_at, self.done.voided_by))
        if self.done.lowered_at is not None:
            events.append((self.done.lowered_at, self.done.lowered_by))
        reached = [event for event in events if event is not None and event[0] <= moment]
        return min(reached, key=lambda event: event[0]) if reached else None

    def lost(self, moment: datetime) -> bool:
        """Whether the current certificate has expired or been revoked by `moment`."""
        if self.valid_until is not None and self.valid_until < moment:
            return True
        return self.revoked(self.tip(moment), moment) is not None

    def renewal_deadline(self, zone: str, moment: datetime) -> Reckoning:
        """When a renewal is due, as known at `moment`: `valid_until`, or 30 days after a revocation if earlier."""
        revoked = self.revoked(self.tip(moment), moment)
        if revoked is not None and self.valid_until is not None:
            days = DAYS_TO_RENEW_AFTER_REVOCATION
            due_at = end_of_day_after(zone, revoked[0], days)
            if due_at < self.valid_until:
                return Reckoning(DueBasis.RENEWAL, due_at, CountedFrom.REVOCATION, revoked[0], days)
        return Reckoning(DueBasis.RENEWAL, self.valid_until, CountedFrom.CERTIFICATE_END)

    def renewal_opened(self, moment: datetime, now: datetime) -> bool:
        """Whether a renewal has opened by `moment`, by a revocation or by the clock (which has not passed `now`)."""
        if self.opens_at is not None and self.opens_at <= min(moment, now):
            return True
        return self.revoked(self.tip(moment), moment) is not None

    def timelines(
        self, learner_profile_id: UUID, course_id: UUID, employee_since: datetime
    ) -> list[CertificateTimeline]:
        """A timeline for each certificate of the chain, from its issue on, not before its holder became an employee."""
        found = []
        for position, link in enumerate(self.links):
            successor = self.links[position + 1] if position + 1 < len(self.links) else None
            first = max(link.at, employee_since)
            moments = {first}
            for happened in (
                self.done.voided_at,
                self.done.lowered_at,
                self.revocations[link.certificate_id][0] if link.certificate_id in self.revocations else None,
                successor.at if successor else None,
            ):
                if happened is not None and happened > first:
                    moments.add(happened)
            if self.done.session is not None:
                moments.update(mark.at for mark in self.done.session.marks if mark.at > first)
            versions: list[Version[CertificateContent]] = []
            for moment in sorted(moments):
                content = self._content(learner_profile_id, course_id, position, successor, moment)
                append_version(versions, moment, content)
            found.append(Timeline(link.certificate_id, tuple(versions)))
        return found

    def _content(
        self, learner_profile_id: UUID, course_id: UUID, position: int, successor: Link | None, moment: datetime
    ) -> CertificateContent:
        link = self.links[position]
        status = CertificateStatus.VALID
        changed: tuple[datetime, UUID | None] | None = self.revoked(link.certificate_id, moment)
        if changed is not None:
            status = CertificateStatus.REVOKED
            # It may be issued later than earned, when a voiding made its completion count.
            changed = (max(changed[0], link.at), changed[1])
        elif successor is not None and successor.at <= moment:
            status = CertificateStatus.REPLACED
            changed = (successor.at, successor.actor_id)
        session = self.done.session
        marked_by: MarkedBy | None = None
        if session is not None:
            marked_by = max(mark for mark in session.marks if mark.at <= moment).marked_by
        return CertificateContent(
            certificate_id=link.certificate_id,
            learner_profile_id=learner_profile_id,
            course_id=course_id,
            course_release_id=self.release.course_release_id,
            course_release_version=self.release.version,
            certificate_title=self.edition.title,
            kind=CertificateKind(self.edition.kind or ""),
            earned_at=self.done.completed_at,
            issued_at=link.at,
            valid_until=self.valid_until,
            status=status,
            changed_at=changed[0] if changed else None,
            changed_by=changed[1] if changed else None,
            supersedes_id=self.links[position - 1].certificate_id if position else None,
            renews_id=self.renews_id,
            live_session_id=session.live_session_id if session else None,
            live_session_format=session.format if session else None,
            live_session_starts_at=session.starts_at if session else None,
            live_session_ends_at=session.ends_at if session else None,
            live_session_minutes=session.minutes if session else None,
            live_session_marked_by=marked_by,
            trainer_profile_id=session.trainer_profile_id if session else None,
        )


class Certificates:
    """The certificates that a learner has earned in a course, and the facts about them in order of time."""

    def __init__(self, doing: DoingFacts, refusals: list[Refusal]) -> None:
        self.facts: list[CertificateCorrection | CertificateRevocation] = [
            *sorted(doing.corrections, key=lambda fact: (fact.at, fact.certificate_id)),
            *sorted(doing.revocations, key=lambda fact: (fact.at, fact.certificate_id, fact.actor_id)),
        ]
        self.chains: dict[UUID, Chain] = {}
        self.held: list[Chain] = []
        self._recorded: set[CertificateCorrection | CertificateRevocation] = set()
        self._refusals = refusals

    def held_for(self, done: Done | None) -> Chain | None:
        """The certificate that this completion earned, if the learner holds it."""
        chain = self.chains.get(done.receipt_id) if done is not None else None
        return chain if chain is not None and chain in self.held else None

    def newest_with_end(self) -> Chain | None:
        """The newest held certificate that has an end: the one that a renewal cycle belongs to."""
        return max(
            (chain for chain in self.held if chain.valid_until is not None), key=lambda chain: chain.order, default=None
        )

    def record_facts(self, moment: datetime, *, last_time: bool = False) -> None:
        """Record the corrections and revocations of this moment, each once; `last_time` refuses those that are left.

        Corrections are recorded first, each as soon as the certificate that it corrects exists, regardless of
        identifiers.
        """
        waiting = [fact for fact in self.facts if fact.at == moment and fact not in self._recorded]
        while recorded := next((fact for fact in waiting if self._record(fact)), None):
            self._recorded.add(recorded)
            waiting.remove(recorded)
        if last_time:
            for fact in waiting:
                self._refuse(fact, RefusalCode.NO_SUCH_CERTIFICATE)

    def _record(self, fact: CertificateCorrection | CertificateRevocation) -> bool:
        """Record or refuse one fact; False if its certificate does not exist yet."""
        certificate = fact.supersedes_id if isinstance(fact, CertificateCorrection) else fact.certificate_id
        chain = next((chain for chain in self.chains.values() if chain.has(certificate, fact.at)), None)
        if chain is None:
            return False
        if isinstance(fact, CertificateCorrection) and chain.links[-1].certificate_id != certificate:
            self._refuse(fact, RefusalCode.ALREADY_CORRECTED)
        elif chain.revoked(certificate, fact.at) is not None:
            self._refuse(fact, RefusalCode.ALREADY_REVOKED)
        elif isinstance(fact, CertificateCorrection):
            chain.links.append(Link(fact.certificate_id, fact.at, fact.actor_id))
        else:
            chain.revocations[certificate] = (fact.at, fact.actor_id)
        return True

    def _refuse(self, fact: CertificateCorrection | CertificateRevocation, code: RefusalCode) -> None:
        corrected = isinstance(fact, CertificateCorrection)
        kind = RefusedFact.CERTIFICATE_CORRECTED if corrected else RefusedFact.CERTIFICATE_REVOKED
        self._refusals.append(Refusal(kind, fact.certificate_id, fact.at, code))
