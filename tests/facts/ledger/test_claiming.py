"""What a capture claims is found by indexes, however many other subjects are pending."""

import uuid
from datetime import UTC, date, datetime

import pytest
from django.db import connection

from compliance.facts.ledger import claiming
from compliance.facts.ledger.models import PendingSubject, SubjectKind
from compliance.tenancy import context
from tests.companies import make_company

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
MANY, BUDGET = 20_000, 20  # measured: 2 buffers; reading all pending rows takes 488


@pytest.fixture
def company():
    """A company with many pending narrow subjects, and after them a team, and a person who could not be decided."""
    made = make_company("Waiting", "UTC", date(2025, 1, 1), at=NOW)
    with context.company(made.organization_id):
        several = [(SubjectKind.PERSON_COURSE, 0)] * MANY + [(SubjectKind.TEAM, 0), (SubjectKind.PERSON, 3)]
        PendingSubject.objects.bulk_create(
            PendingSubject(
                organization_id=made.organization_id,
                kind=kind,
                first=uuid.uuid4(),
                second=uuid.uuid4() if kind == SubjectKind.PERSON_COURSE else None,
                recorded_at=NOW,
                attempts=attempts,
            )
            for kind, attempts in several
        )
        yield made.organization_id


def _touched(statement, values):
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", values)
        ((explained,),) = cursor.fetchall()
    return explained[0]["Plan"]["Shared Hit Blocks"] + explained[0]["Plan"]["Shared Read Blocks"]


def test_wide_narrow_and_failing_subjects_are_told_apart(company):
    assert [row[1] for row in claiming.waiting(company, NOW, wide=True, most=10)] == [SubjectKind.TEAM]
    narrow = claiming.waiting(company, NOW, wide=False, most=2 * MANY)
    assert len(narrow) == MANY + 1
    assert [row[1] for row in claiming.failing(company)] == [SubjectKind.PERSON]


@pytest.mark.one_server("Citus writes no valid JSON of what a node's plan has touched (EXPLAIN with ANALYZE)")
def test_to_find_the_wide_and_the_failing_ones_touches_nothing_of_what_else_waits(company):
    asked = {"organization": company, "now": NOW, "most": 25_000}
    assert _touched(claiming._WIDE, asked) < BUDGET
    assert _touched(claiming._FAILING, [company]) < BUDGET
    assert _touched(claiming._NARROW, asked) > BUDGET
