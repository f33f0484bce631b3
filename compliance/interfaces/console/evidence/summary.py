"""The readable summary of a pack as a PDF: who owed what, who has and has not done it, and that nobody is left out.

Typst lays it out from `summary.typ`, without a creation date, so the same pack gives the same file.
"""

from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import orjson
import typst

from compliance.interfaces.console.evidence.subject import Subject
from compliance.interfaces.console.evidence.tally import LISTED, Listed, Tally
from compliance.proofs.instants import hashed_instant
from compliance.rules import company_days
from compliance.rules.policies.state import STATES
from compliance.rules.vocabulary import CertificateStatus, Outcome

_TEMPLATE = Path(__file__).with_name("summary.typ")
_OUTCOMES = (
    Outcome.COMPLETED_ON_TIME,
    Outcome.COMPLETED_LATE,
    Outcome.COMPLETED_BEFORE_REQUIREMENT,
    Outcome.NOT_DUE_YET,
    Outcome.OVERDUE,
    Outcome.MISSED,
    Outcome.WAIVED,
    Outcome.EXCUSED,
)
_HEADINGS = ("On time", "Late", "Before", "Not due", "Overdue", "Missed", "Waived", "Excused")


def summary_pdf(subject: Subject, tally: Tally, registers: dict[str, int], completeness: dict[str, int]) -> bytes:
    """The PDF of one pack."""
    values = _values(subject, tally, registers, completeness)
    compiled = typst.compile(
        _TEMPLATE.read_bytes(), format="pdf", sys_inputs={"pack": orjson.dumps(values).decode()}, font_paths=_fonts()
    )
    assert isinstance(compiled, bytes)
    return compiled


@lru_cache(maxsize=1)
def _fonts() -> typst.Fonts:
    """The fonts of typst, then the machine's own for letters that those lack."""
    return typst.Fonts(include_system_fonts=True, include_embedded_fonts=True)


def _values(subject: Subject, tally: Tally, registers: dict[str, int], completeness: dict[str, int]) -> dict[str, Any]:
    zone = company_days.zone_info(subject.organization.time_zone)
    done = completeness["owing"] - len(tally.undone)
    return {
        "company": subject.organization.name,
        "period": f"{subject.first_day:%-d %B %Y} to {subject.last_day:%-d %B %Y}",
        "facts": [
            ["Company", str(subject.organization_id)],
            ["Days in", subject.organization.time_zone],
            ["Known at", f"{hashed_instant(subject.pin.captured_at)}, capture {subject.pin.capture_sequence}"],
            ["Pinned at", f"sequence {subject.pin.sequence}"],
            ["Chain hash", subject.pin.chain_hash],
        ],
        "completeness": completeness,
        "tiles": [
            [done, "did all they owed"],
            [len(tally.undone) - len(tally.late), "have time left"],
            [len(tally.late), "late with something"],
        ],
        "course_headings": ["Course", *_HEADINGS, "Optional"],
        "courses": sorted(
            [tally.titles.get(course, course), *(counts[outcome] for outcome in _OUTCOMES), counts["optional"]]
            for course, counts in tally.courses.items()
        ),
        "policies": sorted(
            [title, version, *(counts[state] for state in STATES)]
            for (title, version, _), counts in tally.policies.items()
        ),
        "policy_headings": ["Policy", "Version", *(_words(state) for state in STATES)],
        "certificates": [[_words(status), tally.certificates[status]] for status in CertificateStatus],
        "receipts": {"count": tally.receipts, "last": tally.last_receipt},
        "lists": [
            _list(
                "Who has not",
                "Required training of the period that was not done at its end.",
                ["Person", "Course", "State", "Due", "Days late"],
                tally.has_not,
                lambda row: [
                    _person(row),
                    tally.titles.get(row["course_id"], row["course_id"]),
                    _words(row["outcome"]),
                    _day(row["due_at"], zone),
                    "" if row["days_late"] is None else str(row["days_late"]),
                ],
            ),
            _list(
                "Who has not signed",
                "Policies owed and not signed at the end of the period.",
                ["Person", "Policy", "Version", "State", "Due"],
                tally.not_signed,
                lambda row: [
                    _person(row), row["policy_title"], str(row["version"]), _words(row["state"]),
                    _day(row["due_at"], zone),
                ],
            ),
            _list(
                "Who did it",
                "Required training of the period that was done.",
                ["Person", "Course", "Outcome", "Completed", "Due"],
                tally.did,
                lambda row: [
                    _person(row),
                    tally.titles.get(row["course_id"], row["course_id"]),
                    _words(row["outcome"]),
                    _day(row["completed_at"], zone),
                    _day(row["due_at"], zone),
                ],
            ),
        ],
        "registers": [[name, str(count)] for name, count in registers.items()],
    }  # fmt: skip


def _list(title: str, explains: str, headings: list[str], listed: Listed, cells: Any) -> dict[str, Any]:
    """A list of the summary, sorted by its second and first column, with a sentence if it is truncated."""
    rows = sorted((cells(row) for row in listed.rows), key=lambda row: (row[1], row[0], row))
    if listed.total > len(rows):
        explains += f" The first {LISTED:,} of {listed.total:,}; the registers of this pack hold all."
    return {"title": title, "explains": explains, "headings": headings, "rows": rows, "total": listed.total}


def _person(row: dict[str, Any]) -> str:
    return row["person_name"] or f"Without a name ({row['learner_profile_id'][:8]})"


def _words(state: str) -> str:
    return str(state).replace("_", " ")


def _day(text: str | None, zone: ZoneInfo) -> str:
    return "" if text is None else f"{datetime.fromisoformat(text).astimezone(zone):%d %b %Y}"
