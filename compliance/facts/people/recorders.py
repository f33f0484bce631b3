"""Recorders of invitations, employees and contacts. Teams and erasure have files of their own.

Who may do what when (resuming the active, overlapping employments) is validated in validating.py, once all of these
are checked and before any is written.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from compliance.facts.ledger.models import SubjectKind
from compliance.facts.lines.kinds import (
    ContactJoined,
    ContactLeft,
    EmployeeJoined,
    EmployeeLeft,
    EmployeeResumed,
    EmployeeSuspended,
    InvitationRevoked,
    PersonChanged,
    PersonInvited,
)
from compliance.facts.people import resolving
from compliance.facts.people.models import Contact, Employment, Invitation, PersonalDetail, PersonRoles, Suspension
from compliance.facts.people.teams import keep_memberships, refuse_unknown_named_teams
from compliance.facts.recording.batch import Batch
from compliance.facts.refusal_reasons import RefusalReason
from compliance.facts.rows import append, keep, update
from compliance.tenancy import arrays, cluster, sql

DETAILS = ("person_name", "account_email", "work_email")
Details = tuple[str | None, str | None, str | None]
"""What a fact states of each of `DETAILS`."""


def record_person_invited(batch: Batch[PersonInvited]) -> None:
    """Records that invitations went out."""
    resolving.once_in(batch, Invitation, "invitation_id")
    refuse_unknown_named_teams(batch)
    lines = batch.accepted_lines()
    keep(
        Invitation,
        batch.organization_id,
        lines,
        invited_at=[line.at for line in lines],
        team_ids=[line.team_ids or () for line in lines],
    )
    batch.subjects_of(SubjectKind.INVITATION, (line.invitation_id for line in lines))


def record_invitation_revoked(batch: Batch[InvitationRevoked]) -> Iterator[None]:
    """Records that invitations were taken back; the earliest revocation that is possible counts."""
    found = resolving.invitations(batch.organization_id, (staged.line.invitation_id for staged in batch.lines))
    for staged in batch.lines:
        invitation = found.get(staged.line.invitation_id)
        if invitation is None:
            batch.refuse(staged, RefusalReason.UNRESOLVED, "invitation_id: the company knows no such invitation.")
        elif invitation.revoked_at is not None:
            batch.refuse(staged, RefusalReason.RULE, "The invitation was revoked already.")
    for line in batch.accepted_lines():
        batch.unwritten["revoked"].setdefault(line.invitation_id, []).append(line)
    yield
    lines = batch.accepted_lines()
    update(
        "people_invitation",
        batch.organization_id,
        {"invitation_id": "uuid", "at": "timestamptz"},
        "revoked_at = x.at",
        "t.invitation_id = x.invitation_id",
        [(line.invitation_id, line.at) for line in lines],
    )
    batch.subjects_of(SubjectKind.INVITATION, (line.invitation_id for line in lines))


def record_employee_joined(batch: Batch[EmployeeJoined]) -> Iterator[None]:
    """Records employments.

    An accepted invitation gives its address, its name if the line has none, and its teams if the line has no
    `team_ids`; with an empty list no teams are taken.
    """
    organization_id = batch.organization_id
    resolving.once_in(batch, Employment, "person_id", batch.unwritten["employment"])
    refuse_unknown_named_teams(batch)
    invitations = resolving.invitations(
        organization_id, (line.invitation_id for line in batch.accepted_lines() if line.invitation_id is not None)
    )
    accepted = set(batch.unwritten["accepted"])
    for staged in batch.accepted():
        invitation_id = staged.line.invitation_id
        if invitation_id is None:
            continue
        if invitation_id not in invitations:
            batch.refuse(staged, RefusalReason.UNRESOLVED, "invitation_id: the company knows no such invitation.")
        elif invitations[invitation_id].person_id is not None or invitation_id in accepted:
            batch.refuse(staged, RefusalReason.RULE, "invitation_id: the invitation was accepted by another stay.")
        else:
            accepted.add(invitation_id)
    details = {
        line.fact_id: _details(line, invitations.get(line.invitation_id) if line.invitation_id else None)
        for line in batch.accepted_lines()
    }
    made = _make_profiles(batch, details)
    teams: dict[uuid.UUID, Sequence[uuid.UUID]] = {}
    for line in batch.accepted_lines():
        stay = resolving.Stay(line.learner_profile_id, line.at, None, line.invitation_id, False)
        batch.unwritten["employment"][line.person_id] = stay
        teams[line.fact_id] = line.team_ids or ()
        if line.invitation_id is not None:
            batch.unwritten["accepted"][line.invitation_id] = stay
            if line.team_ids is None:
                teams[line.fact_id] = invitations[line.invitation_id].team_ids
    batch.unwritten["teams"].update(teams)
    yield
    lines = batch.accepted_lines()
    keep(Employment, organization_id, lines, joined_at=[line.at for line in lines])
    keep_memberships(organization_id, [(line, team_id) for line in lines for team_id in teams[line.fact_id]])
    _keep_roles(organization_id, lines)
    _keep_details(batch, lines, made, details)
    batch.subjects_of(SubjectKind.EVERYTHING_OF_PERSON, (line.learner_profile_id for line in lines))
    batch.subjects_of(SubjectKind.INVITATION, (line.invitation_id for line in lines if line.invitation_id is not None))


def record_employee_left(batch: Batch[EmployeeLeft]) -> Iterator[None]:
    """Records that employments ended; the earliest end that is possible counts."""
    found = _refuse_unknown_stays(batch)
    for staged in batch.accepted():
        stay = found[staged.line.person_id]
        if stay.left_at is not None:
            batch.refuse(staged, RefusalReason.RULE, "The employee has left already.")
        elif staged.line.at < stay.joined_at:
            batch.refuse(staged, RefusalReason.RULE, "The employee had not joined at that moment.")
    yield
    lines = batch.accepted_lines()
    update(
        "people_employment",
        batch.organization_id,
        {"person_id": "uuid", "at": "timestamptz"},
        "left_at = x.at",
        "t.person_id = x.person_id",
        [(line.person_id, line.at) for line in lines],
    )
    batch.subjects_of(SubjectKind.EVERYTHING_OF_PERSON, (found[line.person_id].learner_profile_id for line in lines))


def record_employee_suspended(batch: Batch[EmployeeSuspended]) -> Iterator[None]:
    """Records that employees were suspended."""
    return _record_suspensions(batch, True)


def record_employee_resumed(batch: Batch[EmployeeResumed]) -> Iterator[None]:
    """Records that suspended employees came in again."""
    return _record_suspensions(batch, False)


def record_contact_joined(batch: Batch[ContactJoined]) -> Iterator[None]:
    """Records that partners' and customers' people came."""
    details = {line.fact_id: _details(line) for line in batch.accepted_lines()}
    made = _make_profiles(batch, details)
    yield
    lines = batch.accepted_lines()
    _keep_details(batch, lines, made, details)
    _keep_contacts(batch, lines, True)


def record_contact_left(batch: Batch[ContactLeft]) -> Iterator[None]:
    """Records that partners' and customers' people went."""
    resolving.living_profiles(batch, resolving.VALIDATED)
    yield
    _keep_contacts(batch, batch.accepted_lines(), False)


def record_person_changed(batch: Batch[PersonChanged]) -> None:
    """Records names, addresses and roles; the profile has the latest of each detail.

    No row of the history holds roles, and nobody owes anything because of them, so a change of roles alone is not
    captured.
    """
    # The lock makes other writers wait, so that the latest details are read with what they have written.
    resolving.living_profiles(batch, resolving.VALIDATED)
    _keep_roles(batch.organization_id, batch.accepted_lines())
    lines = [line for line in batch.accepted_lines() if line.details]
    profile_ids = {line.learner_profile_id for line in lines}
    keep(PersonalDetail, batch.organization_id, lines)
    batch.unwritten["changed"].update(dict.fromkeys(profile_ids))
    _show_latest_details(batch.organization_id, profile_ids)
    batch.subjects_of(SubjectKind.PERSON, profile_ids)
    batch.subjects_of(SubjectKind.INVITATION, resolving.accepted_invitations(batch.organization_id, profile_ids))


def _details(line: EmployeeJoined | ContactJoined, invitation: resolving.StoredInvitation | None = None) -> Details:
    if invitation is None:
        return line.person_name, line.account_email, None
    return line.person_name or invitation.person_name, line.account_email, invitation.work_email


class _Made(NamedTuple):
    """The result of making profiles: those known before, how many were new, and how many of these were written here."""

    known: Mapping[uuid.UUID, bool]
    new: int
    written: Callable[[], int]


def _make_profiles(batch: Batch[Any], details: Mapping[uuid.UUID, Details]) -> _Made:
    """Refuses lines about erased people and makes the profiles that are new. `details`: by fact_id.

    A profile stays even if the line that named it first is refused later; it then has none of that line's details
    (`_keep_details`). Because it is made here, other transactions that record facts about the same new person wait
    until these facts are written. A profile that another transaction made before, without a name, gets these details.
    """
    wanted = {staged.line.learner_profile_id for staged in batch.accepted()}
    known = resolving.profiles(batch.organization_id, wanted, resolving.VALIDATED)
    for staged in batch.accepted():
        if known.get(staged.line.learner_profile_id):
            batch.refuse(staged, RefusalReason.ERASED, resolving.ERASED)
    new: dict[uuid.UUID, Details] = {}
    for line in batch.accepted_lines():
        if line.learner_profile_id not in known:
            new.setdefault(line.learner_profile_id, details[line.fact_id])
    # On a cluster only a statement that returns rows counts those that it wrote.
    written = append(
        "people_profile",
        batch.organization_id,
        {"learner_profile_id": "uuid"} | dict.fromkeys(DETAILS, "text"),
        [(profile_id, *stated) for profile_id, stated in new.items()],
        ending=f"{_UNLESS_NAMED} {cluster.ANSWER}",
    )
    return _Made(known, len(new), written)


_THOSE_STATED = ", ".join(f"{name} = EXCLUDED.{name}" for name in DETAILS)
_NO_NAMES = f"coalesce({', '.join(f'people_profile.{name}' for name in DETAILS)}) IS NULL"
_UNLESS_NAMED = (
    f"ON CONFLICT (organization_id, learner_profile_id) DO UPDATE SET {_THOSE_STATED}"
    f" WHERE people_profile.erased_at IS NULL AND {_NO_NAMES}"
)


def _keep_details(batch: Batch[Any], lines: Sequence[Any], made: _Made, details: Mapping[uuid.UUID, Details]) -> None:
    """Keeps names and addresses of those who came, and updates the profiles that were not made with the latest ones.

    A profile is updated if it was known before, if several facts state its details, or if the line with which it was
    made was refused. If another transaction made one of the profiles, with a name, at the same time, all are updated.
    """
    stating = [line for line in lines if any(each is not None for each in details[line.fact_id])]
    columns = zip(*(details[line.fact_id] for line in stating), strict=True)
    stated = dict(zip(DETAILS, map(list, columns), strict=bool(stating)))
    keep(PersonalDetail, batch.organization_id, stating, **stated)
    times = Counter(line.learner_profile_id for line in lines)
    several = {profile_id for profile_id, count in times.items() if count > 1}
    several |= times.keys() & (made.known.keys() | batch.unwritten["changed"].keys())
    if made.written() < made.new:
        several |= times.keys()
    refused = (each.staged.line for each in batch.refused.values())
    made_with = {line.learner_profile_id for line in refused if line.fact_id in details} - made.known.keys()
    _show_latest_details(batch.organization_id, several | made_with)


def _keep_roles(organization_id: uuid.UUID, lines: Sequence[EmployeeJoined] | Sequence[PersonChanged]) -> None:
    """Keeps the roles of the lines that state them; an empty list states that the person has none."""
    keep(PersonRoles, organization_id, [line for line in lines if line.role_ids is not None])


def _show_latest_details(organization_id: uuid.UUID, profile_ids: set[uuid.UUID]) -> None:
    """Gives those profiles the latest of each detail; at the same moment, that of the greater fact_id."""
    if profile_ids:
        sql.execute(_SHOW_LATEST, (arrays.uuids(list(profile_ids)), organization_id, organization_id))


_LATEST = ", ".join(
    f"(array_agg({name} ORDER BY at DESC, fact_id DESC) FILTER (WHERE {name} IS NOT NULL))[1] AS {name}"
    for name in DETAILS
)
# Starts from the array of people, whose length the planner knows. Of a company that is not in its statistics yet, it
# expects a single row, and would compare each person with each detail (13 s for 5,000 people).
_SHOW_LATEST = (
    "UPDATE people_profile AS t SET person_name = d.person_name, account_email = d.account_email,"  # noqa: S608
    " work_email = d.work_email FROM unnest(%s::uuid[]) AS x(learner_profile_id)"
    f" CROSS JOIN LATERAL (SELECT {_LATEST} FROM people_personaldetail o WHERE o.organization_id = (SELECT %s::uuid)"
    " AND o.learner_profile_id = x.learner_profile_id) AS d"
    " WHERE t.organization_id = (SELECT %s::uuid) AND t.learner_profile_id = x.learner_profile_id"
    " AND t.erased_at IS NULL"
)


def _record_suspensions(batch: Batch[Any], suspended: bool) -> Iterator[None]:
    found = _refuse_unknown_stays(batch)
    yield
    lines = batch.accepted_lines()
    keep(Suspension, batch.organization_id, lines, suspended=suspended)
    stays = [found[line.person_id] for line in lines]
    batch.subjects_of(SubjectKind.PERSON, (stay.learner_profile_id for stay in stays))
    # The row of the invitation that led to an employment shows the employee's state.
    batch.subjects_of(SubjectKind.INVITATION, (stay.invitation_id for stay in stays if stay.invitation_id is not None))


def _keep_contacts(batch: Batch[Any], lines: Sequence[Any], joined: bool) -> None:
    keep(Contact, batch.organization_id, lines, joined=joined)
    batch.subjects_of(SubjectKind.EVERYTHING_OF_PERSON, (line.learner_profile_id for line in lines))


def _refuse_unknown_stays(batch: Batch[Any]) -> dict[uuid.UUID, resolving.Stay]:
    """Refuses lines whose person_id names no employment; adds the employments to `unwritten` and returns them."""
    wanted = {staged.line.person_id for staged in batch.lines}
    unwritten = batch.unwritten["employment"]
    found = resolving.stays(batch.organization_id, wanted - unwritten.keys())
    found |= {person_id: unwritten[person_id] for person_id in wanted & unwritten.keys()}
    for staged in batch.lines:
        stay = found.get(staged.line.person_id)
        if stay is None:
            batch.refuse(staged, RefusalReason.UNRESOLVED, "person_id: the company knows no such employee.")
        elif stay.erased:
            batch.refuse(staged, RefusalReason.ERASED, resolving.ERASED)
        else:
            batch.refuse_after_erasure(staged, stay.learner_profile_id)
    unwritten.update(found)
    return found
