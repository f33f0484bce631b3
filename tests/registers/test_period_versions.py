"""`/period` on every shape that a record's versions may have, also shapes that the state machine's companies lack.

Versions are stored directly, on a grid of few moments, so that they begin, end and replace each other at the same
moments, and some are known later. Each window between two moments is compared with a plain reading.
"""

import random
import uuid
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import orjson
import pytest

from compliance.catalogue.training import TRAINING_RECORDS
from compliance.history import queries
from compliance.history.models import HistoryRecord, HistoryRow
from compliance.registers.listings import LISTINGS
from compliance.registers.questions import Company, Pin, Question
from compliance.tenancy import context
from tests.companies import make_company
from tests.registers.pulling import pull

pytestmark = pytest.mark.django_db
GRID = [datetime(2026, 3, 2, 9, tzinfo=UTC) + timedelta(microseconds=each) for each in range(0, 12, 2)]
RECORDS = 400


class Version(NamedTuple):
    """A version with moments of the grid; `begins_at` None: the record is absent."""

    sequence: int
    valid_from: datetime
    begins_at: datetime | None
    ends_at: datetime | None


def shape(chance: random.Random, sequence: int) -> list[Version]:
    """One to five versions of a record, each known a little later than the one before it."""
    versions = []
    for number in range(chance.randint(1, 5)):
        begins_at = None if number and chance.random() < 0.2 else chance.choice(GRID)
        ends_at = chance.choice([None, *GRID]) if begins_at is not None else None
        versions.append(Version(sequence + number, chance.choice(GRID), begins_at, ends_at))
    return versions


def store(organization_id: uuid.UUID, record_id: uuid.UUID, versions: list[Version]) -> None:
    number = versions[0].sequence
    HistoryRecord.objects.create(
        organization_id=organization_id, register=TRAINING_RECORDS.number, birth=number, record_id=record_id,
        learner_profile_id=record_id, course_id=record_id,
    )  # fmt: skip
    HistoryRow.objects.bulk_create(
        HistoryRow(
            organization_id=organization_id, sequence=each.sequence, register=TRAINING_RECORDS.number, birth=number,
            capture_sequence=2, valid_from=each.valid_from, recorded_at=GRID[-1], cause="change", logic_version=1,
            state=None if each.begins_at is None else "required", state_before_end="required", row_sha256=bytes(32),
            begins_at=each.begins_at, ends_at=each.ends_at,
            body="" if each.begins_at is None else orjson.dumps({"record_id": record_id}).decode(),
        )
        for each in versions
    )  # fmt: skip


def expected(versions: list[Version], known: int, start: datetime, end: datetime) -> int | None:
    """The sequence of the version listed for a record; None where no moment of the window lists it."""
    newest = {each.valid_from: each for each in versions if each.sequence <= known}
    moments = {start, end} | {
        each for moment in GRID for each in (moment, moment - timedelta(microseconds=1)) if start <= each <= end
    }
    last, listed = None, False
    for moment in sorted(moments):
        begun = [newest[valid_from] for valid_from in sorted(newest) if valid_from <= moment]
        if not begun or begun[-1].begins_at is None:
            continue
        _, _, begins_at, ends_at = begun[-1]
        listed |= begins_at <= moment and (ends_at is None or moment < ends_at)
        if begins_at <= end:
            last = begun[-1].sequence
    return last if listed else None


@pytest.mark.parametrize("seed", [1, 2])
def test_a_period_lists_and_shows_what_the_plain_reading_of_its_versions_does(seed: int) -> None:
    chance = random.Random(seed)
    organization_id = make_company().organization_id
    records: dict[uuid.UUID, list[Version]] = {}
    sequence = 1
    with context.company(organization_id):
        for _ in range(RECORDS):
            record_id = uuid.UUID(int=chance.getrandbits(128), version=4)
            records[record_id] = shape(chance, sequence)
            sequence += len(records[record_id])
            store(organization_id, record_id, records[record_id])
    company = Company(organization_id, organization_id, organization_id, "UTC", GRID[0])
    head = queries.head(organization_id)
    edges = sorted({moment + timedelta(microseconds=each) for moment in GRID for each in (-1, 0)})
    for known in (sequence, sequence // 2):
        pin = Pin(known, head.capture_sequence, head.chain_hash, GRID[-1], 1)
        for place, start in enumerate(edges):
            for end in edges[place:]:
                rows = pull(LISTINGS["period"], Question(company, pin, end, start))
                found = {uuid.UUID(row["record_id"]): row["sequence"] for row in rows}
                wanted = {
                    record_id: version
                    for record_id, versions in records.items()
                    if versions[0].sequence <= known and (version := expected(versions, known, start, end)) is not None
                }
                assert found == wanted, (start, end, known)
