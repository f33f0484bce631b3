"""Assembles the file: what each room keeps of the person, and the person's rows of the registers as in `/v1`.

It holds nothing about anybody else: who acted, and a trainer's name, are left out. docs/privacy.md describes each
member; a test compares it with this module.
"""

import uuid
from datetime import datetime
from typing import Any

import orjson

from compliance.facts.certificates import kept as certificates
from compliance.facts.courses import queries as courses
from compliance.facts.people import kept as people
from compliance.facts.policies import kept as policies
from compliance.facts.training import kept as training
from compliance.history import queries as history
from compliance.history.errors import NoHistoryError
from compliance.interfaces.operations import kept as reminders
from compliance.interfaces.pages import kept as links
from compliance.learning import kept as learning
from compliance.letters import kept as letters
from compliance.provisioning import kept as provisioning
from compliance.registers import pages
from compliance.registers.listings import LISTINGS
from compliance.registers.questions import Company, Pin, Position, Question
from compliance.tenancy import kept, queries
from compliance.tenancy.models import Organization

FORMAT = "svc.person/1"
PARTS = (
    *people.PARTS,
    *training.PARTS,
    *certificates.PARTS,
    *policies.PARTS,
    *learning.PARTS,
    *letters.PARTS,
    *provisioning.PARTS,
    *links.PARTS,
    *reminders.PARTS,
)
REGISTERS = {each.register.of_person: each for each in LISTINGS.values() if each.register.of_person}
"""The listings of the registers about people, by their name for the rows of one person."""

_ROWS_A_PAGE = 1000
_UNCOUNTED = 2**31


def personal_file(organization: Organization, learner_profile_id: uuid.UUID, now: datetime) -> dict[str, Any]:
    """All that is kept about a person of the company, in its context, by a constant number of statements."""
    organization_id = organization.organization_id
    found: dict[str, Any] = {
        "format": FORMAT,
        "made_at": now,
        "company": {"organization_id": organization_id, "name": organization.name, "time_zone": organization.time_zone},
        "learner_profile_id": learner_profile_id,
        "kept": {part.name: kept.read(part, organization_id, learner_profile_id) for part in PARTS},
        "registers": _registers(organization, learner_profile_id, now),
    }
    titles = courses.titles_of(organization_id, _courses(found))
    found["titles"] = {str(course_id): title for course_id, title in titles.items()}
    return found


def as_text(found: dict[str, Any]) -> bytes:
    """The file: JSON, indented for people, instants in UTC."""
    return orjson.dumps(found, default=_plain, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z)


def _plain(value: Any) -> str:
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    raise TypeError(f"A {type(value).__name__} has no form in the file.")


def _registers(
    organization: Organization, learner_profile_id: uuid.UUID, now: datetime
) -> dict[str, list[dict[str, Any]]]:
    """The person's rows in the newest capture; none before the first capture."""
    try:
        pin = Pin(*history.pinned(organization.organization_id, None)[:5])
    except NoHistoryError:
        return {name: [] for name in REGISTERS}
    company = Company(
        organization.organization_id,
        queries.deployment_id(),
        organization.learning_space_id,
        organization.time_zone,
        organization.history_complete_from,
    )
    start = organization.history_complete_from
    question = Question(company, pin, now, start, None, personal=True, learner=learner_profile_id)
    return {name: _rows(listing, question) for name, listing in REGISTERS.items()}


def _rows(listing: pages.Listing, question: Question) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    position: Position | None = Position()
    while position is not None:
        page = pages.page(listing, question, position, _ROWS_A_PAGE, _UNCOUNTED)
        rows += orjson.loads(b"[" + page.content + b"]")
        position = page.position
    return [{name: value for name, value in row.items() if not _of_others(name)} for row in rows]


def _of_others(field: str) -> bool:
    """Whether a field of a row names somebody else: who acted, or who taught."""
    return field.endswith("actor_id") or field in ("changed_by", "trainer_name")


def _courses(found: dict[str, Any]) -> set[uuid.UUID | None]:
    """The courses and policies that the file mentions."""
    rows = [row for part in (*found["kept"].values(), *found["registers"].values()) for row in part]
    return {uuid.UUID(str(row["course_id"])) for row in rows if row.get("course_id")}
