"""Reads pinned pages of a register as JSON text, one statement each.

A record is listed in the version in force at (T, S): the greatest `valid_from <= T`, then the greatest
`sequence <= S`. Pages go by record number (`birth`), so records that begin after the pin come after the last page, and
a page costs the same at any depth. The company is in a sub-select because the planner assumes that a constant company
which is not in its statistics yet has no rows. Nothing here makes a model instance or parses JSON: stored bodies are
spliced with what is joined at read and what the clock decides.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

from compliance.catalogue.declaration import Register
from compliance.facts.people import queries as people
from compliance.history import in_force
from compliance.history.records import CHAIN_HASH
from compliance.registers import splicing
from compliance.registers.errors import OtherHistoryError, RecordTooLargeError
from compliance.registers.questions import Position, Question
from compliance.registers.splicing import Rows
from compliance.rules.limits import MAXIMUM_PAGE_BYTES, MAXIMUM_ROW_BYTES
from compliance.tenancy import arrays, reading

MAXIMUM_ROWS = 200
CANDIDATES = 4000
"""How many records one statement reads; a short page is better than a long scan."""

SCANS = 5
"""How many statements a page may take to find its first row."""

Parameters = dict[str, Any]
Record = tuple[Any, ...]


class Filter(NamedTuple):
    """A part of a register that can be asked for: its name, and a further condition that a version must meet.

    `tally` names the kind of dashboard tally that counts these rows, then its buckets; without buckets, all of them.
    """

    name: str
    condition: str
    tally: tuple[str, ...] = ()


class Listing(NamedTuple):
    """How one register is read.

    `version`: finds the version `v` of a record `r`, by default the one in force; it may add the columns `more`.
    `columns`: further columns of `v` that `joined` needs (", v.door"). `condition`: which versions are listed.
    `wanted`: columns of `r` (record), `v` (version) and of the lateral reads `joined`. `settles`: after the latest
    moment in the rows, `condition` no longer depends on the moment. `raw`: columns come in PostgreSQL's own form
    (`tenancy.reading`). `present`: turns the records of a page, which may still be arriving (`tenancy.arriving`), into
    JSON texts, with at most two more statements. `filters`: parts of the register that the console offers, by the word
    for each in its addresses.

    `personal` and `basis` are for the feed (`registers.changes`, whose columns they get). For each version they return
    text that follows its stored fields: personal members, each with a comma before it, and the object of the
    declaration's class `basis`.
    """

    register: Register
    condition: str
    wanted: str
    present: Callable[[Question, Sequence[Record]], Rows]
    joined: str = ""
    by_publication: bool = False
    settles: bool = False
    raw: bool = False
    version: Callable[[str], str] = in_force.version
    more: str = ""
    columns: str = ""
    filters: Mapping[str, Filter] = MappingProxyType({})
    personal: Callable[[Question, Sequence[Record]], list[str]] | None = None
    basis: Callable[[Question, Sequence[Record]], list[str]] | None = None

    def filtered(self, word: str) -> "Listing":
        """The listing with the condition of one of its filters; the listing itself where it has no such filter."""
        if word not in self.filters:
            return self
        return self._replace(condition=f"({self.condition}) AND ({self.filters[word].condition})")


class RegisterPage(NamedTuple):
    """Rows as JSON text; `position` is where the next page begins, None after the last."""

    rows: Rows
    position: Position | None

    @property
    def held(self) -> int:
        """How many rows there are."""
        return len(self.rows.fronts)

    @property
    def content(self) -> bytes:
        """The rows, separated by commas."""
        return splicing.joined(self.rows)


_COLUMNS = (
    "v.sequence, v.valid_from, v.recorded_at, v.cause, v.logic_version, v.state, v.state_before_end, v.begins_at,"
    " v.due_at, v.done_at, v.waived_at, v.ends_at, v.body"
)
_COLUMNS_COUNTED = "v.state, v.begins_at, v.due_at, v.done_at, v.waived_at, v.ends_at, v.body"
# With `record_id` in the condition the planner expects each record once. Otherwise it would cache versions (Memoize).
_ONCE = "v.birth = r.birth AND r.record_id <> '00000000-0000-0000-0000-000000000000'"
_CANDIDATES = f"""
    SELECT r.birth, r.record_id, r.learner_profile_id, r.course_id FROM {in_force.RECORDS}
      AND r.register = %(register)s AND r.birth <= %(sequence)s{{course}}"""  # noqa: S608
# Whether the history holds the pin's capture. PostgreSQL tests it once a statement; a page of another history is empty.
_HELD = f"({CHAIN_HASH}) = %(chain_hash)s"

_IN_TEAM = people.members("ARRAY[%(team)s]")


def parameters(listing: Listing, question: Question) -> Parameters:
    """The named parameters that every statement over a register takes."""
    return {
        "organization": question.company.organization_id,
        "register": listing.register.number,
        "sequence": question.pin.sequence,
        "capture_sequence": question.pin.capture_sequence,
        "chain_hash": question.pin.chain_hash,
        "moment": question.moment,
        "start": question.start,
        "course": question.course,
        "learner": question.learner,
        "team": question.team,
        "at": question.moment,
        "record_numbers": None if question.record_numbers is None else arrays.bigints(question.record_numbers),
    }


def count(listing: Listing, question: Question) -> int:
    """How many rows the whole pull returns, counted one by one. `totals` keeps such numbers where it can."""
    statement = (
        f"SELECT count(*) FROM ({candidates(question)}) r"  # noqa: S608 - expressions of our own
        f" CROSS JOIN LATERAL {version(listing, _COLUMNS_COUNTED)} v"
        f" WHERE {in_force.PRESENT} AND {listing.condition}"
    )
    ((number,),) = reading.fetch(statement, parameters(listing, question))
    return int(number)


def numbers(listing: Listing, question: Question, words: tuple[str, ...]) -> dict[UUID, dict[str, int]]:
    """How many rows there are under each of these filters, by course or policy. One statement."""
    each = ", ".join(f"count(*) FILTER (WHERE {listing.filters[word].condition})" for word in words)
    statement = (
        f"SELECT r.course_id, {each} FROM ({candidates(question)}) r"  # noqa: S608 - expressions of our own
        f" CROSS JOIN LATERAL {version(listing, _COLUMNS_COUNTED)} v"
        f" WHERE {in_force.PRESENT} AND {listing.condition} GROUP BY r.course_id"
    )
    rows = reading.fetch(statement, parameters(listing, question))
    return {course_id: dict(zip(words, map(int, found), strict=True)) for course_id, *found in rows}


def page(listing: Listing, question: Question, after: Position, limit: int, left: int) -> RegisterPage:
    """The next rows after `after`, at most `limit`, within the size of a page.

    `left` is how many rows the pull has still to return: the page with the last of them has no next position, and what
    follows is not read. Raises RecordTooLargeError, and OtherHistoryError when the history lacks the pin's capture.
    """
    if left <= 0:
        return RegisterPage(Rows([], []), None)
    values = parameters(listing, question) | {"limit": limit, "candidates": CANDIDATES}
    statement = _page_by_publication(listing) if listing.by_publication else _page_by_number(listing, question)
    records: Sequence[Record] = []
    rows = Rows([], [])
    end: Position | None = after
    for _ in range(SCANS):
        assert end is not None
        values |= {"birth": end.birth, "published": end.published}
        records = reading.arriving(statement, values, raw=listing.raw)
        rows = listing.present(question, records)
        if len(records) >= min(limit, left) or (records and listing.by_publication):
            break
        end = _end_of_candidates(question, values)
        if records or end is None or listing.by_publication:
            break
    kept = splicing.within(rows, MAXIMUM_ROW_BYTES)
    count = len(kept.fronts)
    if rows.fronts and not count:
        raise RecordTooLargeError("One row alone is larger than a page may be (3 MiB).")
    if count >= left:
        return RegisterPage(kept, None)
    if count < len(records) or count >= limit or listing.by_publication:
        return RegisterPage(kept, Position(*records[count - 1][:2]) if count else None)
    return RegisterPage(kept, end)


def candidates(question: Question) -> str:
    """The records `r` that a question is about, as SQL."""
    course = " AND r.course_id = %(course)s" if question.course is not None else ""
    learner = " AND r.learner_profile_id = %(learner)s" if question.learner is not None else ""
    team = f" AND r.learner_profile_id IN ({_IN_TEAM})" if question.team is not None else ""
    records = " AND r.birth = ANY(%(record_numbers)s)" if question.record_numbers is not None else ""
    return _CANDIDATES.format(course=course + learner + team + records)


def version(listing: Listing, columns: str) -> str:
    """The lateral read that finds a record's version, with these columns and the listing's own."""
    return listing.version(columns).replace("v.birth = r.birth", _ONCE)


def _page_by_number(listing: Listing, question: Question) -> str:
    """SQL of a page by record number: candidates, the version of each, those that are listed, and what is joined.

    What is joined is looked up for the rows of the page alone, so these are limited first. Without it, PostgreSQL
    passes each row through one step less.
    """
    limited = "ORDER BY r.birth LIMIT %(limit)s"
    inner, outer = (limited, "ORDER BY r.birth") if listing.joined else ("", limited)
    return f"""
