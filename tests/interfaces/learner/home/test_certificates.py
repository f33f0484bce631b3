"""One's own certificates: the page, the file to print, the proof; another person's is not found."""

import json
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.facts.lines.kinds import Certificate
from compliance.history.of_person import held
from compliance.log import keys, signing
from compliance.proofs.findings import Report
from compliance.proofs.log_trust import log_trust
from compliance.proofs.row_proof import parse_row_proof
from compliance.proofs.row_verifier import verify_row_proof
from compliance.rules.vocabulary import CertificateKind
from compliance.tenancy import context
from tests import verbs
from tests.companies import Person, make_present_company, noon
from tests.interfaces.learner.home.conftest import Here

pytestmark = pytest.mark.usefixtures("seen_by_all_roles")
KEY = "a key of the test that is long enough"


@pytest.fixture(autouse=True)
def log_folder(settings: Any, tmp_path: Path) -> None:
    settings.LOG_FOLDER = str(tmp_path / "log")
    settings.LOG_ORIGIN = ""
    settings.CHECKPOINT_KEYS = [KEY]


def earn(here: Here, person: Person, title: str = "Forklift", valid_months: int | None = 12) -> uuid.UUID:
    """The certificate that a person earns with a course."""
    told = Certificate(title=title, kind=CertificateKind.COMPLETION, valid_months=valid_months)
    course = here.company.course(title, certificate=told)
    here.company.share(course)
    here.company.complete(person, course, noon(20))
    here.capture()
    with context.company(here.organization_id):
        rows = held(here.organization_id, person.learner_profile_id, datetime.now(UTC), ("certificates",))
    return next(row.record_id for row in rows if row.fields["certificate_title"] == title)


def test_a_certificate_is_on_the_page_of_what_was_done_and_has_a_page_of_its_own(here):
    certificate_id = earn(here, here.anna)
    assert f'href="/learn/certificates/{certificate_id}"' in here.page("/learn/done")
    html = here.page(f"/learn/certificates/{certificate_id}")
    for said in ("Certificate of completion", "Forklift", "Anna Reis", "Harbour Works", "Valid until"):
        assert said in html, said


def test_the_pdf_is_that_of_the_check_page(here):
    certificate_id = earn(here, here.anna)
    answer = here.client.get(f"/learn/certificates/{certificate_id}/certificate.pdf")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    assert answer.content.startswith(b"%PDF")
    check = here.page(f"/learn/certificates/{certificate_id}").partition("/check/")[2].partition('"')[0]
    assert here.client.get(f"/check/{check}/certificate.pdf").content == answer.content
    german = here.client.get(f"/learn/certificates/{certificate_id}/certificate.pdf", headers={"Accept-Language": "de"})
    assert german.content == answer.content


def test_the_proof_waits_politely_until_it_is_signed_and_then_verifies_with_the_name(here):
    certificate_id = earn(here, here.anna)
    address = f"/learn/certificates/{certificate_id}/proof.json"
    answer = here.client.get(address)
    assert answer.status_code == 503
    assert int(answer["Retry-After"]) > 0
    assert "In a moment" in answer.content.decode()
    signing.sign_new(datetime.now(UTC))
    answer = here.client.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    report = Report()
    proof = parse_row_proof("answer", answer.content, report)
    assert proof is not None, report.faults
    verify_row_proof(proof, log_trust(keys.verifier_keys()[0]), report)
    assert report.faults == []
    assert json.loads(answer.content)["identity"]["person_name"] == "Anna Reis"


def test_a_revoked_certificate_says_so_and_is_printed_no_more(here):
    certificate_id = earn(here, here.anna)
    verbs.revoke_certificate(**here.when(1), certificate_id=certificate_id, actor_id=uuid.uuid4())
    here.capture()
    assert "Withdrawn" in here.page(f"/learn/certificates/{certificate_id}")
    assert here.client.get(f"/learn/certificates/{certificate_id}/certificate.pdf").status_code == 404


def test_anothers_certificate_one_of_another_company_and_none_answer_alike(here, signed_in):
    bo = here.company.join("Bo Lind", at=noon(39))
    of_bo = earn(here, bo, "Ladders")
    elsewhere = make_present_company("Elsewhere")
    eve = elsewhere.join("Eve", at=noon(40))
    own = earn(here, here.anna)
    stranger = signed_in(elsewhere.organization_id, eve.learner_profile_id)
    for ending in ("", "/certificate.pdf", "/proof.json"):
        answers = [
            here.client.get(f"/learn/certificates/{of_bo}{ending}"),
            here.client.get(f"/learn/certificates/{uuid.uuid4()}{ending}"),
            stranger.get(f"/learn/certificates/{own}{ending}"),
        ]
        assert [answer.status_code for answer in answers] == [404, 404, 404], ending
    assert here.client.get("/learn/certificates/7").status_code == 404


def test_what_is_done_costs_the_same_however_much_it_is(here, django_assert_num_queries):
    earn(here, here.anna)
    with CaptureQueriesContext(connection) as few:
        here.page("/learn/done")
    for number in range(6):
        earn(here, here.anna, f"Course {number}")
        here.confirm(here.policy(f"Policy {number}"))
    with django_assert_num_queries(len(few)):
        here.page("/learn/done")
