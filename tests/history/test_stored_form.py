"""The stored text of a row begins with the members that are hashed with its fields but hidden from /v1."""

import uuid
from datetime import timedelta
from typing import Any

import orjson
import psycopg
import pytest

from compliance.catalogue.certificates import CERTIFICATES
from compliance.catalogue.people import PEOPLE
from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.identities import identity_behind
from compliance.facts.lines.kinds import Certificate, CertificateRevoked
from compliance.facts.recording import act
from compliance.history import actions
from compliance.history.models import HistoryHead, HistoryRow
from compliance.history.projections import stored_identity
from compliance.history.verify import Verified, verify_history
from compliance.proofs.history import visible_text
from compliance.rules.vocabulary import LOGIC, CertificateKind
from compliance.tenancy import context
from tests import verbs
from tests.companies import NOW, Company, day, make_company
from tests.history.reading import rows


@pytest.fixture
def company(committed: None) -> Company:
    """Somebody has earned a certificate of a course and left; a colleague still owes the course."""
    company = make_company()
    course = company.course(certificate=Certificate(title="Fire", kind=CertificateKind.COMPLETION, valid_months=12))
    anna, bo = company.join("Anna"), company.join("Bo")
    company.share(course, due_at=day(30))
    company.complete(anna, course, day(3))
    company.leave(bo, day(5))
    actions.capture_all(company.organization_id, NOW)
    return company


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


@pytest.fixture
def written_before(company: Company, owner: psycopg.Connection) -> Company:
    """The company as an older release stored it: bodies without hidden members, and names without commitments."""
    organization_id = company.organization_id
    for row in _stored(organization_id):
        owner.execute(
            "UPDATE history_historyrow SET body = %s WHERE organization_id = %s AND sequence = %s",
            [visible_text(row.body), organization_id, row.sequence],
        )
    owner.execute("DELETE FROM people_identity WHERE organization_id = %s", [organization_id])
    owner.execute(
        "UPDATE certificates_issuedname SET salt = NULL, identity_sha256 = NULL WHERE organization_id = %s",
        [organization_id],
    )
    return company


def test_rows_of_the_form_before_are_not_written_anew(written_before: Company) -> None:
    organization_id = written_before.organization_id
    before = len(rows(organization_id))
    HistoryHead.objects.filter(organization_id=organization_id).update(logic_version=LOGIC.version - 1)
    swept = actions.sweep_company(organization_id, NOW + timedelta(hours=1))
    assert swept[0].subjects  # everything was decided again
    assert len(rows(organization_id)) == before


def test_rows_of_the_form_before_get_commitments_when_they_change(written_before: Company) -> None:
    organization_id = written_before.organization_id
    before = _stored(organization_id)
    (issued,) = (row for row in before if row.register == CERTIFICATES.number)
    body = orjson.loads(issued.body)
    about: dict[str, Any] = {"organization_id": organization_id, "now": NOW}
    verbs.change_person(
        **about, at=day(2), learner_profile_id=uuid.UUID(body["learner_profile_id"]), person_name="Anna Dahl"
    )
    act(CertificateRevoked, **about, at=day(8), certificate_id=uuid.UUID(body["certificate_id"]), actor_id=uuid.uuid4())
    actions.capture_all(organization_id, NOW + timedelta(hours=1))
    appended = [row for row in _stored(organization_id) if row.sequence > before[-1].sequence]
    (revoked,) = (row for row in appended if row.register == CERTIFICATES.number)
    changed = [row for row in appended if row.register == PEOPLE.number]
    assert [row.valid_from for row in changed] == [
        row.valid_from for row in before if row.register == PEOPLE.number and body["learner_profile_id"] in row.body
    ]
    with context.company(organization_id):
        names = [identity_behind(organization_id, stored_identity(row.body) or "") for row in (revoked, *changed)]
    assert [behind and behind.person_name for behind in names] == ["Anna", *["Anna Dahl"] * len(changed)]
