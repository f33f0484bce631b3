"""Derives the rows that a register must list from the texts in force: the records, and the value of each field.

There is one declaration per register. A field of a row is in the stored text, is in the envelope of its version,
follows from both at the pack's moment by the rules of the service, or is joined at read. No digest covers joined
fields, so they are named here and compared with nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import NamedTuple, cast

from compliance.rules.owed_learning.outcome import certificate_status, outcome_at
from compliance.rules.people.status import access_state_at, invitation_status_at
from compliance.rules.policies.state import state_at

from .errors import PackMalformed
from .history import HIDDEN_MEMBERS
from .instants import is_hashed_instant
from .pack_history import Period, Version
from .pack_json import parse_line

_VERSIONED = ("sequence", "valid_from", "recorded_at", "cause", "logic_version")
_TENANT = ("deployment_id", "organization_id", "learning_space_id")

Fields = Mapping[str, object]


class Role(Enum):
    """The role of a register's rows in the counts and comparisons across registers."""

    OWED = "what is owed at the end"
    OWED_IN_PERIOD = "what was owed in the period"
    PERSON = "a person or an invitation"
    CERTIFICATE = "a certificate"
    COURSE = "a course version"
    POLICY = "a policy version"
    SIGNATURE = "a signature that is owed"
    RECEIPT = "a receipt"


class Frame(NamedTuple):
    """A version in force within the period, with its parsed text. `until`: when the next one takes effect, or None.

    `fields` is None for an absence.
    """

    version: Version
    until: str | None
    fields: dict[str, object] | None
    hidden: dict[str, str]


class Listed(NamedTuple):
    """A record that a register lists: its version, the fields of the stored text, its hidden members, and the moment
    at which it is read."""

    version: Version
    fields: dict[str, object]
    hidden: dict[str, str]
    moment: str


class Reading(NamedTuple):
    """One way of reading a register: the file, the records it lists, and where the fields of a row come from."""

    role: Role
    file: str
    register: str
    identity: str
    """The field that names the record."""
    lists: Callable[[Sequence[Frame], Period], Listed | None]
    derived: Callable[[Listed], dict[str, object]]
    joined: frozenset[str] = frozenset()
    tenant: bool = True
    versioned: bool = False


def row_of(reading: Reading, listed: Listed, tenant: Fields) -> dict[str, object]:
    """The values of all fields of a listed row that are not joined. Raises PackMalformed."""
    row: dict[str, object] = dict(tenant) if reading.tenant else {}
    if reading.versioned:
        row.update((name, getattr(listed.version, name)) for name in _VERSIONED)
    row.update(listed.fields)
    row.update(reading.derived(listed))
    return row


def content_of(register: str, version: Version) -> tuple[dict[str, object], dict[str, str]]:
    """The fields of a stored text, and its hidden members. Raises PackMalformed for a text that no register stores.

    In rows written before hidden members existed, one word follows the JSON on a line of its own: `state` of a
    certificate, `state_before_end` of a training record.
    """
    written, separator, word = cast("str", version.content).partition("\n")
    fields: dict[str, object] = parse_line(version.place, written.encode())
    hidden: dict[str, str] = {}
    for name in HIDDEN_MEMBERS:
        if name in fields:
            value = fields.pop(name)
            hidden[name] = "" if value is None else _word(version, value)
    if separator:
        beside = {"certificates": "state", "training-records": "state_before_end"}.get(register)
        if beside is None or beside in hidden:
            raise PackMalformed(version.place, "A line follows the JSON of the content.")
        hidden[beside] = word
    taken = [name for name in (*_TENANT, *_VERSIONED) if name in fields]
    if taken:
        raise PackMalformed(version.place, f"The content holds {', '.join(taken)}, which its head says.")
    return fields, hidden


def frame_of(register: str, version: Version, until: str | None) -> Frame:
    """A version in force with its parsed text. Raises PackMalformed."""
    if not version.content:
        return Frame(version, until, None, {})
    # The text is held once, as what it was parsed into.
    return Frame(version._replace(content=None), until, *content_of(register, version))


