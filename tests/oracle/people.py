"""A plain implementation of docs/rules.md#people: the rows of the register of people.

    people(recorded, start, moment, now) -> who was there between `start` and `moment`, as at `moment`

Only facts that hold by the moment count, except for names and addresses, which are always the current ones.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

from compliance.facts.lines import kinds
from compliance.facts.lines.kinds import FactLine
from tests.oracle.learning import counts
from tests.oracle.recorded import Recorded, Row
from tests.oracle.status import erased_at, status

Entry = kinds.EmployeeJoined | kinds.PersonInvited
NEVER = datetime.min.replace(tzinfo=UTC)


def people(recorded: Recorded, start: datetime, moment: datetime, now: datetime) -> list[Row]:
    """The rows of those who were there between `start` and `moment`, as at `moment`. Facts are captured until `now`."""
    known = min(moment, now)
    entries: list[Entry] = [*recorded.of(kinds.EmployeeJoined, known), *recorded.of(kinds.PersonInvited, known)]
    rows = [
        row_at(recorded, line, known, moment)
        | {"valid_from": valid_from(recorded, line, known)}
        | names(recorded, line)
        | records(recorded, line, known)
        for line in entries
    ]
    return [row for row in rows if (end := row.pop("end")) is None or end > start]


def row_at(recorded: Recorded, line: Entry, known: datetime, clock: datetime) -> Row:
    """A row by the facts until `known`, with `clock` as the moment that decides whether an invitation has expired."""
    if isinstance(line, kinds.EmployeeJoined):
        return _employee(recorded, line, known)
    return _invitation(recorded, line, known, clock)


def valid_from(recorded: Recorded, line: Entry, known: datetime) -> datetime:
    """The moment from which the facts give this row. What the clock alone changes is not counted.

    The history may give a later moment: that of a version which a late fact has corrected.
    """
    changes = recorded.once(("changes", line), lambda: list(_changes(recorded, line)))
    return max(moment for moment in changes if moment <= known)


def _changes(recorded: Recorded, line: Entry) -> Iterator[datetime]:
    before: Row | None = None
    for moment in sorted({each.at for each in recorded.facts if line.at <= each.at}):
        row = row_at(recorded, line, moment, NEVER)
        if row != before:
            yield moment
        before = row


def _employee(recorded: Recorded, line: kinds.EmployeeJoined, known: datetime) -> Row:
    learner = line.learner_profile_id
    present, erased = status(recorded, learner, known), erased_at(recorded, learner)
    ends = [each.at for each in recorded.of(kinds.EmployeeLeft, known, person_id=line.person_id)]
    ends += [max(erased, line.at)] if erased is not None and erased <= known else []
    access = "staff_practice" if line.staff_practice else "active"
    access = "erased" if present.erased else "ended" if ends else "suspended" if present.suspended else access
    return {
        "person_id": line.person_id,
        "learner_profile_id": learner,
        "invitation_id": None,
        "entry_type": "employee",
        "invited_at": None,
        "joined_at": line.at,
        "left_at": min(ends, default=None),
        "invitation_expires_at": None,
        "invitation_state": None,
        "invitation_status": None,
        "access_state": access,
        "team_ids": sorted(present.teams),
        "doors": sorted({"employee", *present.companies}),
        "end": min(ends, default=None),
    }


def _invitation(recorded: Recorded, line: kinds.PersonInvited, known: datetime, clock: datetime) -> Row:
    stay = taken_by(recorded, line)
    erased = (
        erased_at(recorded, stay.learner_profile_id) if stay else recorded.invitations_erased.get(line.invitation_id)
    )
    erased = erased if erased is not None and erased <= known else None
    stay = stay if stay and stay.at <= known else None
    revoked = next(
        (each.at for each in recorded.of(kinds.InvitationRevoked, known, invitation_id=line.invitation_id)), None
    )
    state = "accepted" if stay else "revoked" if revoked else "pending"
    expired = state == "pending" and line.expires_at is not None and line.expires_at <= clock
    ends = [erased, revoked, line.expires_at if line.expires_at is not None and line.expires_at <= clock else None]
    row: Row = {
        "learner_profile_id": None,
        "joined_at": None,
        "left_at": None,
        "access_state": "erased" if erased else "ended" if revoked or expired else "invited",
        "team_ids": sorted(line.team_ids or ()),
        "doors": ["employee"],
        "end": min((end for end in ends if end is not None), default=None),
    }
    if stay is not None:
        became = _employee(recorded, stay, known)
        row = {name: became[name] for name in row}
    return row | {
        "person_id": line.invitation_id,
        "invitation_id": line.invitation_id,
        "entry_type": "invitation",
        "invited_at": line.at,
        "invitation_expires_at": line.expires_at,
        "invitation_state": state,
        "invitation_status": "expired" if expired else state,
    }


def names(recorded: Recorded, line: Entry) -> Row:
    """The current name and work address of a row's person. An invitation keeps the address that it was sent to."""
    if isinstance(line, kinds.PersonInvited):
        stay, address = taken_by(recorded, line), {"work_email": line.work_email}
        if stay is None and line.invitation_id in recorded.invitations_erased:
            return {"person_name": "Erased person", "work_email": None}
        if stay is None:
            return {"person_name": line.person_name} | address
        return names(recorded, stay) | (address if erased_at(recorded, stay.learner_profile_id) is None else {})
    learner = line.learner_profile_id
    if erased_at(recorded, learner) is not None:
        return {"person_name": "Erased person", "work_email": None}
    return {name: detail(recorded, learner, name) for name in ("person_name", "work_email")}


