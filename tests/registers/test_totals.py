"""Totals are exact, whether counted again or updated from the kept number."""

import random
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from compliance.history.models import HistoryHead
from compliance.registers import pages, totals, training
from compliance.registers.questions import Company, Pin, Question
from compliance.tenancy import context
from tests.registers.stored import StoredCompany

pytestmark = pytest.mark.django_db

LEARN = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
DAY = timedelta(days=1)


def _question(stored, moment):
    head = HistoryHead.objects.get(organization_id=stored.organization_id)
    company = Company(stored.organization_id, uuid.uuid4(), uuid.uuid4(), "UTC", LEARN)
    pin = Pin(head.sequence, head.capture_sequence, head.chain_hash, head.captured_at, 1)
    return Question(company, pin, moment)


def _both(stored, moment):
    question = _question(stored, moment)
    with context.company(stored.organization_id):
        return totals.total(training.RECORDS, question), pages.count(training.RECORDS, question)


def test_a_kept_total_follows_every_kind_of_change(now):
    stored = StoredCompany(now)
    chosen = random.Random(20261122)
    learner = stored.profile()
    records: list[uuid.UUID] = []
    for _ in range(40):
        match chosen.choice(["add", "add", "end", "absent", "future"]):
            case "end" if records:
                record = chosen.choice(records)
                stored.training(
                    learner, LEARN, record_id=record, requirement="no_longer_required", ended_at=LEARN + DAY,
                    valid_from=LEARN + DAY,
                )  # fmt: skip
            case "absent" if records:
                stored.absent(chosen.choice(records), LEARN + 2 * DAY)
            case "future":
                records.append(stored.training(learner, now + timedelta(minutes=chosen.randrange(5))))
            case _:
                records.append(stored.training(learner, LEARN))
        for moment in (now, now + DAY, LEARN):
            kept, counted = _both(stored, moment)
            assert kept == counted


def test_what_was_counted_under_another_chain_is_not_trusted(now):
    stored = StoredCompany(now)
    learner = stored.profile()
    stored.training(learner, LEARN)
    question = _question(stored, now)
    name = totals._name(training.RECORDS, question)
    totals._write(name, totals.Kept(1, 2, "f" * 64, 0, 99))
    assert _both(stored, now) == (1, 1)
    assert totals._read(name).total == 1


def test_without_redis_totals_are_counted(now, settings):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    stored = StoredCompany(now)
    stored.training(stored.profile(), LEARN)
    assert _both(stored, now) == (1, 1)
