"""What the rules are told, loaded set by set: a constant number of statements whatever the number of subjects.

The history's writer decides thousands of subjects in one capture (design 5), so everything here takes collections and
answers with dictionaries; events are folded into stretches, steps into whole steps. Which subjects these are, `reach`
tells.

The company is always a sub-select: as a constant that the statistics do not hold yet, it would make the planner take
any index that starts with it.
"""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from compliance.facts.policies.loading import load_policies, load_receipts
from compliance.rules.owed_learning.facts import (
    AttendanceMark,
    CertificateCorrection,
    CertificateEdition,
    CertificateRevocation,
    Completion,
    CourseFacts,
    Deadline,
    DoingFacts,
    Employment,
    LearnerFacts,
    Membership,
    ObligationChange,
    Release,
    SessionAttendance,
    Share,
    ShareStep,
)
from compliance.rules.people.facts import ContactStay, InvitationFacts, PersonFacts, Suspension
from compliance.rules.policies.facts import PolicyFacts, ReceiptFacts, Signer
from compliance.rules.vocabulary import (
    Attendance,
    CertificateKind,
    Door,
    DueBasis,
    LiveSessionFormat,
    MarkedBy,
    ObligationChangeKind,
    Requirement,
    WaiverReasonCode,
)
from compliance.tenancy import arrays, sql

Pair = tuple[uuid.UUID, uuid.UUID]
Learners = dict[uuid.UUID, LearnerFacts]

_DOORS = {door.value: door for door in Door}


class PersonCourseFacts(NamedTuple):
    """What deciding (learner, course) pairs takes.

    `doings` goes by the place of the pair among those asked for, from 0; a pair that did nothing is missing.
    """

    courses: dict[uuid.UUID, CourseFacts]
    learners: Learners
    doings: dict[int, DoingFacts]


class PersonPolicyFacts(NamedTuple):
    """What deciding (learner, policy) pairs takes."""

    policies: dict[uuid.UUID, PolicyFacts]
    signers: dict[uuid.UUID, Signer]
    receipts: dict[Pair, list[ReceiptFacts]]


class InvitationSubject(NamedTuple):
    """An invitation, and the profile that accepted it, if one did."""

    invitation: InvitationFacts
    person: PersonFacts | None


def load_person_courses(
    organization_id: uuid.UUID, pairs: Sequence[Pair], known: Learners | None = None
) -> PersonCourseFacts:
    """The facts of (learner_profile_id, course_id) pairs; `known` learners are not read again."""
    return PersonCourseFacts(
        load_courses(organization_id, {course_id for _, course_id in pairs}),
        load_learners(organization_id, {learner_profile_id for learner_profile_id, _ in pairs}, known),
        load_doings(organization_id, pairs),
    )


def load_people(
    organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID], known: Learners | None = None
) -> dict[uuid.UUID, PersonFacts]:
    """Each profile with its stays, teams, suspensions and contact stretches; `known` learners are not read again."""
    learners = load_learners(organization_id, profile_ids, known)
    contacts = load_contacts(organization_id, profile_ids)
    suspensions: dict[uuid.UUID, list[Suspension]] = defaultdict(list)
    for profile_id, person_id, at, suspended in sql.fetch(
        "SELECT e.learner_profile_id, s.person_id, s.at, s.suspended FROM people_suspension s"
        " JOIN people_employment e USING (organization_id, person_id)"
        " WHERE s.organization_id = (SELECT %s::uuid) AND e.learner_profile_id = ANY(%s::uuid[])",
        [organization_id, arrays.uuids(list(profile_ids))],
    ):
        suspensions[profile_id].append(Suspension(person_id, at, suspended))
    return {
        profile_id: PersonFacts(
            learners[profile_id], tuple(suspensions.get(profile_id, ())), tuple(contacts.get(profile_id, ()))
        )
        for profile_id in profile_ids
    }


