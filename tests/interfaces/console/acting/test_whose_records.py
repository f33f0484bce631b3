"""The access log names whom previews and pickers display, and marks the acts that may change everybody's records."""

from datetime import timedelta

import pytest

from compliance.catalogue.certificates import CERTIFICATES
from compliance.facts.lines.kinds import Certificate
from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.models import AccessLog, Job
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER, OPERATOR
from compliance.rules.vocabulary import CertificateKind
from compliance.tenancy import context
from tests.companies import make_present_company
from tests.interfaces.console.conftest import make_staff, signed_in
from tests.interfaces.console.test_acting import confirm, preview, record_ids

pytestmark = pytest.mark.django_db
WIDE = {
    "assign", "share-course", "share-policy", "change-share", "end-share", "publish-course", "withdraw-course",
    "publish-policy",
}  # fmt: skip


@pytest.fixture
def company():
    return make_present_company("Logged")


def newest(company):
    return AccessLog.objects.filter(organization_id=company.organization_id).latest("id")


def test_whom_the_preview_of_an_assignment_names_is_in_the_log_and_the_act_is_of_everybody(staff, company):
    people = [company.join(name) for name in ("Anna Berg", "Ben Ito", "Cleo Mar")]
    course = company.course("Fire safety")
    record_ids(company)
    client = staff(COMPLIANCE_MANAGER)
    text, sent = preview(client, company, "assign", course_id=str(course.course_id), everyone="on")
    assert "<bdi>Cleo Mar</bdi>" in text
    assert newest(company).learner_profile_ids == sorted(each.learner_profile_id for each in people)
    assert confirm(client, company, "assign", sent).status_code == 302
    line = newest(company)
    assert (line.act, line.everybody) == ("assign", True)


def test_whoever_loses_what_a_share_asked_of_them_is_in_the_log_of_the_preview_and_of_one_after_a_mistake(
    staff, company
):
    anna = company.join("Anna Berg")
    share = company.share(company.course("Fire safety"))
    record_ids(company)
    client = staff(COMPLIANCE_MANAGER)
    text, sent = preview(client, company, "end-share", share_id=str(share))
    assert "Anna Berg" in text
    assert newest(company).learner_profile_ids == [anna.learner_profile_id]
    assert "Say why" in confirm(client, company, "end-share", sent, reason=" ").content.decode()
    assert newest(company).learner_profile_ids == [anna.learner_profile_id]


def test_whom_the_second_persons_preview_names_is_in_the_log(company, settings, monkeypatch):
    settings.FOUR_EYES = True
    anna = company.join("Anna Berg")
    record_ids(company)
    first, second = (signed_in(make_staff(name, COMPLIANCE_MANAGER)) for name in ("first", "second"))
    _, sent = preview(first, company, "erase", learner_profile_id=str(anna.learner_profile_id))
    assert confirm(first, company, "erase", sent).status_code == 302
    monkeypatch.setattr(ACTS["erase"], "learners", lambda acting: [])  # whom the form names, unlike the preview
    with context.company(company.organization_id):
        job = Job.objects.get(state=Job.State.PREPARED)
    page = second.get(f"/console/companies/{company.organization_id}/inbox/erase/{job.job_id}/")
    assert "Anna Berg" in page.content.decode()
    assert newest(company).learner_profile_ids == [anna.learner_profile_id]


def test_acts_that_may_change_everybodys_records_are_marked_so():
    assert {name for name, act in ACTS.items() if act.everybody} >= WIDE


def test_whose_name_an_address_reveals_is_in_the_log_and_nobody_who_is_only_tried(staff, company):
    gone = company.join("Gone Berg", at=company.now - timedelta(days=30))
    company.leave(gone, at=company.now - timedelta(days=3))
    record_ids(company)
    client = staff(OPERATOR)
    text, _ = preview(client, company, "add-person", person_name="Somebody", account_email="gone.berg@example.org")
    assert "as Gone Berg" in text
    assert newest(company).learner_profile_ids == [gone.learner_profile_id]
    preview(client, company, "add-person", person_name="New", account_email="new@example.org")
    assert newest(company).learner_profile_ids == []


def test_pickers_of_certificates_and_invitations_log_people_and_no_other_identifiers(staff, company):
    anna = company.join("Anna Berg", at=company.now - timedelta(days=30))
    course = company.course(certificate=Certificate(title="Fire", kind=CertificateKind.COMPLETION, valid_months=12))
    company.share(course)
    company.complete(anna, course, at=company.now - timedelta(days=5))
    (certificate,) = record_ids(company, CERTIFICATES.number)
    client = staff(COMPLIANCE_MANAGER)
    _, sent = preview(client, company, "invite", work_email="cleo@example.org", person_name="Cleo Mar")
    confirm(client, company, "invite", sent)
    pages = f"/console/companies/{company.organization_id}"
    for kind, words, logged in (("certificate", "anna", [anna.learner_profile_id]), ("invitation", "cleo", [])):
        found = client.post(f"{pages}/pick/{kind}/", {"q": words}).json()["found"]
        assert len(found) == 1
        assert newest(company).learner_profile_ids == logged
    client.get(f"{pages}/act/revoke-certificate/", {"certificate_id": str(certificate)})
    assert newest(company).learner_profile_ids == [anna.learner_profile_id]
    client.get(f"{pages}/act/revoke-invitation/", {"invitation_id": found[0]["id"]})
    assert newest(company).learner_profile_ids == []