def _at_end(lists: Callable[[Version, Fields, Period], bool]) -> Callable[[Sequence[Frame], Period], Listed | None]:
    """Reads a register as at the end of the period: the version in force then, if `lists` is true for it."""

    def listed(frames: Sequence[Frame], period: Period) -> Listed | None:
        if not frames:
            return None
        version, _, fields, hidden = frames[-1]
        if fields is None or not lists(version, fields, period):
            return None
        return Listed(version, fields, hidden, period.end)

    return listed


def _over_period(frames: Sequence[Frame], period: Period) -> Listed | None:
    """A record that is listed at some moment of the period, in its last version with a content; else None.

    Its outcome is that at the end of the period or, if that is earlier, when the record ended or vanished.
    """
    found: Listed | None = None
    listed = False
    for version, until, fields, hidden in frames:
        if fields is None:
            continue
        begins, ends = _instant(version, fields, "assigned_at"), _instant_or_none(version, fields, "ended_at")
        if begins > period.end:
            continue
        listed = listed or (
            (until is None or begins < until) and (ends is None or ends > max(version.valid_from, begins, period.start))
        )
        moments = [each for each in (period.end, ends, until) if each is not None]
        found = Listed(version, fields, hidden, min(moments))
    return found if listed else None


def _applies(version: Version, fields: Fields, period: Period) -> bool:
    ends = _instant_or_none(version, fields, "ended_at")
    return _instant(version, fields, "assigned_at") <= period.end and (ends is None or ends > period.end)


def _outcome(listed: Listed) -> dict[str, object]:
    version, fields = listed.version, listed.fields
    outcome, days_late = outcome_at(
        datetime.fromisoformat(listed.moment),
        requirement_before_end=listed.hidden.get("state_before_end", _word(version, fields.get("requirement"))),
        assigned_at=datetime.fromisoformat(_instant(version, fields, "assigned_at")),
        due_at=_moment(version, fields, "due_at"),
        completed_at=_moment(version, fields, "completed_at"),
        ended_at=_moment(version, fields, "ended_at"),
        waived_at=_moment(version, fields, "waived_at"),
    )
    return {"outcome": outcome.value, "days_late": days_late}


def file_of(role: Role) -> str:
    """The file of the rows of a role."""
    return next(each.file for readings in READINGS.values() for each in readings if each.role is role)


def is_open(fields: Fields) -> bool:
    """Whether a training record in force counts as owed: required, neither completed nor waived."""
    return fields.get("requirement") == "required" and fields.get("completed_at") is fields.get("waived_at") is None


def _existed(frames: Sequence[Frame], period: Period) -> Listed | None:
    """An employee or an invitation that existed at some moment of the period, as at its end; else None.

    An invitation that nobody has accepted ended when it expired, or was revoked or erased, whichever came first. Only
    the version in force at the start of the period shows whether it was revoked or erased by then.
    """
    listed = _at_end(_begun_and_not_left)(frames, period)
    if listed is None or listed.fields.get("joined_at") is not None:
        return listed
    expires = _instant_or_none(listed.version, listed.fields, "invitation_expires_at")
    first = frames[0]
    ended = (
        first.version.valid_from <= period.start
        and first.fields is not None
        and first.fields.get("access_state") in ("ended", "erased")
    )
    return None if ended or (expires is not None and expires <= period.start) else listed


def _begun_and_not_left(version: Version, fields: Fields, period: Period) -> bool:
    employee = fields.get("entry_type") == "employee"
    begins = _instant_or_none(version, fields, "joined_at" if employee else "invited_at")
    ends = _instant_or_none(version, fields, "left_at")
    return begins is not None and begins <= period.end and (ends is None or ends > period.start)


def _access(listed: Listed) -> dict[str, object]:
    version, fields = listed.version, listed.fields
    state, expires = fields.get("invitation_state"), _moment(version, fields, "invitation_expires_at")
    invitation = None if state is None else _word(version, state)
    moment = datetime.fromisoformat(listed.moment)
    try:
        status = invitation_status_at(invitation, expires, moment)
        access = access_state_at(_word(version, fields.get("access_state")), invitation, expires, moment)
    except ValueError as fault:
        raise PackMalformed(version.place, "The content holds a state that there is not.") from fault
    return {"invitation_status": None if status is None else status.value, "access_state": access.value}


