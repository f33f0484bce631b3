"""Reads of the history for other rooms: its heads, captures and records."""

import uuid
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from django.db.models import Count

from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.courses import queries as courses
from compliance.facts.ledger import claiming
from compliance.facts.people import queries as people
from compliance.facts.training import queries as training
from compliance.history.errors import NoHistoryError
from compliance.history.models import Capture, HistoryHead, HistoryRecord
from compliance.rules.vocabulary import LOGIC
from compliance.tenancy import nodes, sql


class Head(NamedTuple):
    """The end of a company's history. A read pins it before it reads rows."""

    sequence: int
    capture_sequence: int
    chain_hash: str
    captured_at: datetime
    logic_version: int
    available: bool
    unavailable_reason: str


def head(organization_id: uuid.UUID) -> Head:
    """The company's head. Raises NoHistoryError."""
    found = HistoryHead.objects.filter(organization_id=organization_id).values_list(*Head._fields).first()
    if found is None:
        raise NoHistoryError(f"Organization {organization_id} has no history.")
    return Head._make(found)


PINNED = "h.sequence, h.capture_sequence, h.chain_hash, h.captured_at, h.logic_version, h.available"
"""Columns of a head `h` that a request pins."""
HEAD_ALONE = f"SELECT {PINNED} FROM history_historyhead h WHERE h.organization_id = %s::uuid"  # noqa: S608 - ours


def joined_head(alias: str) -> str:
    """SQL that joins the head `h` of the company of `alias`.organization_id."""
    return f"JOIN history_historyhead h ON h.organization_id = {alias}.organization_id"


def capture_row(organization_id: uuid.UUID, capture_sequence: int) -> Capture | None:
    """One capture, within the company's context."""
    return Capture.objects.filter(organization_id=organization_id, capture_sequence=capture_sequence).first()


_HEADS = f"FROM history_historyhead h WHERE {nodes.of('h.organization_id')}"
_FIRST_MOMENT, _LAST_MOMENT = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


def _in_calendar(column: str) -> str:
    """SQL of a moment, moved to the calendar's nearest end where the driver finds no date for it.

    No capture writes such a moment, and one that somebody wrote by hand must not stop a read of all companies.
    """
    return f"CASE WHEN {column} IS NOT NULL THEN greatest(least({column}, '{_LAST_MOMENT}'), '{_FIRST_MOMENT}') END"


def _moments_in_calendar(fields: Iterable[str]) -> str:
    """SQL of these columns of a head `h`, its moments within the calendar."""
    moments = ("captured_at", "next_change_at")
    return ", ".join(_in_calendar(f"h.{name}") if name in moments else f"h.{name}" for name in fields)


def companies() -> list[uuid.UUID]:
    """All companies that have a history; on a cluster, those whose node answers."""
    found = nodes.fetch(f"SELECT h.organization_id {_HEADS}")
    return sorted(organization_id for (organization_id,) in found)


def heads_of(organization_ids: Collection[uuid.UUID], away: set[uuid.UUID]) -> dict[uuid.UUID, Head]:
    """The heads of those of these companies that have a history, in one statement (on a cluster, one per node).

    Companies whose node does not answer are added to `away`.
    """
    rows = nodes.fetch(
        f"SELECT h.organization_id, {_moments_in_calendar(Head._fields)} {_HEADS}",
        only=organization_ids,
        away=away,
    )
    return {organization_id: Head(*found) for organization_id, *found in rows}


class CaptureEnd(NamedTuple):
    """The newest capture of a company, whether readers may read it, and when the clock changes it next."""

    capture_sequence: int
    chain_hash: str
    available: bool
    captured_at: datetime
    next_change_at: datetime | None

    @property
    def is_dated(self) -> bool:
        """Whether the stored moments have a date; one that has none is given as the calendar's first or last moment."""
        return {self.captured_at, self.next_change_at}.isdisjoint((_FIRST_MOMENT, _LAST_MOMENT))


def capture_ends(away: set[uuid.UUID] | None = None) -> dict[uuid.UUID, CaptureEnd]:
    """The newest capture of each company, in one statement per node.

    Companies whose node does not answer are added to `away`, if that is given: nothing is known about them.
    """
    found = nodes.fetch(f"SELECT h.organization_id, {_moments_in_calendar(CaptureEnd._fields)} {_HEADS}", away=away)
    return {organization_id: CaptureEnd(*end) for organization_id, *end in found}


