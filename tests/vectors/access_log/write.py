"""Writes the exports of an access log: `python -m tests.vectors.access_log.write`.

Written from docs/verify.md; nothing here comes from `compliance`.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
CHAIN = "0d9f0c3e-58a1-5c2e-9a37-0f6f1d0c9a11"


def _digest(values: list[Any]) -> str:
    return hashlib.sha256(json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def line(number: int | None, previous: str) -> dict[str, Any]:
    """A line of the log that follows one of that digest; one without a number is from before the log was chained."""
    chained = number is not None
    found: dict[str, Any] = {
        "chain": CHAIN if chained else None,
        "number": number,
        "at": f"2026-03-02T09:00:{number or 0:02}.000000Z",
        "user_id": 7,
        "username": "Åsa",
        "groups": "Auditor",
        "address": "192.0.2.7",
        "method": "GET",
        "page": "people",
        "subject": "",
        "organization_id": CHAIN,
        "status": 200,
        "act": "",
        "reason": "",
        "everybody": True,
        "learner_profile_ids": [],
        "salt": "5a" * 16 if chained else None,
        "previous_sha256": previous if chained else None,
        "digest": None,
    }
    if chained:
        of = found.get
        private = ("salt", "username", "groups", "address", "subject", "reason")
        public = ("chain", "number", "at", "user_id", "method", "page", "organization_id", "status", "act", "everybody",
                  "learner_profile_ids")  # fmt: skip
        hidden = _digest(["svc.access.private/1", *map(of, private)])
        found["digest"] = _digest(["svc.access/1", *map(of, public), hidden, previous])
    return found


def files() -> dict[str, str]:
    """The files by name."""
    chained: list[dict[str, Any]] = []
    for number in range(1, 6):
        chained.append(line(number, chained[-1]["digest"] if chained else "0" * 64))
    old = line(None, "")
    lines = [json.dumps(each, ensure_ascii=False) for each in (old, old, *chained)]
    return {
        "whole": "\n".join(lines),
        "unnumbered_line": "\n".join([*lines[:3], lines[0], *lines[3:]]),
        "member_twice": "\n".join([*lines[:4], lines[4].replace("{", '{"username": "nobody", ', 1), *lines[5:]]),
        "unknown_member": "\n".join([*lines[:4], lines[4].replace("{", '{"approved_by": "nobody", ', 1), *lines[5:]]),
        "begins_at_3": "\n".join(lines[4:]),
        "line_gone": "\n".join([*lines[:4], *lines[5:]]),
        "line_changed": "\n".join([*lines[:4], lines[4].replace("people", "account"), *lines[5:]]),
    }


if __name__ == "__main__":
    for name, text in files().items():
        (FOLDER / f"{name}.jsonl").write_text(f"{text}\n", encoding="utf-8")