def _status(listed: Listed) -> dict[str, object]:
    version = listed.version
    if "state" not in listed.hidden:
        raise PackMalformed(version.place, "The content of a certificate does not say its state.")
    until, moment = _moment(version, listed.fields, "valid_until"), datetime.fromisoformat(listed.moment)
    try:
        return {"status": certificate_status(listed.hidden["state"], until, moment).value}
    except ValueError as fault:
        raise PackMalformed(version.place, "The content holds a state that there is not.") from fault


def _state(listed: Listed) -> dict[str, object]:
    version, fields = listed.version, listed.fields
    receipt = fields.get("receipt_id")
    receipt_id = None if receipt is None else _word(version, receipt)
    due_at = _moment(version, fields, "due_at")
    return {"state": state_at(receipt_id, due_at, datetime.fromisoformat(listed.moment)).value}


def _begun(name: str) -> Callable[[Version, Fields, Period], bool]:
    return lambda version, fields, period: _instant(version, fields, name) <= period.end


def _nothing(_: Listed) -> dict[str, object]:
    return {}


_TRAINING = Reading(
    Role.OWED,
    "training-records",
    "training-records",
    "record_id",
    _at_end(_applies),
    _outcome,
    frozenset({"person_name", "work_email", "reminders_sent"}),
    versioned=True,
)

READINGS: dict[str, tuple[Reading, ...]] = {
    "training-records": (
        _TRAINING,
        _TRAINING._replace(role=Role.OWED_IN_PERIOD, file="training-records-period", lists=_over_period),
    ),
    "people": (
        Reading(
            Role.PERSON,
            "people",
            "people",
            "person_id",
            _existed,
            _access,
            frozenset({"person_name", "work_email", "records_owed", "records_completed", "no_required_records"}),
            versioned=True,
        ),
    ),
    "certificates": (
        Reading(
            Role.CERTIFICATE,
            "certificates",
            "certificates",
            "certificate_id",
            _at_end(_begun("issued_at")),
            _status,
            frozenset({"person_name", "check_code", "trainer_name"}),
        ),
    ),
    # `pack` checks separately whether a training record names the version.
    "courses": (
        Reading(
            Role.COURSE,
            "courses",
            "courses",
            "row_id",
            _at_end(lambda version, fields, period: True),
            _nothing,
            frozenset({"course_title"}),
            tenant=False,
        ),
    ),
    "policies": (
        Reading(Role.POLICY, "policies", "policies", "course_release_id", _at_end(_begun("published_at")), _nothing),
    ),
    "policy-records": (
        Reading(
            Role.SIGNATURE,
            "policy-records",
            "policy-records",
            "record_id",
            _at_end(lambda version, fields, period: True),
            _state,
            frozenset({"person_name", "account_email", "company"}),
        ),
    ),
    "acknowledgements": (
        Reading(
            Role.RECEIPT,
            "acknowledgements",
            "acknowledgements",
            "receipt_id",
            _at_end(_begun("signed_at")),
            _nothing,
            frozenset({"person_name", "account_email", "signer_company"}),
        ),
    ),
}
"""The readings of each register, by its name in the row digest."""

REGISTERS = tuple(READINGS)
FILES = tuple(reading.file for readings in READINGS.values() for reading in readings)


def _word(version: Version, value: object) -> str:
    if not isinstance(value, str):
        raise PackMalformed(version.place, "The content of this version lacks a word that its register needs.")
    return value


def _instant_or_none(version: Version, fields: Fields, name: str) -> str | None:
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not is_hashed_instant(value):
        raise PackMalformed(version.place, f"{name} in the content is no instant in the form that is hashed.")
    return value


def _instant(version: Version, fields: Fields, name: str) -> str:
    value = _instant_or_none(version, fields, name)
    if value is None:
        raise PackMalformed(version.place, f"The content does not say {name}.")
    return value


def _moment(version: Version, fields: Fields, name: str) -> datetime | None:
    value = _instant_or_none(version, fields, name)
    return None if value is None else datetime.fromisoformat(value)


def _not_proved() -> str:
    counted = {"records_owed", "records_completed", "no_required_records", "person_name", "work_email"}
    joined = {name for readings in READINGS.values() for each in readings for name in each.joined} - counted
    return f"summary.pdf, titles of lessons, {', '.join(sorted(joined))}, and names that the history commits to nowhere"


NOT_PROVED = _not_proved()
"""A sentence on what no digest of the history covers; only the signed list of files does."""
