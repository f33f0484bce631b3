"""Recorders of teams, invitations, employees and contacts (design 3). Erasure has a file of its own: erasing.py.

Who may do what when (resuming the active, overlapping stays) is judged in judging.py, once all these are in.
"""

import uuid
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from compliance.facts.lines import (
    ContactJoined,
    ContactLeft,
    EmployeeJoined,
    EmployeeLeft,
    EmployeeResumed,
    EmployeeSuspended,
    InvitationRevoked,
    PersonChanged,
    PersonInvited,
    TeamCreated,
    TeamJoined,
    TeamLeft,
    TeamRenamed,
)
from compliance.facts.pending.models import SubjectKind
from compliance.facts.people import resolving
from compliance.facts.recording.batch import Batch, Why
from compliance.facts.recording.rows import append, lookup, update
from compliance.tenancy import sql


def record_team_created(batch: Batch[TeamCreated]) -> None:
    """Teams come into being."""
    resolving.once(batch, "team_id", lambda line: line.team_id, lambda ids: resolving.teams(batch.organization_id, ids))
    append(
        "people_team",
        batch.organization_id,
        {"team_id": "uuid", "created_at": "timestamptz", "name": "text", "name_at": "timestamptz"},
        [(line.team_id, line.at, line.name, line.at) for _, line, _ in batch.standing()],
    )
    batch.subjects_of(SubjectKind.TEAM, (line.team_id for _, line, _ in batch.standing()))


def record_team_renamed(batch: Batch[TeamRenamed]) -> None:
    """Teams get other names; the latest counts, of the same moment the greater name."""
    _teams_stand(batch)
    latest: dict[uuid.UUID, tuple[datetime, str]] = {}
    for _, line, _ in batch.standing():
        latest[line.team_id] = max(latest.get(line.team_id, (line.at, line.name)), (line.at, line.name))
    update(
        "people_team",
        batch.organization_id,
        {"team_id": "uuid", "at": "timestamptz", "name": "text"},
        "name = x.name, name_at = x.at",
        "t.team_id = x.team_id AND (t.name_at, t.name) < (x.at, x.name)",
        [(team_id, at, name) for team_id, (at, name) in latest.items()],
    )
    batch.subjects_of(SubjectKind.TEAM, latest)


def record_person_invited(batch: Batch[PersonInvited]) -> None:
    """Invitations go out."""
    resolving.once(
        batch,
        "invitation_id",
        lambda line: line.invitation_id,
        lambda ids: resolving.invitations(batch.organization_id, ids),
    )
    _named_teams_stand(batch)
    standing = batch.standing()
    append(
        "people_invitation",
        batch.organization_id,
        {
            "invitation_id": "uuid",
            "invited_at": "timestamptz",
            "expires_at": "timestamptz",
            "work_email": "text",
            "person_name": "text",
            "team_ids": "uuid[]",
        },
        [
            (line.invitation_id, line.at, line.expires_at, line.work_email, line.person_name, line.team_ids or ())
            for _, line, _ in standing
        ],
    )
    batch.subjects_of(SubjectKind.INVITATION, (line.invitation_id for _, line, _ in standing))


def record_invitation_revoked(batch: Batch[InvitationRevoked]) -> None:
    """Invitations are taken back; the earliest revocation counts."""
    found = resolving.invitations(batch.organization_id, (line.invitation_id for _, line, _ in batch.lines))
    for staged in batch.lines:
        invitation = found.get(staged.line.invitation_id)
        if invitation is None:
            batch.refuse(staged, Why.UNRESOLVED, "invitation_id: the company knows no such invitation.")
        elif invitation.revoked_at is not None:
            batch.refuse(staged, Why.RULE, "The invitation was revoked already.")
    first = resolving.earliest_per(batch, lambda line: line.invitation_id, "The invitation was revoked already.")
    update(
        "people_invitation",
        batch.organization_id,
        {"invitation_id": "uuid", "at": "timestamptz"},
        "revoked_at = x.at",
        "t.invitation_id = x.invitation_id",
        [(invitation_id, staged.line.at) for invitation_id, staged in first.items()],
    )
    batch.subjects_of(SubjectKind.INVITATION, first)