def load_invitations(
    organization_id: uuid.UUID, invitation_ids: Collection[uuid.UUID], known: Learners | None = None
) -> dict[uuid.UUID, InvitationSubject]:
    """Each invitation, with the facts of the person who accepted it; `known` learners are not read again."""
    wanted = list(invitation_ids)
    accepted: dict[uuid.UUID, Pair] = {
        invitation_id: (person_id, profile_id)
        for invitation_id, person_id, profile_id in sql.fetch(
            "SELECT invitation_id, person_id, learner_profile_id FROM people_employment"
            " WHERE organization_id = (SELECT %s::uuid) AND invitation_id = ANY(%s)"
            " ORDER BY joined_at DESC, person_id DESC",
            [organization_id, wanted],
        )
    }
    people = load_people(organization_id, {profile_id for _, profile_id in accepted.values()}, known)
    found = {}
    for invitation_id, invited_at, expires_at, revoked_at, erased_at, team_ids in sql.fetch(
        "SELECT invitation_id, invited_at, expires_at, revoked_at, erased_at, team_ids FROM people_invitation"
        " WHERE organization_id = (SELECT %s::uuid) AND invitation_id = ANY(%s)",
        [organization_id, wanted],
    ):
        person_id, profile_id = accepted.get(invitation_id, (None, None))
        found[invitation_id] = InvitationSubject(
            InvitationFacts(
                invitation_id, invited_at, expires_at, revoked_at, frozenset(team_ids), person_id, erased_at
            ),
            people[profile_id] if profile_id is not None else None,
        )
    return found


def load_person_policies(
    organization_id: uuid.UUID, pairs: Collection[Pair], known: Learners | None = None
) -> PersonPolicyFacts:
    """The facts of (learner_profile_id, course_id of the policy) pairs; `known` learners are not read again."""
    profile_ids = {learner_profile_id for learner_profile_id, _ in pairs}
    learners = load_learners(organization_id, profile_ids, known)
    contacts = load_contacts(organization_id, profile_ids)
    return PersonPolicyFacts(
        load_policies(organization_id, {course_id for _, course_id in pairs}),
        {profile_id: Signer(learners[profile_id], tuple(contacts.get(profile_id, ()))) for profile_id in profile_ids},
        load_receipts(organization_id, pairs),
    )


def load_learners(
    organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID], known: Learners | None = None
) -> Learners:
    """Each profile's stays, team stretches and erasure; one of which nothing is known is there and empty.

    What is `known` already is taken from there, and what is read is added to it.
    """
    if known is None:
        return _read_learners(organization_id, profile_ids)
    missing = [profile_id for profile_id in profile_ids if profile_id not in known]
    if missing:
        known.update(_read_learners(organization_id, missing))
    return known


def _read_learners(organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID]) -> Learners:
    wanted = arrays.uuids(list(profile_ids))
    employments: dict[uuid.UUID, list[Employment]] = defaultdict(list)
    for profile_id, *stay in sql.fetch(
        "SELECT learner_profile_id, person_id, joined_at, left_at, staff_practice FROM people_employment"
        " WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[])",
        [organization_id, wanted],
    ):
        employments[profile_id].append(Employment(*stay))
    memberships: dict[uuid.UUID, list[Membership]] = defaultdict(list)
    for (profile_id, team_id), begin, end in _stretches(
        sql.fetch(
            "SELECT learner_profile_id, team_id, at, joined FROM people_teammembership"
            " WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[])"
            " ORDER BY at, joined, fact_id",
            [organization_id, wanted],
        )
    ):
        memberships[profile_id].append(Membership(team_id, begin, end))
    erased: dict[uuid.UUID, datetime] = dict(
        sql.fetch(
            "SELECT learner_profile_id, at FROM people_erasure"
            " WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[])",
            [organization_id, wanted],
        )
    )
    return {
        profile_id: LearnerFacts(
            profile_id,
            tuple(employments.get(profile_id, ())),
            tuple(memberships.get(profile_id, ())),
            erased.get(profile_id),
        )
        for profile_id in profile_ids
    }


def load_contacts(organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, list[ContactStay]]:
    """The stretches of those profiles that came as a partner's or customer's contact."""
    contacts: dict[uuid.UUID, list[ContactStay]] = defaultdict(list)
    for (profile_id, door), begin, end in _stretches(
        sql.fetch(
            "SELECT learner_profile_id, door, at, joined FROM people_contact"
            " WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[])"
            " ORDER BY at, joined, fact_id",
            [organization_id, arrays.uuids(list(profile_ids))],
        )
    ):
        contacts[profile_id].append(ContactStay(Door(door), begin, end))
    return contacts


