"""The benchmark writes its data without the writer: the tables' guards allow it, and the registers read it."""

from datetime import UTC, datetime, timedelta

import pytest

from benchmarks import building
from compliance.registers import training
from compliance.registers.listings import LISTINGS
from compliance.registers.questions import Company, Pin, Question
from tests.registers.pulling import pull

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.mark.one_server("Citus makes a COPY of what builds the benchmark's data, and row-level security refuses it")
def test_a_built_company_is_read_with_all_its_records_at_any_moment(committed):
    built = building.company("Built", 30, 3, NOW, building.template(NOW))
    organization_id = built.organization_id
    building.captures(organization_id, 90, NOW)
    company = Company(organization_id, organization_id, organization_id, "Europe/London", building.BEGAN)
    question = Question(company, Pin(90, 2, "0" * 64, NOW, 1), NOW, personal=True)

    rows = pull(training.RECORDS, question)
    assert len({row["record_id"] for row in rows}) == built.records
    assert {row["person_name"] for row in rows} == {"Person 0", "Person 1", "Person 2"}
    assert pull(LISTINGS["period"], question._replace(start=NOW - timedelta(days=400)), 7) == rows