def record_employee_joined(batch: Batch[EmployeeJoined]) -> None:
    """People become employees; an invitation that they accept gives its address and, where none is told, its name."""
    organization_id = batch.organization_id
    resolving.once(
        batch,
        "person_id",
        lambda line: line.person_id,
        lambda ids: lookup(
            "SELECT person_id, true FROM people_employment WHERE organization_id = %s AND person_id = ANY(%s)",
            organization_id,
            ids,
        ),
    )
    _named_teams_stand(batch)
    invitations = resolving.invitations(
        organization_id, (line.invitation_id for _, line, _ in batch.standing() if line.invitation_id is not None)
    )
    accepted: set[uuid.UUID] = set()
    for staged in batch.standing():
        invitation_id = staged.line.invitation_id
        if invitation_id is None:
            continue
        if invitation_id not in invitations:
            batch.refuse(staged, Why.UNRESOLVED, "invitation_id: the company knows no such invitation.")
        elif invitations[invitation_id].person_id is not None or invitation_id in accepted:
            batch.refuse(staged, Why.RULE, "invitation_id: the invitation was accepted by another stay.")
        else:
            accepted.add(invitation_id)
    details = []
    for staged in batch.standing():
        line = staged.line
        name, address = line.person_name, None
        if line.invitation_id is not None:
            invitation = invitations[line.invitation_id]
            name, address = name or invitation.person_name, invitation.work_email
        details.append(_Detail(line.fact_id, line.learner_profile_id, line.at, name, line.account_email, address))
    _make_profiles(batch, details)
    standing = batch.standing()
    append(
        "people_employment",
        organization_id,
        {
            "person_id": "uuid",
            "learner_profile_id": "uuid",
            "invitation_id": "uuid",
            "joined_at": "timestamptz",
            "staff_practice": "boolean",
        },
        [
            (line.person_id, line.learner_profile_id, line.invitation_id, line.at, line.staff_practice)
            for _, line, _ in standing
        ],
    )
    append_memberships(
        organization_id,
        [
            (line.fact_id, team_id, line.learner_profile_id, line.at, True)
            for _, line, _ in standing
            for team_id in line.team_ids or ()
        ],
    )
    batch.subjects_of(SubjectKind.EVERYTHING_OF_PERSON, (line.learner_profile_id for _, line, _ in standing))
    batch.subjects_of(
        SubjectKind.INVITATION,
        (line.invitation_id for _, line, _ in standing if line.invitation_id is not None),
    )


def record_employee_left(batch: Batch[EmployeeLeft]) -> None:
    """Stays end; the earliest end counts."""
    found = _stays_stand(batch)
    for staged in batch.standing():
        stay = found[staged.line.person_id]
        if stay.left_at is not None:
            batch.refuse(staged, Why.RULE, "The employee has left already.")
        elif staged.line.at < stay.joined_at:
            batch.refuse(staged, Why.RULE, "The employee had not joined at that moment.")
    first = resolving.earliest_per(batch, lambda line: line.person_id, "The employee has left already.")
    update(
        "people_employment",
        batch.organization_id,
        {"person_id": "uuid", "at": "timestamptz"},
        "left_at = x.at",
        "t.person_id = x.person_id",
        [(person_id, staged.line.at) for person_id, staged in first.items()],
    )
    batch.subjects_of(SubjectKind.EVERYTHING_OF_PERSON, (found[each].learner_profile_id for each in first))


def record_employee_suspended(batch: Batch[EmployeeSuspended]) -> None:
    """Employees are suspended."""
    _record_suspensions(batch, True)


def record_employee_resumed(batch: Batch[EmployeeResumed]) -> None:
    """Suspended employees come in again."""
    _record_suspensions(batch, False)


