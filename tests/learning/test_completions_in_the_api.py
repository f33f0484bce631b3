"""`/v1` shows a completion that a learner has made, after the next capture: outcome, receipt and certificate."""

import secrets
from datetime import UTC, datetime

import pytest
from django.test import Client

from compliance.access.actions import issue_key
from compliance.facts.lines import Certificate
from compliance.learning import taking
from compliance.rules.vocabulary import CertificateKind, Scope
from compliance.tenancy import context
from tests.companies import make_present_company
from tests.learning.courses_to_take import RIGHT, WRONG, begin, do_everything, lesson, page, question, take_in, teach

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("choices", "certificates"), [(RIGHT, 1), (WRONG, 0)])
def test_a_finished_course_is_there_with_its_receipt(choices: list[str], certificates: int) -> None:
    company = make_present_company()
    anna = company.join()
    certificate = Certificate(title="Fire warden", kind=CertificateKind.ASSESSED, valid_months=12, renew_days_before=30)
    course = teach(company, lesson("one", page("p1", question("q1", attempts=1))), certificate=certificate)
    now = datetime.now(UTC)
    with context.company(company.organization_id):
        way = begin(company, anna, course)
        do_everything(way, now, choices=choices)
        receipt = taking.finish(way, now)
    take_in(company)
    token, _ = issue_key(
        organization_id=company.organization_id, scopes=tuple(Scope), environment="test", at=now, actor="a test"
    )
    headers = {"HTTP_AUTHORIZATION": f"Bearer {token}", "REMOTE_ADDR": f"10.{secrets.randbelow(256)}.0.1"}
    (row,) = Client().get("/v1/training-records", **headers).json()["data"]
    assert (row["completion_receipt_id"], row["outcome"]) == (str(receipt), "completed_on_time")
    assert datetime.fromisoformat(row["completed_at"]) == now
    assert row["course_release_id"] == str(course.course_release_id)
    earned = Client().get("/v1/certificates", **headers).json()["data"]
    assert len(earned) == certificates
    assert [each["certificate_id"] for each in earned] == [row["certificate_id"]] * certificates
