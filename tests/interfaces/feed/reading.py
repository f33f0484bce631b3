"""Reads the feed as a consumer does: page by page until its end."""

from typing import Any
from urllib.parse import urlencode

from tests.interfaces.api.conftest import Caller

FEED = "/feed/v1/changes"


def page(call: Caller, **parameters: Any) -> Any:
    """One page, which must be answered."""
    answer = call(f"{FEED}?{urlencode(parameters)}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def follow(call: Caller, cursor: str | None = None, **parameters: Any) -> tuple[list[Any], str]:
    """All versions after the cursor, and the cursor at their end; checks each page against what the feed promises."""
    found: list[Any] = []
    while True:
        asked = parameters if cursor is None else {"cursor": cursor} | _limit(parameters)
        answer = page(call, **asked)
        sequences = [each["sequence"] for each in answer["data"]]
        assert sequences == sorted(set(sequences))
        assert all(number <= answer["snapshot"]["sequence"] for number in sequences)
        assert answer["data"] or answer["at_end"]
        if not answer["data"] and cursor is not None:
            assert answer["next_cursor"] == cursor
        found += answer["data"]
        cursor = answer["next_cursor"]
        assert isinstance(cursor, str)
        assert cursor
        if answer["at_end"]:
            return found, cursor


def code(call: Caller, **parameters: Any) -> tuple[int, str]:
    """Status and code of a refusal."""
    answer = call(f"{FEED}?{urlencode(parameters)}")
    return answer.status_code, answer.json()["code"]


def _limit(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name == "limit"}
