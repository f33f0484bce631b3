"""Pulls a register to its end, page by page, as a caller of /v1 would."""

from typing import Any

import orjson

from compliance.registers import pages, totals
from compliance.registers.pages import Listing
from compliance.registers.questions import Position, Question
from compliance.tenancy import context


def pull(listing: Listing, question: Question, limit: int = pages.MAXIMUM_ROWS) -> list[Any]:
    """All rows; asserts that they are as many as the total, and that no page has more than `limit`."""
    rows: list[Any] = []
    with context.company(question.company.organization_id):
        total = totals.total(listing, question)
        position: Position | None = Position()
        while position is not None:
            page = pages.page(listing, question, position, limit, total - len(rows))
            found = orjson.loads(b"[" + page.content + b"]")
            assert len(found) == page.held <= limit
            rows += found
            position = page.position
    assert len(rows) == total
    return rows
