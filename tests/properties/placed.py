"""`python -m tests.properties.placed FACTS ZONE BEGAN DAYS...`: a database's answers for a company, in three orders.

It runs on the database that the environment names, plain or a cluster, migrated first. The company's facts are recorded
in each order from the beginning, and rolled back. It prints, as JSON by order: digests of every stored row, of every
register some days before the sweep, and the hashes of the chain. Random values (salts, check codes) are always the same
here.
"""

import hashlib
import io
import json
import os
import random
import secrets
import sys
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import django
import orjson

COMPANY, DEPLOYMENT, SPACE = (uuid.UUID(int=number, version=4) for number in (1, 2, 3))
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=45)
"""The moment of the sweep, by which the clock has changed something."""
AT_ONCE = 2_000
"""Rows of a page: more than a reader may ask for, because there are many records."""
OF_THE_CAPTURE = frozenset({"check_code", "sequence", "recorded_at", "cause", "valid_from"})
"""Fields that depend on the capture: its time, random values, and how a late fact splits a version."""

Orders = dict[str, list[list[bytes]]]


def orders(lines: list[bytes]) -> Orders:
    """The facts file as it is, shuffled whole, and by time in three parts that are captured one by one."""
    shuffled = list(lines)
    random.Random(7).shuffle(shuffled)
    by_time = sorted(lines, key=lambda line: str(orjson.loads(line)["at"]))
    third = len(lines) // 3 + 1
    parts = [by_time[start : start + third] for start in range(0, len(lines), third)]
    return {"as written": [lines], "shuffled": [shuffled], "in three parts": parts}


def main() -> int:
    """Records the company's facts in each order and prints the results."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.core.management import call_command
    from django.db import transaction

    file, zone, began, *days = sys.argv[1:]
    call_command("migrate", database="owner", verbosity=0)
    found = {}
    for name, parts in orders(Path(file).read_bytes().splitlines(keepends=True)).items():
        _empty()
        with patch.object(secrets, "token_bytes", _lots()), transaction.atomic():
            refused = _tell(parts, zone, date.fromisoformat(began))
            found[name] = {"refused": refused} | _answers(sorted(map(int, days)))
            transaction.set_rollback(True)
    sys.stdout.write(json.dumps(found))
    return 0


def _empty() -> None:
    """Vacuums after the rollback, because statistics of rows that are gone would mislead the planner."""
    from django.db import connections

    from compliance.tenancy import expected

    with connections["owner"].cursor() as cursor:
        for table in expected.tables():
            if table.of_companies:
                cursor.execute(f"VACUUM (ANALYZE) {table.name}")


def _lots() -> Callable[[int | None], bytes]:
    """Replaces random bytes: the same bytes in each order and on each kind of database."""
    drawn = count()

    def draw(size: int | None = None) -> bytes:
        return hashlib.shake_256(b"%d" % next(drawn)).digest(size or 32)

    return draw


def _tell(parts: list[list[bytes]], zone: str, began: date) -> int:
    """Imports and captures part by part, and sweeps; a fact that names something of a later part is repeated with it.

    Returns how many facts were refused in the end.
    """
    from compliance.facts.importing import import_facts
    from compliance.history import actions

    actions.create_company(
        name="Company", time_zone=zone, history_from=began, now=NOW - timedelta(days=1), organization_id=COMPANY
    )
    left: list[bytes] = []
    for place, part in enumerate(parts):
        lines = left + part
        report = import_facts(organization_id=COMPANY, stream=io.BytesIO(b"".join(lines)), now=NOW, strict=False)
        left = [lines[each.line - 1] for each in report.errors]
        actions.capture_all(COMPANY, NOW + timedelta(seconds=place))
    actions.sweep_company(COMPANY, LATER)
    return len(left)


def _answers(days_back: list[int]) -> dict[str, Any]:
    from compliance.history.models import Capture, HistoryRow
    from compliance.history.verify import Verified, verify_history
    from compliance.tenancy import context

    stored = hashlib.sha256()
    with context.company(COMPANY):
        captures = list(Capture.objects.filter(organization_id=COMPANY).order_by("capture_sequence"))
        rows = HistoryRow.objects.filter(organization_id=COMPANY).order_by("sequence")
        for row in rows.iterator(chunk_size=5_000):
            values = (row.sequence, row.register, row.birth, row.valid_from, row.recorded_at, row.cause, row.body)
            stored.update(repr((*values, bytes(row.row_sha256))).encode())
    exact, without_captures = {}, {}
    for target, content in _registers(captures[-1], days_back):
        exact[target] = hashlib.sha256(content).hexdigest()
        without_captures[target] = hashlib.sha256(b"\n".join(_without_captures(content))).hexdigest()
    return {
        "versions": captures[-1].last_sequence,
        "verified": isinstance(verify_history(COMPANY), Verified),
        "chain": [each.chain_hash for each in captures],
        "stored": stored.hexdigest(),
        "registers": exact,
        "without_captures": without_captures,
    }


def _registers(last: Any, days_back: list[int]) -> Iterator[tuple[str, bytes]]:
    """Every register at several moments, all pages of it as they are served."""
    from compliance.registers import pages
    from compliance.registers.listings import LISTINGS
    from compliance.registers.questions import Company, Pin, Position, Question
    from compliance.tenancy import context

    pin = Pin(last.last_sequence, last.capture_sequence, last.chain_hash, last.captured_at, last.logic_version)
    company = Company(COMPANY, DEPLOYMENT, SPACE, "UTC", NOW)
    for name, listing in LISTINGS.items():
        for days in days_back:
            moment = LATER - timedelta(days=days)
            question = Question(company, pin, moment, start=moment - timedelta(days=400), personal=True)
            found: list[bytes] = []
            after: Position | None = Position()
            while after is not None:
                with context.company(COMPANY):
                    page = pages.page(listing, question, after, AT_ONCE, sys.maxsize)
                found += [page.content] if page.held else []
                after = page.position
            yield f"{name} {days}", b",".join(found)


def _without_captures(content: bytes) -> list[bytes]:
    return sorted(
        orjson.dumps({name: value for name, value in row.items() if name not in OF_THE_CAPTURE})
        for row in orjson.loads(b"[%b]" % content)
    )


if __name__ == "__main__":
    sys.exit(main())