def captured_beyond(known: Mapping[uuid.UUID, int], away: set[uuid.UUID] | None = None) -> dict[uuid.UUID, int]:
    """The newest capture of each company that has one after the number given for it.

    One statement (on a cluster, one per node). Companies whose node does not answer are added to `away`, if given.
    """
    found = nodes.fetch(
        "SELECT h.organization_id, h.capture_sequence FROM unnest(%(known)s::uuid[], %(captures)s::bigint[])"  # noqa: S608 - a condition of our own
        " AS w (organization_id, known) JOIN history_historyhead h ON h.organization_id = w.organization_id"
        f" WHERE h.capture_sequence > w.known AND {nodes.of('h.organization_id')}",
        {"known": list(known), "captures": list(known.values())},
        only=known.keys(),
        away=away,
    )
    return dict(found)


def captured_at(captures: Mapping[uuid.UUID, int]) -> dict[uuid.UUID, datetime]:
    """The moment of one capture of each company, given by its number. One statement (on a cluster, one per node)."""
    found = nodes.fetch(
        f"SELECT m.organization_id, {_in_calendar('m.captured_at')}"  # noqa: S608 - an expression of our own
        " FROM moments_of_captures(%(of)s::uuid[], %(captures)s::bigint[], %(companies)s::uuid[]) m",
        {"of": list(captures), "captures": list(captures.values())},
    )
    return dict(found)


def chain_hashes(organization_id: uuid.UUID, after: int, upto: int) -> list[tuple[int, str]]:
    """Number and chain hash of the captures after `after` up to `upto`, in order, in the company's context."""
    found = Capture.objects.filter(
        organization_id=organization_id, capture_sequence__gt=after, capture_sequence__lte=upto
    )
    return list(found.order_by("capture_sequence").values_list("capture_sequence", "chain_hash"))


def companies_with_work(now: datetime) -> list[uuid.UUID]:
    """Companies in which a moment of change has come, or which have pending subjects or were decided by older rules.

    The cost grows with what is due, not with the number of companies: due companies come from the heads' partial
    index, and `pending_work` names, without a company context, the companies with pending rows and nothing else.
    """
    head = f"SELECT h.organization_id {_HEADS}"
    due = nodes.fetch(
        f"{head} AND h.next_change_at <= %(now)s::timestamptz UNION ALL {head} AND h.logic_version < %(logic)s",
        {"now": now, "logic": LOGIC.version},
    )
    waiting = nodes.fetch("SELECT * FROM pending_work(%(now)s::timestamptz, %(companies)s::uuid[])", {"now": now})
    return sorted({organization_id for (organization_id,) in due + waiting})


def is_pending(organization_id: uuid.UUID, now: datetime) -> bool:
    """Whether a capture at `now` would find pending subjects, in the company's context.

    It finds none once a later release has decided the company by a newer logic version.
    """
    if head(organization_id).logic_version > LOGIC.version:
        return False
    return any(claiming.waiting(organization_id, now, wide=wide, most=1) for wide in (False, True))


class NamedRecord(NamedTuple):
    """A record of a register, with today's names of its person and its course (None where it has none)."""

    record_id: uuid.UUID
    birth: int
    learner_profile_id: uuid.UUID | None
    course_id: uuid.UUID | None
    person_name: str | None
    email: str | None
    course_title: str | None


_NAMED_RECORDS = (
    f"SELECT r.record_id, r.birth, r.learner_profile_id, r.course_id, {people.DISPLAYED_NAME},"  # noqa: S608 - expressions of our own
    " coalesce(p.work_email, p.account_email), c.title"
    f" FROM history_historyrecord r {people.joined('r')} {courses.joined('r')}"
    " WHERE r.organization_id = (SELECT %s::uuid) AND r.register = %s"
)


def named_records(
    organization_id: uuid.UUID, register: int, record_ids: Collection[uuid.UUID]
) -> dict[uuid.UUID, NamedRecord]:
    """The records that the register holds of those named, by `record_id`, in the company's context."""
    rows = sql.fetch(f"{_NAMED_RECORDS} AND r.record_id = ANY(%s)", [organization_id, register, list(record_ids)])
    return {row[0]: NamedRecord(*row) for row in rows}


