"""A dry run: the act is done, the history decides, what it would write is read, and all of it is taken back.

So a preview can never disagree with what comes afterwards: it *is* what comes afterwards, in a savepoint that is
rolled back. Where an act reaches more people than a page may wait for, it says whom it reaches instead.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson
from django.db import transaction

from compliance.history.actions import capture_all
from compliance.history.numbers import REGISTERS
from compliance.interfaces.console.see.queries.stories import Change
from compliance.tenancy import sql

PEOPLE_AT_MOST = 600
ROWS_SHOWN = 60
ROWS_AT_MOST = 4000
WAITING_AT_MOST = 50
CROWDED = (
    "The rules accept this. Much that was told before still waits to be captured, so the rows that it changes are not"
    " shown; look again in a minute to see them."
)
WIDE_KINDS = ("everyone_of_course", "share", "team", "company")


@dataclass(frozen=True)
class Line:
    """One row that the history would write."""

    register: str
    record_id: uuid.UUID
    learner_profile_id: uuid.UUID | None
    person_name: str | None
    course_title: str | None
    changes: list[Change]
    appears: bool
    gone: bool


@dataclass
class Preview:
    """What would change. `lines` are the first of `rows`; `reaches` says how far it goes where that was not run."""

    rows: int = 0
    people: int = 0
    by_register: dict[str, int] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    pairs: list[tuple[str, Any]] = field(default_factory=list)
    reaches: int | None = None
    difference: list[tuple[str, str]] = field(default_factory=list)


class _TakenBack(Exception):
    """Ends the savepoint of a dry run."""


def dry_run(organization_id: uuid.UUID, now: datetime, do: Callable[[], object]) -> Preview:
    """What `do` would change. Needs the company's context. Whatever `do` raises comes out as it is."""
    preview = Preview()
    try:
        with transaction.atomic():
            caught_up = _caught_up(organization_id, now)
            ((sequence, last),) = sql.fetch(
                "SELECT coalesce((SELECT sequence FROM history_historyhead WHERE organization_id = %(company)s), 0),"
                " coalesce((SELECT max(id) FROM pending_pendingsubject WHERE organization_id = %(company)s), 0)",
                {"company": organization_id},
            )
            do()
            if _reaches_too_many(organization_id, last):
                preview.reaches = _employees(organization_id, now)
            elif not caught_up:
                preview.warnings.append(CROWDED)
            else:
                capture_all(organization_id, now)
                _read(preview, organization_id, sequence)
            raise _TakenBack
    except _TakenBack:
        return preview


def _caught_up(organization_id: uuid.UUID, now: datetime) -> bool:
    """Captures what was told before the act, so that the preview shows the act alone; not if that is too much."""
    ((waiting, wide),) = sql.fetch(
        "SELECT count(*), coalesce(bool_or(kind = ANY(%(kinds)s)), false) FROM ("
        "SELECT kind FROM pending_pendingsubject WHERE organization_id = %(company)s AND set_aside_at IS NULL"
        " LIMIT %(most)s) p",
        {"company": organization_id, "kinds": list(WIDE_KINDS), "most": WAITING_AT_MOST + 1},
    )
    if waiting > WAITING_AT_MOST or (wide and _reaches_too_many(organization_id, 0)):
        return False
    if waiting:
        capture_all(organization_id, now)
    return True


def _reaches_too_many(organization_id: uuid.UUID, last: int) -> bool:
    """Whether what is pending spreads over a company too large to be decided while somebody waits."""
    ((wide, people),) = sql.fetch(
        "SELECT EXISTS (SELECT 1 FROM pending_pendingsubject WHERE organization_id = %(company)s AND id > %(last)s"
        " AND kind = ANY(%(kinds)s)),"
        " (SELECT count(*) FROM (SELECT 1 FROM people_profile WHERE organization_id = %(company)s LIMIT %(most)s) p)",
        {"company": organization_id, "last": last, "kinds": list(WIDE_KINDS), "most": PEOPLE_AT_MOST + 1},
    )
    return bool(wide and people > PEOPLE_AT_MOST)


def _employees(organization_id: uuid.UUID, now: datetime) -> int:
    ((count,),) = sql.fetch(
        "SELECT count(*) FROM people_employment WHERE organization_id = %s AND joined_at <= %s"
        " AND (left_at IS NULL OR left_at > %s) AND NOT staff_practice",
        [organization_id, now, now],
    )
    return int(count)


def _read(preview: Preview, organization_id: uuid.UUID, sequence: int) -> None:
    rows = sql.fetch(
        """
        SELECT v.register, r.record_id, r.learner_profile_id,
               CASE WHEN p.erased_at IS NOT NULL THEN 'Erased person' ELSE p.person_name END, c.title, v.body,
               (SELECT b.body FROM history_historyrow b
                WHERE b.organization_id = (SELECT %(company)s::uuid) AND b.birth = v.birth
                AND b.valid_from <= v.valid_from AND b.sequence + 0 <= %(sequence)s
                ORDER BY b.valid_from DESC, b.sequence DESC LIMIT 1)
        FROM history_historyrow v
        JOIN history_historyrecord r ON r.organization_id = %(company)s AND r.register = v.register
          AND r.birth = v.birth
        LEFT JOIN people_profile p ON p.organization_id = %(company)s AND p.learner_profile_id = r.learner_profile_id
        LEFT JOIN courses_course c ON c.organization_id = %(company)s AND c.course_id = r.course_id
        WHERE v.organization_id = %(company)s AND v.sequence > %(sequence)s ORDER BY v.sequence LIMIT %(most)s
        """,
        {"company": organization_id, "sequence": sequence, "most": ROWS_AT_MOST},
    )
    people = set()
    for register, record_id, learner_profile_id, person_name, course_title, body, before in rows:
        name = REGISTERS[register].value
        preview.by_register[name] = preview.by_register.get(name, 0) + 1
        people.add(learner_profile_id)
        if len(preview.lines) >= ROWS_SHOWN:
            continue
        old, new = (orjson.loads(text) if text else {} for text in (before, body))
        changes = [Change(key, old.get(key), new[key]) for key in new if old and old.get(key) != new[key]]
        preview.lines.append(
            Line(
                *(name, record_id, learner_profile_id, person_name, course_title, changes),
                bool(new and not old),
                bool(old and not new),
            )
        )
    preview.rows = len(rows)
    preview.people = len(people - {None})
