"""What completions earn, and what becomes of it: ends, corrections, revocations (design 4, Certificates and Renewal).

A chain is one earned certificate with its corrections: the newest link stands, the others are replaced. Everything in a
chain bears its moment, so it can be asked about any moment whatever was decided later.
"""

from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from compliance.rules.company_days import add_months, day_of, end_of_day, end_of_day_after
from compliance.rules.owed_learning.decisions import CertificateContent, CertificateTimeline, CertificateVersion
from compliance.rules.owed_learning.facts import CertificateEdition, Completion, Release, SessionAttendance
from compliance.rules.owed_learning.identity import attendance_receipt_id, certificate_id
from compliance.rules.vocabulary import Attendance, CertificateKind, CertificateStatus, MarkedBy

DAYS_TO_RENEW_AFTER_REVOCATION = 30


class Done(NamedTuple):
    """A completion, by receipt or by attending a live session in full.

    `completed_at` is the receipt's moment, `at` the moment from which it counts: the same, unless the release was
    published later. A session's completion takes effect with the mark that says `full`; `lowered_at` is when a mark
    takes it back, which revokes its certificate and nothing else.
    """

    at: datetime
    completed_at: datetime
    receipt_id: UUID
    course_release_id: UUID | None
    lesson_release_id: UUID | None
    assessed: bool
    voided_at: datetime | None = None
    voided_by: UUID | None = None
    session: SessionAttendance | None = None
    lowered_at: datetime | None = None
    lowered_by: UUID | None = None


def done_by_receipt(completion: Completion) -> Done:
    """A completion receipt as something done."""
    return Done(
        completion.at,
        completion.at,
        completion.completion_receipt_id,
        completion.course_release_id,
        completion.lesson_release_id,
        completion.assessed,
        completion.voided_at,
        completion.voided_by,
    )


def done_by_attendance(organization_id: UUID, learner_profile_id: UUID, session: SessionAttendance) -> list[Done]:
    """One for every time the register's mark rose to `full`; a mark lowered and raised again completes anew."""
    found: list[Done] = []
    full = False
    for mark in sorted(session.marks):
        if mark.attended == Attendance.FULL and not full:
            full = True
            receipt_id = attendance_receipt_id(
                organization_id, session.live_session_id, learner_profile_id, len(found) + 1
            )
            found.append(
                Done(mark.at, mark.at, receipt_id, session.course_release_id, None, assessed=False, session=session)
            )
        elif mark.attended != Attendance.FULL and full:
            full = False
            lowered_by = session.trainer_profile_id if mark.marked_by == MarkedBy.TRAINER else None
            found[-1] = found[-1]._replace(lowered_at=mark.at, lowered_by=lowered_by)
    return found


class Link(NamedTuple):
    """A certificate of a chain, and since when it stands."""

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
    def order(self) -> tuple[datetime, UUID]:
        """By when it was earned."""
        return (self.done.at, self.done.receipt_id)

    def tip(self, moment: datetime) -> UUID:
        """The id of the certificate that stands at `moment`: the earned one until it is corrected."""
        found = self.links[0]
        for link in self.links:
            if link.at <= moment:
                found = link
        return found.certificate_id

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
        """Whether what stands of the chain has expired or been revoked by `moment`."""
        if self.valid_until is not None and self.valid_until < moment:
            return True
        return self.revoked(self.tip(moment), moment) is not None

    def renewal_due(self, zone: str, moment: datetime) -> datetime | None:
        """When a renewal is due, as it stands at `moment`: `valid_until`, or 30 days after a revocation if earlier."""
        revoked = self.revoked(self.tip(moment), moment)
        if revoked is None or self.valid_until is None:
            return self.valid_until
        return min(self.valid_until, end_of_day_after(zone, revoked[0], DAYS_TO_RENEW_AFTER_REVOCATION))

    def renewal_opened(self, moment: datetime, now: datetime) -> bool:
        """Whether a renewal has opened by `moment`, by a revocation or by the clock (which has not passed `now`)."""
        if self.opens_at is not None and self.opens_at <= min(moment, now):
            return True
        return self.revoked(self.tip(moment), moment) is not None

    def timelines(
        self, learner_profile_id: UUID, course_id: UUID, employee_since: datetime
    ) -> list[CertificateTimeline]:
        """Every certificate of the chain, from its issue on; but not before its holder became an employee."""
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
            versions: list[CertificateVersion] = []
            for moment in sorted(moments):
                content = self._content(learner_profile_id, course_id, position, successor, moment)
                if not versions or versions[-1].content != content:
                    versions.append(CertificateVersion(moment, content))
            found.append(CertificateTimeline(link.certificate_id, tuple(versions)))
        return found

    def _content(
        self, learner_profile_id: UUID, course_id: UUID, position: int, successor: Link | None, moment: datetime
    ) -> CertificateContent:
        link = self.links[position]
        standing = CertificateStatus.VALID
        changed: tuple[datetime, UUID | None] | None = self.revoked(link.certificate_id, moment)
        if changed is not None:
            standing = CertificateStatus.REVOKED
            # It may have been issued after the fact, when a voiding let its completion count.
            changed = (max(changed[0], link.at), changed[1])
        elif successor is not None and successor.at <= moment:
            standing = CertificateStatus.REPLACED
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
            standing=standing,
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