def record_contact_joined(batch: Batch[ContactJoined]) -> None:
    """Partners' and customers' people come."""
    _make_profiles(
        batch,
        [
            _Detail(line.fact_id, line.learner_profile_id, line.at, line.person_name, line.account_email, None)
            for _, line, _ in batch.lines
        ],
    )
    _append_contacts(batch, [(*_contact(line), True, line.company) for _, line, _ in batch.standing()])


def record_contact_left(batch: Batch[ContactLeft]) -> None:
    """Partners' and customers' people go."""
    resolving.living_profiles(batch, resolving.JUDGED)
    _append_contacts(batch, [(*_contact(line), False, None) for _, line, _ in batch.standing()])


def record_person_changed(batch: Batch[PersonChanged]) -> None:
    """Names and addresses change; the profile shows what is latest."""
    resolving.living_profiles(batch)
    details = [
        _Detail(line.fact_id, line.learner_profile_id, line.at, line.person_name, line.account_email, line.work_email)
        for _, line, _ in batch.standing()
    ]
    _append_details(batch.organization_id, details)
    show_latest_details(batch.organization_id, {detail.learner_profile_id for detail in details})
    batch.subjects_of(SubjectKind.PERSON, (detail.learner_profile_id for detail in details))


def record_team_joined(batch: Batch[TeamJoined]) -> None:
    """People come into teams."""
    _record_memberships(batch, True)


def record_team_left(batch: Batch[TeamLeft]) -> None:
    """People go out of teams."""
    _record_memberships(batch, False)


class _Detail(NamedTuple):
    fact_id: uuid.UUID
    learner_profile_id: uuid.UUID
    at: datetime
    person_name: str | None
    account_email: str | None
    work_email: str | None

    def says_something(self) -> bool:
        return self.person_name is not None or self.account_email is not None or self.work_email is not None


def _make_profiles(batch: Batch[Any], details: Sequence[_Detail]) -> None:
    """Refuses the erased, makes the profiles that are new, and keeps what was told of names and addresses."""
    organization_id = batch.organization_id
    known = resolving.profiles(organization_id, {detail.learner_profile_id for detail in details}, resolving.JUDGED)
    for staged in batch.standing():
        if known.get(staged.line.learner_profile_id):
            batch.refuse(staged, Why.ERASED, resolving.ERASED)
    if batch.refused:
        standing = {line.fact_id for _, line, _ in batch.standing()}
        details = [detail for detail in details if detail.fact_id in standing]
    times = Counter(detail.learner_profile_id for detail in details)
    new = {detail.learner_profile_id: detail for detail in details if detail.learner_profile_id not in known}
    append(
        "people_profile",
        organization_id,
        {"learner_profile_id": "uuid", "person_name": "text", "account_email": "text", "work_email": "text"},
        [
            (profile_id, detail.person_name, detail.account_email, detail.work_email)
            if times[profile_id] == 1
            else (profile_id, None, None, None)
            for profile_id, detail in new.items()
        ],
        ending="ON CONFLICT (organization_id, learner_profile_id) DO NOTHING",
    )
    _append_details(organization_id, [detail for detail in details if detail.says_something()])
    show_latest_details(
        organization_id, {profile_id for profile_id, count in times.items() if count > 1 or profile_id in known}
    )


def _append_details(organization_id: uuid.UUID, details: Sequence[_Detail]) -> None:
    append(
        "people_personaldetail",
        organization_id,
        {
            "fact_id": "uuid",
            "learner_profile_id": "uuid",
            "at": "timestamptz",
            "person_name": "text",
            "account_email": "text",
            "work_email": "text",
        },
        details,
    )


def show_latest_details(organization_id: uuid.UUID, profile_ids: set[uuid.UUID]) -> None:
    """Makes those profiles show the latest of each detail, of the same moment the one of the greater fact_id."""
    if not profile_ids:
        return
    sql.execute(_SHOW_LATEST, (organization_id, list(profile_ids), organization_id))


