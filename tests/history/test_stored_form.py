"""The stored text of a row: what is hashed with its fields and hidden from /v1 comes first in it."""

import uuid
from collections.abc import Iterator
from datetime import timedelta

import orjson
import psycopg
import pytest
from django.db import connections

from compliance.catalogue.certificates import CERTIFICATES
from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.lines import Certificate
from compliance.history import actions
from compliance.history.models import HistoryHead, HistoryRow
from compliance.history.verify import Verified, verify_history
from compliance.proofs.history import visible_text
from compliance.rules.vocabulary import LOGIC, CertificateKind
from tests.companies import NOW, Company, day, make_company
from tests.history.reading import rows


@pytest.fixture
def company(committed: None) -> Company:
    """Somebody has earned a certificate of a course, and left; a colleague owes it still."""
    company = make_company()
    course = company.course(certificate=Certificate(title="Fire", kind=CertificateKind.COMPLETION, valid_months=12))
    anna, bo = company.join("Anna"), company.join("Bo")
    company.share(course, due_at=day(30))
    company.complete(anna, course, day(3))
    company.leave(bo, day(5))
    actions.capture_all(company.organization_id, NOW)
    return company


@pytest.fixture
def owner(committed: None) -> Iterator[psycopg.Connection]:
    """A connection that may rewrite rows."""
    values = connections["owner"].settings_dict
    with psycopg.connect(
        host=values["HOST"], port=values["PORT"], user=values["USER"], password=values["PASSWORD"],
        dbname=values["NAME"], autocommit=True,
    ) as connection:  # fmt: skip
        connection.execute("ALTER TABLE history_historyrow DISABLE TRIGGER USER, NO FORCE ROW LEVEL SECURITY")
        yield connection
        connection.execute("ALTER TABLE history_historyrow ENABLE TRIGGER USER, FORCE ROW LEVEL SECURITY")
    connection.close()


def _stored(organization_id: uuid.UUID) -> list[HistoryRow]:
    return [row for row in rows(organization_id) if row.body]


def test_hidden_members_come_first_and_repeat_their_columns(company: Company) -> None:
    seen: set[tuple[int, str]] = set()
    for row in _stored(company.organization_id):
        stored = orjson.loads(row.body)
        hidden = [name for name in stored if name not in orjson.loads(visible_text(row.body))]
        assert list(stored)[: len(hidden)] == hidden
        if row.register == CERTIFICATES.number:
            assert stored["state"] == row.state
        elif row.register == TRAINING_RECORDS.number:
            assert stored.get("state_before_end", stored["requirement"]) == row.state_before_end
        seen.update((row.register, name) for name in hidden)
    assert {(CERTIFICATES.number, "state"), (TRAINING_RECORDS.number, "state_before_end")} <= seen
    assert isinstance(verify_history(company.organization_id), Verified)


def test_rows_of_the_form_before_are_not_written_anew(company: Company, owner: psycopg.Connection) -> None:
    organization_id = company.organization_id
    for row in _stored(organization_id):
        owner.execute(
            "UPDATE history_historyrow SET body = %s WHERE organization_id = %s AND sequence = %s",
            [visible_text(row.body), organization_id, row.sequence],
        )
    before = len(rows(organization_id))
    HistoryHead.objects.filter(organization_id=organization_id).update(logic_version=LOGIC.version - 1)
    swept = actions.sweep_company(organization_id, NOW + timedelta(hours=1))
    assert swept[0].subjects  # everything was decided again
    assert len(rows(organization_id)) == before
