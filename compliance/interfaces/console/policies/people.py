"""Who has signed a policy and who has not, a page at a time, with queries whose cost does not grow with the company."""

import uuid
from datetime import datetime
from typing import Any

import orjson

from compliance.facts.policies import queries
from compliance.interfaces.console import keyset
from compliance.interfaces.console.errors import UnreadableInputError
from compliance.interfaces.console.moments import Chosen
from compliance.interfaces.console.policies.signatures import RECORDS
from compliance.interfaces.console.see import registers
from compliance.interfaces.console.understand import of_course
from compliance.registers import pages
from compliance.registers.questions import Position
from compliance.rules.vocabulary import ERASED_PERSON, Outcome

_KEPT = {"unsigned": "open", "overdue": "overdue"}
"""Lists of the present that the summary holds sorted by deadline, with the summary's names for them."""
_NAMES = {Outcome.OVERDUE: "overdue", Outcome.NOT_DUE_YET: "to_do"}

Rows = tuple[list[dict[str, Any]], tuple[Any, ...] | None]


def listed(when: Chosen, word: str, after: tuple[Any, ...] | None) -> Rows:
    """A page of the rows that the register's filter `word` lists, and the place after which the next page begins.

    To find few rows among many would mean a scan of all records, so the rows of a large company come from its summary,
    the longest overdue first. A page may be empty and still have a next one.
    """
    if word in _KEPT and when.latest_sequence > registers.LARGE and not when.travels:
        return _kept(when, word, after)
    question = when.question._replace(start=None)
    try:
        position = Position(int(after[0]), int(after[1])) if after else Position()
    except ValueError:  # a place in the summary's list, which has another order
        raise UnreadableInputError(keyset.CUT_SHORT) from None
    page = pages.page(RECORDS.filtered(word), question, position, registers.ROWS, 2**31)
    rows: list[dict[str, Any]] = orjson.loads(b"[" + page.content + b"]")
    if word == "signed":
        _with_version_signed(when.question.company.organization_id, rows)
    return rows, None if page.position is None else tuple(page.position)


def _with_version_signed(organization_id: uuid.UUID, rows: list[dict[str, Any]]) -> None:
    """Sets in each row the version that was signed: the record has the one in force, which a small fix replaces."""
    signed = queries.receipt_versions(organization_id, [uuid.UUID(row["receipt_id"]) for row in rows])
    for row in rows:
        row["version"] = signed.get(uuid.UUID(row["receipt_id"]), row["version"])


def _kept(when: Chosen, word: str, after: tuple[Any, ...] | None) -> Rows:
    try:
        place = (datetime.fromisoformat(str(after[0])), int(after[1])) if after else None
    except ValueError:  # a place in the register's list
        raise UnreadableInputError(keyset.CUT_SHORT) from None
    assert when.question.course is not None  # only the page of one policy calls this
    found, last = of_course.people(
        when.question.company.organization_id,
        RECORDS.register.number,
        when.question.course,
        _KEPT[word],
        of_course.EVERYBODY,
        when.question.moment,
        place,
        registers.ROWS,
    )
    return [
        {
            "record_id": str(each.record_id),
            "learner_profile_id": str(each.learner_profile_id),
            "person_name": ERASED_PERSON if each.erased else each.person_name,
            "state": _NAMES.get(Outcome(each.state), each.state),
            "due_at": each.due_at,
        }
        for each in found
    ], last