_LATEST = ", ".join(
    f"(array_agg({name} ORDER BY at DESC, fact_id DESC) FILTER (WHERE {name} IS NOT NULL))[1] AS {name}"
    for name in ("person_name", "account_email", "work_email")
)
_SHOW_LATEST = (
    "UPDATE people_profile AS t SET person_name = d.person_name, account_email = d.account_email,"  # noqa: S608
    f" work_email = d.work_email FROM (SELECT learner_profile_id, {_LATEST} FROM people_personaldetail"
    " WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s) GROUP BY learner_profile_id) AS d"
    " WHERE t.organization_id = %s AND t.learner_profile_id = d.learner_profile_id AND t.erased_at IS NULL"
)


def append_memberships(organization_id: uuid.UUID, rows: Sequence[tuple[Any, ...]]) -> None:
    """Writes events of joining and leaving teams: (fact_id, team_id, learner_profile_id, at, joined)."""
    append(
        "people_teammembership",
        organization_id,
        {"fact_id": "uuid", "team_id": "uuid", "learner_profile_id": "uuid", "at": "timestamptz", "joined": "boolean"},
        rows,
    )


def _record_memberships(batch: Batch[Any], joined: bool) -> None:
    _teams_stand(batch)
    resolving.living_profiles(batch, resolving.JUDGED)
    standing = batch.standing()
    append_memberships(
        batch.organization_id,
        [(line.fact_id, line.team_id, line.learner_profile_id, line.at, joined) for _, line, _ in standing],
    )
    batch.subjects_of(SubjectKind.EVERYTHING_OF_PERSON, {line.learner_profile_id for _, line, _ in standing})


def _record_suspensions(batch: Batch[Any], suspended: bool) -> None:
    found = _stays_stand(batch)
    standing = batch.standing()
    append(
        "people_suspension",
        batch.organization_id,
        {"fact_id": "uuid", "person_id": "uuid", "at": "timestamptz", "suspended": "boolean"},
        [(line.fact_id, line.person_id, line.at, suspended) for _, line, _ in standing],
    )
    stays = [found[line.person_id] for _, line, _ in standing]
    batch.subjects_of(SubjectKind.PERSON, (stay.learner_profile_id for stay in stays))
    # The row of the invitation that led to a stay shows the employee's state.
    batch.subjects_of(SubjectKind.INVITATION, (stay.invitation_id for stay in stays if stay.invitation_id is not None))


def _contact(line: ContactJoined | ContactLeft) -> tuple[Any, ...]:
    return line.fact_id, line.learner_profile_id, line.door, line.at


def _append_contacts(batch: Batch[Any], rows: Sequence[tuple[Any, ...]]) -> None:
    append(
        "people_contact",
        batch.organization_id,
        {
            "fact_id": "uuid",
            "learner_profile_id": "uuid",
            "door": "text",
            "at": "timestamptz",
            "joined": "boolean",
            "company": "text",
        },
        rows,
    )
    batch.subjects_of(SubjectKind.EVERYTHING_OF_PERSON, (row[1] for row in rows))


def _stays_stand(batch: Batch[Any]) -> dict[uuid.UUID, resolving.Stay]:
    found = resolving.stays(batch.organization_id, (line.person_id for _, line, _ in batch.lines))
    for staged in batch.lines:
        stay = found.get(staged.line.person_id)
        if stay is None:
            batch.refuse(staged, Why.UNRESOLVED, "person_id: the company knows no such employee.")
        elif stay.erased:
            batch.refuse(staged, Why.ERASED, resolving.ERASED)
    return found


def _teams_stand(batch: Batch[Any]) -> None:
    resolving.all_standing(
        batch, "team_id", lambda line: (line.team_id,), lambda ids: resolving.teams(batch.organization_id, ids)
    )


def _named_teams_stand(batch: Batch[Any]) -> None:
    resolving.all_standing(
        batch, "team_ids", lambda line: line.team_ids, lambda ids: resolving.teams(batch.organization_id, ids)
    )