def taken_by(recorded: Recorded, line: kinds.PersonInvited) -> kinds.EmployeeJoined | None:
    """The stay that began by an invitation, as known now."""
    return next(iter(recorded.of(kinds.EmployeeJoined, invitation_id=line.invitation_id)), None)


def invitations_of(recorded: Recorded, learner: UUID) -> set[UUID]:
    """The invitations sent to a person that nobody accepted, by the addresses that are known of the person now."""
    addresses = {
        address.lower()
        for line in recorded.facts
        if getattr(line, "learner_profile_id", None) == learner
        for address in _addresses(recorded, line)
        if address is not None
    }
    return {
        each.invitation_id
        for each in recorded.of(kinds.PersonInvited)
        if each.work_email.lower() in addresses and taken_by(recorded, each) is None
    }


def _addresses(recorded: Recorded, line: FactLine) -> tuple[str | None, ...]:
    work_email = getattr(line, "work_email", None)
    if isinstance(line, kinds.EmployeeJoined) and line.invitation_id is not None:
        work_email = recorded.of(kinds.PersonInvited, invitation_id=line.invitation_id)[0].work_email
    return work_email, getattr(line, "account_email", None)


def detail(recorded: Recorded, learner: UUID, name: str) -> str | None:
    """The latest name or address of a person, now. A joining takes what it does not state from its invitation."""
    found = None
    for line in recorded.facts:
        if getattr(line, "learner_profile_id", None) == learner:
            value = getattr(line, name, None)
            if value is None and isinstance(line, kinds.EmployeeJoined) and line.invitation_id is not None:
                value = getattr(recorded.of(kinds.PersonInvited, invitation_id=line.invitation_id)[0], name, None)
            found = value or found
    return found


def records(recorded: Recorded, line: Entry, known: datetime) -> Row:
    """How many training records a row counts: none but those of an employee whose access has not ended."""
    owed, completed = 0, 0
    if isinstance(line, kinds.EmployeeJoined) and _employee(recorded, line, known)["end"] is None:
        owed, completed = counts(recorded, line.learner_profile_id, known)
    return {"records_owed": owed, "records_completed": completed, "no_required_records": owed == 0}
