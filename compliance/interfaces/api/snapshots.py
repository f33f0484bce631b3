"""The snapshot of an answer, and a page as /v1 writes it: rows, total, snapshot and the cursor of the next page."""

from compliance.history.text import instant
from compliance.registers import splicing
from compliance.registers.pages import RegisterPage
from compliance.registers.questions import Question
from compliance.rules.vocabulary import LOGIC, LOGIC_DATES


def of(question: Question, available: bool) -> dict[str, object]:
    """The snapshot object of an answer.

    `logic.date` is the date of the version that the pin names. While a release is rolled out, a worker may have decided
    by a version that this process does not know; it then gives the newest date that it knows.
    """
    company, pin = question.company, question.pin
    logic_date = LOGIC_DATES.get(pin.logic_version, LOGIC.date)
    return {
        "organization_id": str(company.organization_id),
        "deployment_id": str(company.deployment_id),
        "as_at": instant(question.moment),
        "from": None if question.start is None else instant(question.start),
        "known_at": instant(pin.captured_at),
        "sequence": pin.sequence,
        "capture_sequence": pin.capture_sequence,
        "chain_hash": pin.chain_hash,
        "logic": {"version": pin.logic_version, "date": logic_date.isoformat()},
        "history_complete_from": instant(company.history_complete_from),
        "available": available,
    }


def page_bytes(page: RegisterPage, total: int, question: Question, available: bool, following: str | None) -> bytes:
    """A page; `following` is the cursor of the next one, None after the last."""
    members = {"total": total, "snapshot": of(question, available), "next_cursor": following}
    return splicing.page(page.rows, members)
