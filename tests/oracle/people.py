"""A plain reading of docs/rules.md#people: the rows of the register of people.

    people(told, start, moment, now) -> who was there between `start` and `moment`, as at `moment`

Only facts that hold by the moment count, but for names and addresses, which are always the current ones.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

from compliance.facts.lines import kinds
from tests.oracle.learning import counts
from tests.oracle.standing import erased_at, standing
from tests.oracle.told import Row, Told

Entry = kinds.EmployeeJoined | kinds.PersonInvited
NEVER = datetime.min.replace(tzinfo=UTC)


def people(told: Told, start: datetime, moment: datetime, now: datetime) -> list[Row]:
    """The rows of who was there between `start` and `moment`, as at `moment`. `now`: until when facts are captured."""
    known = min(moment, now)
    entries: list[Entry] = [*told.of(kinds.EmployeeJoined, known), *told.of(kinds.PersonInvited, known)]
    rows = [
        stands_in(told, line, known, moment)
        | {"valid_from": valid_from(told, line, known)}
        | names(told, line)
        | records(told, line, known)
        for line in entries
    ]
    return [row for row in rows if (end := row.pop("end")) is None or end > start]


def stands_in(told: Told, line: Entry, known: datetime, clock: datetime) -> Row:
    """A row as the facts until `known` say it, `clock` being the moment by which an invitation may have expired."""
    if isinstance(line, kinds.EmployeeJoined):
        return _employee(told, line, known)
    return _invitation(told, line, known, clock)


def valid_from(told: Told, line: Entry, known: datetime) -> datetime:
    """Since when the facts say what they say. What the clock alone changes is not counted.

    The history may give a later moment: that of a version which a fact told late has put right.
    """
    changes = told.once(("changes", line), lambda: list(_changes(told, line)))
    return max(moment for moment in changes if moment <= known)


def _changes(told: Told, line: Entry) -> Iterator[datetime]:
    before: Row | None = None
    for moment in sorted({each.at for each in told.facts if line.at <= each.at}):
        said = stands_in(told, line, moment, NEVER)
        if said != before:
            yield moment
        before = said


def _employee(told: Told, line: kinds.EmployeeJoined, known: datetime) -> Row:
    learner = line.learner_profile_id
    stands, erased = standing(told, learner, known), erased_at(told, learner)
    ends = [each.at for each in told.of(kinds.EmployeeLeft, known, person_id=line.person_id)]
    ends += [erased] if erased is not None and erased <= known else []
    access = "staff_practice" if line.staff_practice else "active"
    access = "erased" if stands.erased else "ended" if ends else "suspended" if stands.suspended else access
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
        "team_ids": sorted(stands.teams),
        "doors": sorted({"employee", *stands.companies}),
        "end": min(ends, default=None),
    }


def _invitation(told: Told, line: kinds.PersonInvited, known: datetime, clock: datetime) -> Row:
    stay = taken_by(told, line)
    erased = erased_at(told, stay.learner_profile_id) if stay else None
    erased = erased if erased is not None and erased <= known else None
    stay = stay if stay and stay.at <= known else None
    revoked = next(
        (each.at for each in told.of(kinds.InvitationRevoked, known, invitation_id=line.invitation_id)), None
    )
    state = "accepted" if stay else "revoked" if revoked else "pending"
    expired = state == "pending" and line.expires_at is not None and line.expires_at <= clock
    ends = [erased, revoked, None if revoked else line.expires_at]
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
        became = _employee(told, stay, known)
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


def names(told: Told, line: Entry) -> Row:
    """The current name and work address of whom a row is about. An invitation keeps the address it was sent to."""
    if isinstance(line, kinds.PersonInvited):
        stay, address = taken_by(told, line), {"work_email": line.work_email}
        if stay is None:
            return {"person_name": line.person_name} | address
        return names(told, stay) | (address if erased_at(told, stay.learner_profile_id) is None else {})
    learner = line.learner_profile_id
    if erased_at(told, learner) is not None:
        return {"person_name": "Erased person", "work_email": None}
    return {name: detail(told, learner, name) for name in ("person_name", "work_email")}


def taken_by(told: Told, line: kinds.PersonInvited) -> kinds.EmployeeJoined | None:
    """The stay that began by an invitation, as is known now."""
    return next(iter(told.of(kinds.EmployeeJoined, invitation_id=line.invitation_id)), None)


def detail(told: Told, learner: UUID, name: str) -> str | None:
    """The latest that was said of a person's name or address, now. A joining says what its invitation says."""
    found = None
    for line in told.facts:
        if getattr(line, "learner_profile_id", None) == learner:
            said = getattr(line, name, None)
            if said is None and isinstance(line, kinds.EmployeeJoined) and line.invitation_id is not None:
                said = getattr(told.of(kinds.PersonInvited, invitation_id=line.invitation_id)[0], name, None)
            found = said or found
    return found


def records(told: Told, line: Entry, known: datetime) -> Row:
    """How many training records a row counts: that of an employee whose access has not ended, and no other."""
    owed, completed = 0, 0
    if isinstance(line, kinds.EmployeeJoined) and _employee(told, line, known)["end"] is None:
        owed, completed = counts(told, line.learner_profile_id, known)
    return {"records_owed": owed, "records_completed": completed, "no_required_records": owed == 0}
