"""`/v1/training-records` and `/period`: what each employee owes, and its outcome at a moment.

`/period` lists every record that is listed at some moment between its two moments, in the last version that was in
force between them. A record may have vanished by the end: the renewal of a certificate whose completion was voided. It
is listed in its last version, with its outcome at the moment at which it vanished.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from uuid import UUID

from compliance.catalogue.training import PERIOD, TRAINING_RECORDS
from compliance.facts.people.lookups import PROFILES
from compliance.facts.shares import queries as shares
from compliance.facts.training import queries as training
from compliance.history import in_force, outcomes
from compliance.history.projections import courses
from compliance.registers import splicing
from compliance.registers.pages import Filter, Listing, Record
from compliance.registers.questions import Question
from compliance.registers.splicing import Rows
from compliance.rules.owed_learning.outcome import DAY_IN_MICROSECONDS, outcome_at
from compliance.tenancy import arrays, arriving, reading
from compliance.tenancy.sql import Row

_WANTED = (
    "r.sequence, r.valid_from, r.recorded_at, r.cause, r.logic_version, r.state_before_end, r.begins_at, r.due_at,"
    " r.done_at, r.waived_at, r.ends_at, r.body, r.learner_profile_id"
)
# A page has several records of most people, so people are looked up once, and with them whether they were reminded.
_PEOPLE = f"""
SELECT learner_profile_id, person_name, work_email, erased_at, {training.reminded("p.learner_profile_id")}
FROM {PROFILES} AND p.learner_profile_id = ANY(%(learners)s)"""  # noqa: S608 - names and SQL of our own

_PLAIN = f'{{"{TRAINING_RECORDS.identity}"'
"""How a stored body without hidden members begins, as nearly all do; searching for these costs more than splicing."""


def _present(question: Question, records: Sequence[Record]) -> Rows:
    return _rows(question, records, repeat(arrays.in_microseconds(question.moment)))


def _present_period(question: Question, records: Sequence[Record]) -> Rows:
    """The outcome is that at the end of the period or, if that is earlier, when the record ended or vanished."""
    end = arrays.in_microseconds(question.moment)
    ends = (min(end if each is None else each for each in (end, record[12], record[15])) for record in records)
    return _rows(question, [record[:15] for record in records], ends)


def _rows(question: Question, records: Sequence[Record], moments: Iterable[int]) -> Rows:
    """The rows as text, each with its outcome at its own moment (microseconds)."""
    opening = splicing.opening(question) + '"sequence":'
    instant = splicing.instant
    fronts = []
    learners: set[bytes] = set()
    taken_people: Callable[[], list[Row]] = list
    for portion, last in arriving.portions(records):
        learners.update([record[14] for record in portion])
        if last:
            taken_people = _ask_for_people(question, learners)
        for (
            _, _, sequence, valid_from, recorded_at, cause, logic_version, requirement_before_end, assigned_at, due_at,
            completed_at, waived_at, ended_at, body, _,
        ), moment in zip(portion, moments, strict=False):  # fmt: skip
            outcome, days_late = outcome_at(
                moment,
                requirement_before_end=requirement_before_end,
                assigned_at=assigned_at,
                due_at=due_at,
                completed_at=completed_at,
                ended_at=ended_at,
                waived_at=waived_at,
                one_day=DAY_IN_MICROSECONDS,
            )
            front = (
                f'{opening}{sequence},"valid_from":"{instant(valid_from)}"'
                f',"recorded_at":"{instant(recorded_at)}"'
                f',"cause":"{cause}","logic_version":{logic_version},'
                f'{body[1:-1] if body.startswith(_PLAIN) else splicing.members(body)},"outcome":"{outcome}"'
                f',"days_late":{"null" if days_late is None else days_late},"reminders_sent":'
            )
            fronts.append(front.encode())
    people, reminders = _people(question, taken_people())
    unknown = splicing.ending(question, "work_email", None, None, None).encode()
    sent_to, who_of = reminders.get, people.get
    return Rows(fronts, [sent_to(record[0], b"0") + who_of(record[14], unknown) for record in records])


def _ask_for_people(question: Question, learners: set[bytes]) -> Callable[[], list[Row]]:
    """Starts the look-up of the learners, so that PostgreSQL works while Python writes rows; returns its result."""
    if not learners:
        return list
    values = {"organization": question.company.organization_id, "learners": list(learners)}
    return reading.ask(_PEOPLE, values, raw=True)


def _people(question: Question, found: list[Row]) -> tuple[dict[bytes, bytes], dict[int, bytes]]:
    """The end of the rows of each learner, and the number of reminders of each of their records, by record number."""
    reminders = _reminders_by_number(question, [learner for learner, _, _, _, reminded in found if reminded])
    endings = {learner: splicing.ending(question, "work_email", *personal).encode() for learner, *personal, _ in found}
    return endings, {number: b"%d" % count for number, count in reminders.items()}


_COMPLETED = ("completed_on_time", "completed_late", "completed_before_requirement")
_FILTERS = {
    "overdue": Filter("Overdue", outcomes.OVERDUE, ("outcome", "overdue")),
    "open": Filter("Owed and not done", outcomes.OPEN, ("outcome", "overdue", "not_due_yet")),
    "done": Filter("Completed", outcomes.COMPLETED, ("outcome", *_COMPLETED)),
    "required": Filter("Required", outcomes.REQUIRED, ("required",)),
    "required-done": Filter("Required and completed", f"{outcomes.REQUIRED} AND {outcomes.COMPLETED}", ("done",)),
    "not-due": Filter("Not due yet", outcomes.NOT_DUE_YET, ("outcome", "not_due_yet")),
    "on-time": Filter("Completed on time", outcomes.COMPLETED_ON_TIME, ("outcome", _COMPLETED[0])),
    "late": Filter("Completed late", outcomes.COMPLETED_LATE, ("outcome", _COMPLETED[1])),
    "before": Filter("Completed before it was required", outcomes.COMPLETED_BEFORE, ("outcome", _COMPLETED[2])),
    "waived": Filter("Waived", outcomes.WAIVED, ("outcome", "waived")),
    "optional": Filter("Optional and not done", outcomes.OPTIONAL_UNDONE, ("outcome", "optional_not_done")),
}
# The filters apply to a record that vanished in the period at the moment at which it vanished.
_PERIOD_FILTERS = {
    word: Filter(each.name, each.condition.replace("%(moment)s", "least(%(moment)s, v.vanished_at)"))
    for word, each in _FILTERS.items()
} | {"ended": Filter("Ended", "(v.ends_at <= %(moment)s OR v.vanished_at IS NOT NULL)")}


def _basis(question: Question, versions: Sequence[Record]) -> list[str]:
    """The requirement before the end and, if a lesson was shared alone, its row, found by the share."""
    organization_id = question.company.organization_id
    of_lessons = {version[5] for version in versions} - {None}
    rows = {None: "null"}
    if of_lessons:
        asked = {"organization": organization_id, "shares": list(of_lessons)}
        for share, lesson in reading.fetch(shares.LESSONS, asked, raw=True):
            rows[share] = f'"{courses.lesson_row_id(organization_id, UUID(bytes=lesson))}"'
    return [f'{{"state_before_end":"{version[4]}","lesson_row_id":{rows[version[5]]}}}' for version in versions]


RECORDS = Listing(
    register=TRAINING_RECORDS,
    condition=outcomes.listed(),
    wanted=_WANTED,
    present=_present,
    basis=_basis,
    settles=True,
    raw=True,
    filters=_FILTERS,
)

_IN_FORCE_AT_START = in_force.version("v.valid_from", moment="%(start)s")
# Under row-level security the planner uses no index for a condition with COALESCE, but does for this sub-select.
_SINCE = f"(SELECT coalesce(max(v.valid_from), '-infinity') FROM {_IN_FORCE_AT_START} v)"  # noqa: S608
_IN_FORCE_AT_END = in_force.version("v.*")
_IN_FORCE_BEFORE = in_force.version("v.*", moment="l.valid_from - interval '1 microsecond'")


def _says(version: str) -> str:
    """Whether a version has a content that has begun by the end of the period."""
    return f"{version}.body <> '' AND {version}.begins_at <= %(moment)s"


def _listed(version: str, until: str = "'infinity'") -> str:
    """Whether a version in force until `until`, which is after the start, is listed at some moment of the period."""
    return (
        f"{_says(version)} AND {version}.begins_at < {until} AND ({version}.ends_at IS NULL"
        f" OR {version}.ends_at > greatest({version}.valid_from, {version}.begins_at, %(start)s))"
    )


# The versions before `p` that were in force after the start, newest first; `until` is when the next one took effect.
# Of versions with the same `valid_from` the newest counts; for the others `until` equals `valid_from`.
_EARLIER = f"""(
    SELECT {{wanted}}, lag(v.valid_from, 1, p.valid_from) OVER (ORDER BY v.valid_from DESC, v.sequence DESC) AS until
    FROM {in_force.VERSIONS}
      AND p.valid_from > %(start)s AND v.valid_from < p.valid_from AND v.sequence + 0 <= %(sequence)s
      AND v.valid_from >= {_SINCE})"""  # noqa: S608
_DECIDING = _EARLIER.format(wanted="v.valid_from, v.begins_at, v.ends_at, v.body")
_LISTED_BEFORE = f"""(({_listed("p", "l.valid_from")}) OR EXISTS (
    SELECT FROM {_DECIDING} v WHERE v.until > v.valid_from AND {_listed("v", "v.until")}))"""
# Nearly every record is decided by its version `l` in force at the end, most others by the version `p` before it: what
# ended within the period was listed until then. The result is the last version with a content.
_LAST_LISTED = f"""(
    SELECT v.* FROM {_IN_FORCE_AT_END} l CROSS JOIN LATERAL (
        SELECT {{columns}}, NULL::timestamptz AS vanished_at FROM (SELECT l.*) v
        WHERE {_listed("l")}
        UNION ALL
        SELECT v.* FROM (SELECT p.* FROM {_IN_FORCE_BEFORE} p WHERE l.valid_from > %(start)s) p CROSS JOIN LATERAL (
            SELECT {{columns}}, NULL::timestamptz FROM (SELECT l.*) v WHERE {_says("l")} AND {_LISTED_BEFORE}
            UNION ALL
            SELECT {{columns}}, l.valid_from FROM (SELECT p.*) v
            WHERE NOT ({_says("l")}) AND {_says("p")} AND {_LISTED_BEFORE}
            UNION ALL (
            SELECT {{columns}}, v.until FROM {_EARLIER.format(wanted="v.*")} v
            WHERE NOT ({_says("l")}) AND NOT ({_says("p")}) AND {_LISTED_BEFORE}
              AND v.until > v.valid_from AND {_says("v")} ORDER BY v.valid_from DESC LIMIT 1)) v
        LIMIT 1) v)"""  # noqa: S608

OF_PERIOD = Listing(
    register=PERIOD,
    condition="true",
    wanted=f"{_WANTED}, r.vanished_at",
    present=_present_period,
    raw=True,
    version=lambda columns: _LAST_LISTED.format(columns=columns),
    more=", v.vanished_at",
    filters=_PERIOD_FILTERS,
)

LISTINGS = (RECORDS, OF_PERIOD)

# A row does not name its lesson; its shares, which are shares of that lesson, do.
_RELEASE_RENEWAL_LESSON = f"""
    v.lesson_share_id IS NOT NULL, v.renews_certificate_id IS NOT NULL,
    {shares.lesson("v.lesson_share_id")}, r.record_id"""

_REMINDED = f"""
SELECT owner.birth, count(*)
FROM {training.REMINDERS} s
CROSS JOIN LATERAL (
    SELECT r.birth FROM {in_force.records(moment="s.at")} AND r.register = {TRAINING_RECORDS.number}
      AND r.learner_profile_id = s.learner_profile_id AND r.course_id = s.course_id
      AND {outcomes.listed("s.at")}
      AND v.waived_at IS NULL AND (v.done_at IS NULL OR v.done_at > s.at)
    ORDER BY {_RELEASE_RENEWAL_LESSON} LIMIT 1) owner
GROUP BY owner.birth"""  # noqa: S608


def _reminders_by_number(question: Question, learners: Sequence[bytes]) -> dict[int, int]:
    """Reminders that captures up to the pin hold (`facts.captured`), by the record that was open when each was sent.

    Of several open records a reminder counts, as an administrator's changes do, for that of the release, then of the
    renewal, then of the lesson with the lowest id (docs/rules.md#changes), whatever the order of arrival.
    """
    if not learners:
        return {}
    counted = reading.fetch(
        _REMINDED,
        {
            "organization": question.company.organization_id,
            "sequence": question.pin.sequence,
            "capture_sequence": question.pin.capture_sequence,
            "learners": learners,
        },
    )
    return dict(counted)