def records_of(
    organization_id: uuid.UUID, register: int, learners: Collection[uuid.UUID], most: int
) -> list[NamedRecord]:
    """The first `most` records of the people in the register, newest first, in the company's context."""
    rows = sql.fetch(
        f"{_NAMED_RECORDS} AND r.learner_profile_id = ANY(%s::uuid[]) ORDER BY r.birth DESC LIMIT %s",
        [organization_id, register, list(learners), most],
    )
    return [NamedRecord(*row) for row in rows]


class Subject(NamedTuple):
    """A record of any register, and the person that it belongs to."""

    record_id: uuid.UUID
    register: int
    birth: int
    learner_profile_id: uuid.UUID | None


def subjects_of(organization_id: uuid.UUID, record_ids: Collection[uuid.UUID]) -> list[Subject]:
    """The records that the company holds of those named, of any register. One statement, in the company's context."""
    found = sql.fetch(
        "SELECT record_id, register, birth, learner_profile_id FROM history_historyrecord"
        " WHERE organization_id = (SELECT %s::uuid) AND record_id = ANY(%s) ORDER BY register, birth",
        [organization_id, list(record_ids)],
    )
    return [Subject(*row) for row in found]


def courses_of(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> list[uuid.UUID]:
    """The courses for which the person has a training record, in the company's context."""
    found = HistoryRecord.objects.filter(
        organization_id=organization_id,
        learner_profile_id=learner_profile_id,
        register=TRAINING_RECORDS.number,
    )
    return [each for each in found.values_list("course_id", flat=True).distinct() if each is not None]


def learners_named(organization_id: uuid.UUID, identifiers: Collection[uuid.UUID]) -> list[uuid.UUID]:
    """The people whose profile, employment, invitation or record has one of the identifiers.

    One statement, in the company's context; each part of it uses an index.
    """
    rows = sql.fetch(
        f"""{people.NAMED} UNION {training.NAMED}
        UNION SELECT learner_profile_id FROM history_historyrecord
          WHERE organization_id = %(organization)s AND record_id = ANY(%(ids)s) AND learner_profile_id IS NOT NULL""",  # noqa: S608
        {"organization": organization_id, "ids": list(identifiers)},
    )
    return [row[0] for row in rows]


class Pinned(NamedTuple):
    """A capture that a read is pinned to, and the newest capture and sequence of the history."""

    last_sequence: int
    capture_sequence: int
    chain_hash: str
    captured_at: datetime
    logic_version: int
    newest_capture: int
    newest_sequence: int


HEAD_SEQUENCE = "(SELECT sequence FROM history_historyhead WHERE organization_id = %(organization)s)"
"""SQL of the last sequence of a company's history; null before it begins."""


def pinned(organization_id: uuid.UUID, known: int | None) -> Pinned:
    """The capture of the number `known`, or the newest if `known` is None or greater. Raises NoHistoryError."""
    rows = sql.fetch(
        "SELECT c.last_sequence, c.capture_sequence, c.chain_hash, c.captured_at, c.logic_version, h.capture_sequence,"
        " h.sequence FROM history_historyhead h JOIN history_capture c ON c.organization_id = h.organization_id"
        " AND c.capture_sequence = least(h.capture_sequence, coalesce(%s::bigint, h.capture_sequence))"
        " WHERE h.organization_id = %s",
        [known, organization_id],
    )
    if not rows:
        raise NoHistoryError("Nothing has been captured for this company yet, or not under this number.")
    return Pinned(*rows[0])


def sequence(organization_id: uuid.UUID) -> int:
    """How many row versions the history has; 0 before it begins."""
    found = HistoryHead.objects.filter(organization_id=organization_id)
    return found.values_list("sequence", flat=True).first() or 0


def sequences() -> dict[uuid.UUID, int]:
    """How many row versions the history of each company has."""
    return dict(nodes.fetch(f"SELECT h.organization_id, h.sequence {_HEADS}"))


def records_by_register(organization_id: uuid.UUID, upto: int | None = None) -> dict[int, int]:
    """How many records each register ever held; with `upto`, only those that began up to that sequence."""
    found = HistoryRecord.objects.filter(organization_id=organization_id)
    if upto is not None:
        found = found.filter(birth__lte=upto)
    return dict(found.values_list("register").annotate(Count("birth")))
