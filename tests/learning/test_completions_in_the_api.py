"""`/v1` returns a completion by a learner after the next capture: outcome, receipt and certificate."""

from datetime import UTC, datetime

import pytest

from compliance.facts.lines.kinds import Certificate
from compliance.learning import taking
from compliance.rules.vocabulary import CertificateKind
from compliance.tenancy import context
from tests.companies import make_present_company
from tests.interfaces.api.conftest import Caller, issue_everything
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
    call = Caller(issue_everything(company.organization_id, now))
    (row,) = call.pull("/v1/training-records")
    assert (row["completion_receipt_id"], row["outcome"]) == (str(receipt), "completed_on_time")
    assert datetime.fromisoformat(row["completed_at"]) == now
    assert row["course_release_id"] == str(course.course_release_id)
    earned = call.pull("/v1/certificates")
    assert len(earned) == certificates
    assert [each["certificate_id"] for each in earned] == [row["certificate_id"]] * certificates
