"""`import_people`: a spreadsheet becomes facts, in one transaction, through the one write path of `facts.recording`.

The plan is made in the same transaction, while no other import of the company runs, and is compared with the one that
somebody confirmed. So importing a file twice records nothing the second time, and a process that is killed has recorded
nothing. SCIM clients wait meanwhile, so that two sources that state the same person do not create two.
"""

import uuid
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

import psycopg
from django.db import IntegrityError, OperationalError

from compliance.facts.errors import NotAllowedToTellError
from compliance.facts.importing import wait_for_other_imports
from compliance.facts.lines.digests import digest
from compliance.facts.lines.kinds import KINDS as EVERY_KIND
from compliance.facts.recording import Recording, Refused, Staged, Teller, telling
from compliance.provisioning import turns
from compliance.provisioning.spreadsheets import company
from compliance.provisioning.spreadsheets.columns import Columns, check
from compliance.provisioning.spreadsheets.errors import CompanyChangedError, SpreadsheetError, TooManyLeaveError
from compliance.provisioning.spreadsheets.facts import Facts, PlannedFact, facts_of
from compliance.provisioning.spreadsheets.headings import Field
from compliance.provisioning.spreadsheets.lines import Stated, statements
from compliance.provisioning.spreadsheets.plan import Plan
from compliance.provisioning.spreadsheets.planning import plan
from compliance.provisioning.spreadsheets.reading import Table
from compliance.rules import company_days
from compliance.tenancy import context, queries

Progress = Callable[[int, int], None]
_ATTEMPTS = 4
_BATCH = 5_000
_EVERY = 1_000


class Outcome(NamedTuple):
    """The result of an import: the final plan, and how many facts were recorded."""

    plan: Plan
    recorded: int


class _RefusedRows(Exception):
    """Rolls back because recording refused some rows. They then count as wrong, and the others are planned again."""

    def __init__(self, refused: dict[int, str]) -> None:
        super().__init__()
        self.refused = refused


def preview(organization_id: uuid.UUID, table: Table, columns: Columns, *, now: datetime, leavers: bool) -> Plan:
    """What a spreadsheet would change. Needs the company's context; raises the errors of `spreadsheets.errors`."""
    return _plan(organization_id, _read(organization_id, table, columns, None), columns, now, leavers, {})


def import_people(
    *,
    organization_id: uuid.UUID,
    table: Table,
    columns: Columns,
    clock: Callable[[], datetime],
    teller: Teller,
    leavers: bool = False,
    confirmed: str | None = None,
    confirmed_leaves: int | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Records what a spreadsheet changes; wrong rows are reported and the others recorded. The caller captures.

    `confirmed`: the fingerprint of the plan that somebody has seen; `confirmed_leaves`: the number of people leaving,
    typed by somebody, without which many cannot. Raises the errors of `spreadsheets.errors`
    (CompanyChangedError where the plan differs from the confirmed one, SpreadsheetError where the company kept changing
    meanwhile), NotAllowedToTellError.
    """
    queries.organization(organization_id)
    with context.company(organization_id):
        rows = _read(organization_id, table, columns, progress)
    refused: dict[int, str] = {}
    for attempt in range(_ATTEMPTS):
        try:
            with telling(teller), context.company(organization_id):
                wait_for_other_imports(organization_id)
                turns.wait(organization_id)
                now = clock()
                planned = _plan(organization_id, rows, columns, now, leavers, {})
                if confirmed is not None and planned.fingerprint != confirmed:
                    raise CompanyChangedError(
                        "The company has changed since the preview, so something else would be recorded now. Nothing"
                        " was recorded: look at the preview again."
                    )
                if refused:
                    planned = _plan(organization_id, rows, columns, now, leavers, refused)
                check_leaves(planned, confirmed_leaves)
                return Outcome(planned, _record(organization_id, facts_of(planned, now), now, teller, progress))
        except _RefusedRows as rolled_back:
            refused |= rolled_back.refused
        except (IntegrityError, OperationalError) as error:
            expected = psycopg.errors.UniqueViolation | psycopg.errors.DeadlockDetected
            if attempt + 1 == _ATTEMPTS or not isinstance(error.__cause__, expected):
                raise
    raise SpreadsheetError("The company kept changing while the file was recorded. Nothing was recorded: try again.")


def check_leaves(planned: Plan, confirmed: int | None) -> None:
    """Raises TooManyLeaveError where so many would leave that their number must be typed, and it was not."""
    leaving = len(planned.leaves)
    if planned.ends_most and confirmed != leaving:
        raise TooManyLeaveError(
            f"{leaving:,} of {planned.employed:,} employees are not in the file, and their employment would end. If"
            f" that is meant, confirm it with the number {leaving}. Nothing was recorded."
        )


def _read(organization_id: uuid.UUID, table: Table, columns: Columns, progress: Progress | None) -> list[Stated]:
    check(columns)
    names = company.role_names(organization_id) if Field.ROLES in columns.values() else {}
    rows = []
    for row in statements(table, columns, names):
        rows.append(row)
        if progress is not None and len(rows) % _EVERY == 0:
            progress(len(rows), 0)
    return rows


def _plan(
    organization_id: uuid.UUID,
    rows: list[Stated],
    columns: Columns,
    now: datetime,
    leavers: bool,
    refused: dict[int, str],
) -> Plan:
    if not rows:
        raise SpreadsheetError("The file names nobody: there is no row below the headings.")
    known = company.known(organization_id, now, with_roles=Field.ROLES in columns.values())
    today = company_days.day_of(queries.organization(organization_id).time_zone, now)
    return plan(rows, known, today=today, leavers=leavers, refused=refused)


def _record(organization_id: uuid.UUID, facts: Facts, now: datetime, teller: Teller, progress: Progress | None) -> int:
    """Records the facts kind by kind. Raises _RefusedRows where the rules refuse some."""
    recording = Recording(organization_id, now)
    row_of: dict[int, int | None] = {}
    by_kind: dict[str, list[tuple[int, PlannedFact]]] = defaultdict(list)
    for number, planned in enumerate(facts.lines):
        row_of[number] = planned.row
        by_kind[planned.line.fact].append((number, planned))
    done = 0
    for kind in EVERY_KIND:
        numbered = sorted(by_kind.get(kind, ()), key=lambda each: (each[1].line.at, each[1].line.fact_id))
        if numbered and (refusal := teller.refusal(numbered[0][1].line)):
            raise NotAllowedToTellError(refusal[1])
        for start in range(0, len(numbered), _BATCH):
            batch = [
                Staged(number, planned.line, digest(planned.line))
                for number, planned in numbered[start : start + _BATCH]
            ]
            recording.record(kind, batch)
            done += len(batch)
            if progress is not None:
                progress(done, len(facts.lines))
        recording.close(kind)
    if recording.refused:
        raise _RefusedRows(_rows_of(recording.refused, row_of))
    recording.finish()
    company.keep_numbers(organization_id, facts.numbers)
    company.keep_teams(organization_id, sorted(facts.teams))
    return recording.recorded.total()


def _rows_of(refused: list[Refused], row_of: dict[int, int | None]) -> dict[int, str]:
    """The rows whose facts were refused, with the reasons. Raises SpreadsheetError where no row stated such a fact."""
    found: dict[int, str] = {}
    for each in refused:
        row = row_of[each.staged.number]
        if row is None:
            raise SpreadsheetError(f"Nothing was recorded, because somebody changed the same just now: {each.reason}")
        found.setdefault(row, each.reason)
    return found
