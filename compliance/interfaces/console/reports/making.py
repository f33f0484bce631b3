"""Makes a report in one pass over the records of a company: the sums by team and course, and the lines.

The pass reads both moments up to one capture, so the result is consistent however long it takes. A record counts for
the teams that its person was in at the moment in question. What a person did between the two moments counts for their
teams at the second, or at the first where they had left by then.
"""

import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from compliance.catalogue import REGISTERS
from compliance.history import queries as history
from compliance.history.comparing import NOBODY, OF_PEOPLE, Compared, Held, Teams, TeamsAtBoth, compared, teams_at
from compliance.interfaces.console.reports.models import Report, ReportCell, ReportLine
from compliance.interfaces.console.reports.states import COMPARED, SIGNING, TRAINING, required_at, state_of
from compliance.tenancy import context

LINES_AT_MOST = 100_000
"""How many lines of one report are stored; records beyond that are counted only."""

NO_TEAM = uuid.UUID(int=0)
Progress = Callable[[int, int], None]
Key = tuple[int, uuid.UUID | None, uuid.UUID | None]
Kind = ReportLine.Kind
NUMBERS = (
    "required_before", "done_before", "required", "done", "overdue", "done_between", "late_between",
)  # fmt: skip


@dataclass
class _Sums:
    """The sums so far."""

    cells: dict[Key, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    counts: dict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    lines: int = 0


def make(report: Report, tell: Progress = lambda done, total: None) -> None:
    """Fills a report and marks it as ready. What an earlier attempt left is replaced."""
    mine = {"organization_id": report.organization_id, "report_id": report.report_id}
    with context.company(report.organization_id):
        ReportLine.objects.filter(**mine).delete()
        ReportCell.objects.filter(**mine).delete()
        records = history.records_by_register(report.organization_id, report.sequence)
    total, seen, sums = sum(records.get(register, 0) for register in COMPARED), 0, _Sums()
    for register in COMPARED:
        for batch in _batches(report, register):
            lines = _take(report, register, batch, sums)
            with context.company(report.organization_id):
                ReportLine.objects.bulk_create(lines)
            seen += len(batch)
            tell(seen, total)
    cells = [
        ReportCell(**mine, register=register, course_id=course, team_id=team, **{name: found[name] for name in NUMBERS})
        for (register, course, team), found in sums.cells.items()
    ]
    report.ready = True
    report.counts = {REGISTERS[register].name: dict(found) for register, found in sums.counts.items()}
    with context.company(report.organization_id):
        ReportCell.objects.bulk_create(cells, batch_size=5000)
        report.save(update_fields=["ready", "counts"])


def _batches(report: Report, register: int) -> Iterator[list[Compared]]:
    return compared(
        report.organization_id,
        register,
        first=report.first,
        second=report.second,
        sequence=report.sequence,
        known=report.known_sequence,
    )


def _take(report: Report, register: int, batch: list[Compared], sums: _Sums) -> list[ReportLine]:
    """Adds a batch to the sums, and returns the lines to store."""
    learners = {each.learner_profile_id for each in batch if each.learner_profile_id is not None}
    teams = teams_at(
        report.organization_id, learners, first=report.first, second=report.second, sequence=report.sequence
    )
    found = []
    for each in batch:
        if register == OF_PEOPLE and each.learner_profile_id is None:
            continue  # an invitation: a person who accepts it gets a record of their own
        of_person = teams.get(each.learner_profile_id, NOBODY) if each.learner_profile_id else NOBODY
        if register in (TRAINING, SIGNING):
            _count(report, register, each, of_person, sums)
        line = _line(report, register, each, of_person, sums.counts[register])
        if line is not None and sums.lines < LINES_AT_MOST:
            sums.lines += 1
            line.number = sums.lines
            found.append(line)
    return found


def _count(report: Report, register: int, each: Compared, of_person: TeamsAtBoth, sums: _Sums) -> None:
    before, _ = of_person
    if required_at(register, each.before, report.first):
        _add(sums, register, each, before, ["required_before", "done_before"][: 1 + _done(each.before)])
    if required_at(register, each.after, report.second):
        names = ["required", "done"][: 1 + _done(each.after)]
        if state_of(register, each.after, report.second) == "overdue":
            names.append("overdue")
        if _between(report, register, each):
            names.append("done_between")
            if _done_late(each.after):
                names.append("late_between")
        _add(sums, register, each, _last_teams(of_person), names)


def _last_teams(of_person: TeamsAtBoth) -> Teams | None:
    """The teams at the second moment; of somebody who has left by then, at the first."""
    before, after = of_person
    return before if after is None else after


def _done(held: Held | None) -> bool:
    return held is not None and held.done_at is not None


def _done_late(held: Held | None) -> bool:
    return held is not None and None not in (held.done_at, held.due_at) and held.done_at > held.due_at  # type: ignore[operator]


def _between(report: Report, register: int, each: Compared) -> bool:
    """Whether it is required at the second moment and was done between the two, as known at the report's capture."""
    done_at = None if each.after is None else each.after.done_at
    required = register in (TRAINING, SIGNING) and required_at(register, each.after, report.second)
    return required and done_at is not None and report.first < done_at <= report.second


def _add(sums: _Sums, register: int, each: Compared, teams: Teams | None, names: list[str]) -> None:
    """Adds one to each of these numbers, for its course and for all, for each of its person's teams and for all."""
    for course in (each.course_id, None):
        for team in (None, *(teams or (NO_TEAM,))):
            cell = sums.cells[register, course, team]
            for name in names:
                cell[name] += 1


def _line(
    report: Report, register: int, each: Compared, of_person: TeamsAtBoth, counts: Counter[str]
) -> ReportLine | None:
    """The line of a record; None where there is nothing to report."""
    before = state_of(register, each.before, report.first)
    after = state_of(register, each.after, report.second)
    known = state_of(register, each.known_then, report.first)
    # Where nothing was captured by the first moment, nothing is late: all of it came with the first import.
    late = bool(report.known_sequence) and _recorded_late(each, before, known)
    between = _between(report, register, each)
    kind = _kind(before, after)
    if kind is Kind.SAME and not late and not between:
        return None
    counts[kind] += 1
    if late:
        counts["late"] += 1
    if between:
        counts["done"] += 1
    return ReportLine(
        organization_id=report.organization_id,
        report_id=report.report_id,
        register=register,
        record_id=each.record_id,
        learner_profile_id=each.learner_profile_id,
        course_id=each.course_id,
        team_ids=list(_last_teams(of_person) or ()),
        kind=kind,
        before=before,
        after=after,
        late=late,
        known_before=known if late else "",
        done_between=between,
    )


def _kind(before: str, after: str) -> Kind:
    if before == after:
        return Kind.SAME
    if not before:
        return Kind.NEW
    return Kind.CHANGED if after else Kind.ENDED


def _recorded_late(each: Compared, before: str, known: str) -> bool:
    """Whether the record at the first moment, as known at the report's capture, differs from what was known then."""
    if before != known:
        return True
    if not before or each.before is None or each.known_then is None:
        return False
    return each.before.sequence != each.known_then.sequence and each.before.says() != each.known_then.says()