SELECT r.birth, 0, {listing.wanted} FROM (
  SELECT r.birth, r.record_id, r.learner_profile_id, r.course_id, {_COLUMNS}{listing.columns}{listing.more} FROM (
    {candidates(question)} AND r.birth > %(birth)s ORDER BY r.birth LIMIT %(candidates)s) r
  CROSS JOIN LATERAL {version(listing, _COLUMNS + listing.columns)} v
  WHERE {_HELD} AND {in_force.PRESENT} AND {listing.condition}
  {inner}) r
{listing.joined} {outer}"""  # noqa: S608 - expressions of our own


def _page_by_publication(listing: Listing) -> str:
    """SQL of a page by publication, oldest first.

    Bodies are fetched only while they fit a page, because a version may have 2 MiB.
    """
    return f"""
SELECT r.birth, r.published, {listing.wanted} FROM (
  SELECT r.*, sum(r.size) OVER (ORDER BY r.published, r.birth) - r.size AS before FROM (
    SELECT r.birth, r.record_id, v.sequence, octet_length(v.body) AS size,
           (extract(epoch FROM v.begins_at) * 1000000)::bigint AS published
    FROM ({_CANDIDATES.format(course="")}) r CROSS JOIN LATERAL {version(listing, _COLUMNS)} v
    WHERE {_HELD} AND {in_force.PRESENT} AND {listing.condition}) r
  WHERE (r.published, r.birth) > (%(published)s, %(birth)s)
  ORDER BY r.published, r.birth LIMIT %(limit)s) r
CROSS JOIN LATERAL (SELECT v.body FROM {in_force.ROWS}
  AND v.register = %(register)s AND v.sequence = r.sequence OFFSET 0) v
{listing.joined} WHERE r.before < {MAXIMUM_PAGE_BYTES} ORDER BY r.published, r.birth"""  # noqa: S608


def _end_of_candidates(question: Question, values: Parameters) -> Position | None:
    """The position of the last candidate of the latest statement; None when there are no candidates after it.

    Raises OtherHistoryError.
    """
    statement = (
        f"SELECT max(birth), count(*), {_HELD} FROM ({candidates(question)} AND r.birth > %(birth)s"  # noqa: S608 - expressions of our own
        " ORDER BY r.birth LIMIT %(candidates)s) r"
    )
    ((last, number, held),) = reading.fetch(statement, values)
    if not held:
        raise OtherHistoryError("The history does not hold the capture to which the page is pinned.")
    return Position(last) if number >= CANDIDATES else None