def load_courses(organization_id: uuid.UUID, course_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, CourseFacts]:
    """Each course's releases, shares (lesson shares too) and certificate editions."""
    parameters = [organization_id, list(course_ids)]
    releases: dict[uuid.UUID, list[Release]] = defaultdict(list)
    for course_id, *release in sql.fetch(
        "SELECT course_id, course_release_id, version, published_at, withdrawn_at, retake FROM courses_release"
        " WHERE organization_id = (SELECT %s::uuid) AND course_id = ANY(%s)",
        parameters,
    ):
        releases[course_id].append(Release(*release))
    editions: dict[uuid.UUID, list[CertificateEdition]] = defaultdict(list)
    for course_id, at, title, kind, valid_months, renew_days_before in sql.fetch(
        "SELECT course_id, at, title, kind, valid_months, renew_days_before FROM courses_certificateedition"
        " WHERE organization_id = (SELECT %s::uuid) AND course_id = ANY(%s) ORDER BY at, fact_id",
        parameters,
    ):
        editions[course_id].append(
            CertificateEdition(
                at, title or "", None if kind is None else CertificateKind(kind), valid_months, renew_days_before
            )
        )
    shares: dict[uuid.UUID, list[Share]] = defaultdict(list)
    steps: dict[tuple[Any, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for course_id, share_id, ended_at, lesson_release_id, *step in sql.fetch(
        "SELECT s.course_id, s.share_id, s.ended_at, s.lesson_release_id, t.at, t.doors, t.audience, t.team_ids,"
        " t.learner_profile_ids, t.requirement, t.deadline_basis, t.due_at, t.days"
        " FROM shares_share s JOIN shares_sharestep t USING (organization_id, share_id)"
        " WHERE s.organization_id = (SELECT %s::uuid) AND s.course_id = ANY(%s) "
        " ORDER BY s.share_id, t.at, t.id <> min(t.id) OVER (PARTITION BY s.share_id), t.fact_id",
        parameters,
    ):
        steps[course_id, share_id, ended_at, lesson_release_id].append(tuple(step))
    for (course_id, share_id, ended_at, lesson_release_id), own in steps.items():
        shares[course_id].append(Share(share_id, tuple(_whole(own)), ended_at, lesson_release_id))
    return {
        course_id: CourseFacts(
            course_id,
            tuple(releases.get(course_id, ())),
            tuple(shares.get(course_id, ())),
            tuple(editions.get(course_id, ())),
        )
        for course_id in course_ids
    }


class _Doing:
    """The lists of one pair while they are loaded."""

    __slots__ = ("attendances", "changes", "completions", "corrections", "revocations")

    def __init__(self) -> None:
        self.completions: list[Completion] = []
        self.changes: list[ObligationChange] = []
        self.attendances: dict[tuple[Any, ...], list[AttendanceMark]] = {}
        self.revocations: list[CertificateRevocation] = []
        self.corrections: list[CertificateCorrection] = []


def load_doings(organization_id: uuid.UUID, pairs: Sequence[Pair]) -> dict[int, DoingFacts]:
    """What each learner did in each course, by the pair's place in `pairs`; pairs without anything are missing."""
    learners = arrays.uuids([pair[0] for pair in pairs])
    courses = arrays.uuids([pair[1] for pair in pairs])
    doings: dict[int, _Doing] = defaultdict(_Doing)

    def rows(columns: str, table: str, more: str = "") -> list[tuple[Any, ...]]:
        # Places, not pairs: twenty thousand pairs of UUIDs take longer to make and to hash than their rows to read.
        return sql.fetch(
            f"SELECT w.place - 1, {columns}"  # noqa: S608
            " FROM unnest(%s::uuid[], %s::uuid[]) WITH ORDINALITY AS w (learner_profile_id, course_id, place)"
            f" JOIN {table} f ON f.organization_id = (SELECT %s::uuid) AND f.learner_profile_id = w.learner_profile_id"
            f" AND f.course_id = w.course_id {more}",
            [learners, courses, organization_id],
        )

    for place, *values in rows(
        "f.completion_receipt_id, f.at, f.course_release_id, f.lesson_release_id, f.assessed, f.voided_at, f.voided_by",
        "training_completion",
    ):
        doings[place].completions.append(Completion._make(values))
    for place, change_id, at, change, reason_code, due_at, actor_id in rows(
        "f.obligation_change_id, f.at, f.change, f.reason_code, f.due_at, f.actor_id", "training_obligationchange"
    ):
        doings[place].changes.append(
            ObligationChange(
                change_id,
                at,
                ObligationChangeKind(change),
                None if reason_code is None else WaiverReasonCode(reason_code),
                due_at,
                actor_id,
            )
        )
    for place, *session, at, attended, marked_by in rows(
        "s.live_session_id, s.course_release_id, s.format, s.starts_at, s.ends_at, s.minutes, s.trainer_profile_id,"
        " f.at, f.attended, f.marked_by",
        "training_attendancemark",
        "JOIN training_livesession s ON s.organization_id = f.organization_id AND s.live_session_id = f.live_session_id"
        " ORDER BY f.at, f.fact_id",
    ):
        doings[place].attendances.setdefault(tuple(session), []).append(
            AttendanceMark(at, Attendance(attended), MarkedBy(marked_by))
        )
    for place, *values in rows("f.certificate_id, f.at, f.actor_id", "certificates_certificaterevocation"):
        doings[place].revocations.append(CertificateRevocation._make(values))
    for place, *values in rows(
        "f.certificate_id, f.supersedes_id, f.at, f.actor_id", "certificates_certificatecorrection"
    ):
        doings[place].corrections.append(CertificateCorrection._make(values))
    return {place: _doing_facts(doing) for place, doing in doings.items()}


def _doing_facts(doing: _Doing) -> DoingFacts:
    return DoingFacts(
        tuple(doing.completions),
        tuple(doing.changes),
        tuple(
            [
                SessionAttendance(
                    session_id, release_id, LiveSessionFormat(form), starts_at, ends_at, minutes, trainer, tuple(marks)
                )
                for (session_id, release_id, form, starts_at, ends_at, minutes, trainer), marks in (
                    doing.attendances.items()
                )
            ]
        ),
        tuple(doing.revocations),
        tuple(doing.corrections),
    )


def _whole(steps: Iterable[tuple[Any, ...]]) -> Iterator[ShareStep]:
    """Folds steps, in their order, into whole ones: what a step does not say stays as it was."""
    standing: ShareStep | None = None
    for at, doors, audience, team_ids, learner_profile_ids, requirement, basis, due_at, days in steps:
        if standing is None:
            standing = ShareStep(at, frozenset(), Requirement.REQUIRED)
        said: dict[str, Any] = {"at": at}
        if doors is not None:
            said["doors"] = frozenset(_DOORS[door] for door in doors)
        if requirement is not None:
            said["requirement"] = Requirement(requirement)
        if audience is not None:
            said["everyone"] = audience == "everyone"
            said["team_ids"] = frozenset(team_ids or ())
            said["learner_profile_ids"] = frozenset(learner_profile_ids or ())
        if basis is not None:
            said["deadline"] = Deadline(DueBasis(basis), due_at, days)
        standing = standing._replace(**said)
        yield standing


def _stretches(
    events: Iterable[tuple[Any, ...]],
) -> Iterator[tuple[tuple[uuid.UUID, Any], datetime, datetime | None]]:
    """Turns events (profile, what, at, joined), in the order of `at`, into stretches [begin, end) of each pair."""
    open_since: dict[tuple[uuid.UUID, Any], datetime] = {}
    for profile_id, what, at, joined in events:
        key = (profile_id, what)
        if joined:
            open_since.setdefault(key, at)
        elif key in open_since:
            yield key, open_since.pop(key), at
    for key, begin in open_since.items():
        yield key, begin, None


# Expanding wide subjects -----------------------------------------------------------------------------------------
