"""Nobody alone can do what needs a second person: attacked over HTTP, with forged forms, as every group."""

import io
import json
import re
import uuid
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from compliance.access.models import ApiKey
from compliance.facts.ledger.models import Fact, Origin
from compliance.facts.people.erasing import erase_person
from compliance.facts.people.models import Profile
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.models import AccessLog, Job
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, GROUPS, OPERATOR, actor_id
from compliance.interfaces.console.tasks import run_job
from compliance.tenancy import context
from tests import verbs
from tests.companies import Company, make_company, noon
from tests.interfaces.console import test_acting
from tests.interfaces.console.conftest import make_staff, signed_in
from tests.interfaces.console.test_acting import confirm, facts, preview, record_ids
from tests.interfaces.console.test_imports import line

pytestmark = pytest.mark.django_db
REASON = "Checked against the request"
CHANGED = "Somebody changed something about this since you looked"


@pytest.fixture(autouse=True)
def four_eyes(settings):
    settings.FOUR_EYES = True


@pytest.fixture
def company():
    made = make_company()
    return Company(made.organization_id, start=noon(90), now=timezone.now())


def address(company, act, job_id):
    return f"/console/companies/{company.organization_id}/inbox/{act}/{job_id}/"


def decide(client, company, act, job, step="confirm", reason=REASON):
    return test_acting.decide(client, address(company, act, job.job_id), step, reason)


def the_job(company):
    with context.company(company.organization_id):
        return Job.objects.exclude(state=Job.State.DRAFT).get()


def prepared(client, company, act, /, **values):
    """Prepares an act and returns the waiting job."""
    text, sent = preview(client, company, act, **values)
    assert "This needs a second person" in text
    response = confirm(client, company, act, sent)
    assert response.url == f"/console/companies/{company.organization_id}/inbox/"
    job = the_job(company)
    assert job.state == Job.State.PREPARED
    return job


def name_of(company, person):
    with context.company(company.organization_id):
        return Profile.objects.get(learner_profile_id=person.learner_profile_id).person_name


@pytest.fixture
def anna(company):
    anna = company.join("Anna Berg")
    record_ids(company)
    return anna


def erasing(client, company, person):
    return prepared(client, company, "erase", learner_profile_id=str(person.learner_profile_id))


def test_nobody_erases_alone_and_a_second_person_does_after_seeing_it_anew(company, anna):
    first, second = make_staff("manuela", COMPLIANCE_MANAGER), make_staff("marius", COMPLIANCE_MANAGER)
    job = erasing(signed_in(first), company, anna)
    assert name_of(company, anna) == "Anna Berg"
    client = signed_in(second)
    overview = client.get(f"/console/companies/{company.organization_id}/").content.decode()
    assert 'Waits for a second person <span class="count">1</span>' in overview
    assert (
        address(company, "erase", job.job_id)
        in client.get(f"/console/companies/{company.organization_id}/inbox/").content.decode()
    )
    page = client.get(address(company, "erase", job.job_id)).content.decode()
    assert "Goes: the name" in page
    assert "manuela prepared this" in page
    assert decide(client, company, "erase", job).status_code == 302
    assert name_of(company, anna) is None
    with context.company(company.organization_id):
        fact = Fact.objects.get(kind="person_erased")
        origin = Origin.objects.get(pk=fact.origin)
    assert (origin.actor_id, origin.confirmed_by) == (actor_id(first.pk), actor_id(second.pk))
    told, done = AccessLog.objects.filter(act__startswith="erase").order_by("id")
    assert (told.username, told.act) == ("manuela", "erase (prepared)")
    assert (done.username, done.act, done.reason) == ("marius", "erase", REASON)
    assert "prepared_by=manuela" in done.subject
    assert decide(client, company, "erase", job).status_code == 404


def test_what_changed_since_the_second_person_looked_is_displayed_before_it_is_done(company, anna):
    job = erasing(signed_in(make_staff("manuela", COMPLIANCE_MANAGER)), company, anna)
    client, where = signed_in(make_staff("marius", COMPLIANCE_MANAGER)), address(company, "erase", job.job_id)

    def seen(text):
        return re.search(r'name="seen" value="(\w+)"', text)[1]

    before = client.get(where).content.decode()
    assert (CHANGED in before, seen(client.get(where).content.decode())) == (False, seen(before))
    verbs.change_person(
        organization_id=company.organization_id, at=company.now, learner_profile_id=anna.learner_profile_id,
        person_name="Anna Stein",
    )  # fmt: skip
    anew = client.post(where, {"step": "confirm", "reason": REASON, "seen": seen(before)}).content.decode()
    assert (CHANGED in anew, "Anna Stein" in anew) == (True, True)
    assert name_of(company, anna) == "Anna Stein"
    assert client.post(where, {"step": "confirm", "reason": REASON, "seen": seen(anew)}).status_code == 302
    assert name_of(company, anna) is None


def test_a_facts_file_of_which_something_was_recorded_since_is_displayed_anew(company):
    known, new = _invited(), _invited()
    job = prepared(signed_in(make_staff("otto", OPERATOR)), company, "import", file=_file(known, new))
    client, where = signed_in(make_staff("olga", OPERATOR)), address(company, "import", job.job_id)
    seen = re.search(r'name="seen" value="(\w+)"', client.get(where).content.decode())[1]
    verbs.invite_person(
        organization_id=company.organization_id, at=company.now, invitation_id=uuid.UUID(known["invitation_id"]),
        work_email=known["work_email"],
    )  # fmt: skip
    assert CHANGED in client.post(where, {"step": "confirm", "reason": REASON, "seen": seen}).content.decode()
    with context.company(company.organization_id):
        assert Job.objects.get().state == Job.State.PREPARED
    assert decide(client, company, "import", job).status_code == 302


def test_nobody_confirms_or_declines_what_they_prepared(company, anna):
    user = make_staff("root", "Administrator")
    client = signed_in(user)
    job = erasing(client, company, anna)
    for step in ("confirm", "decline"):
        assert decide(client, company, "erase", job, step).status_code == 422
    assert client.get(address(company, "erase", job.job_id)).status_code == 422
    assert (
        "Waits for a second person</a>" in client.get(f"/console/companies/{company.organization_id}/").content.decode()
    )
    # The page of the act accepts no waiting job, however its form is forged.
    forged = {"learner_profile_id": str(anna.learner_profile_id), "step": "confirm", "job": str(job.job_id)}
    assert confirm(client, company, "erase", forged).headers["Location"].endswith("/inbox/")
    assert name_of(company, anna) == "Anna Berg"


@pytest.mark.parametrize("group", [*GROUPS, "Administrator"])
def test_only_who_may_do_it_confirms_it(group, staff, company, anna):
    job = erasing(staff(COMPLIANCE_MANAGER), company, anna)
    response = decide(staff(group), company, "erase", job)
    may = group in (COMPLIANCE_MANAGER, "Administrator")
    assert response.status_code == (302 if may else 403)
    assert (name_of(company, anna) is None) == may


def test_whoever_is_bound_to_another_company_confirms_nothing(staff, company, anna):
    job = erasing(staff(COMPLIANCE_MANAGER), company, anna)
    other = make_company("Other")
    client = staff(COMPLIANCE_MANAGER, companies=[other.organization_id])
    assert decide(client, company, "erase", job).status_code == 404
    elsewhere = f"/console/companies/{other.organization_id}/inbox/erase/{job.job_id}/"
    assert client.post(elsewhere, {"step": "confirm", "reason": REASON}).status_code == 404
    assert name_of(company, anna) == "Anna Berg"


def test_an_act_is_not_confirmed_through_the_page_of_another(staff, company, anna):
    job = erasing(staff(COMPLIANCE_MANAGER), company, anna)
    operator = staff(OPERATOR)
    assert decide(operator, company, "import", job).status_code == 404
    assert operator.post(address(company, "invite", job.job_id)).status_code == 404


def test_what_was_prepared_by_somebody_who_left_is_not_done(staff, company, anna):
    first = make_staff("leaver", COMPLIANCE_MANAGER)
    job = erasing(signed_in(first), company, anna)
    User.objects.filter(pk=first.pk).update(is_active=False)
    client = staff(COMPLIANCE_MANAGER)
    assert decide(client, company, "erase", job).status_code in (200, 422)
    assert name_of(company, anna) == "Anna Berg"
    assert decide(client, company, "erase", job, "decline").status_code == 302


@pytest.mark.parametrize("step", ["decline", "confirm"])
def test_nothing_of_an_upload_is_left_once_it_is_decided(step, company):
    file = io.BytesIO(json.dumps(line("person_invited", invitation_id=uuid.uuid4())).encode())
    file.name = "sick leave of Anna Berg.jsonl"
    job = prepared(signed_in(make_staff("first", OPERATOR)), company, "import", file=file)
    assert job.upload_name == file.name
    decide(signed_in(make_staff("second", OPERATOR)), company, "import", job, step)
    if step == "confirm":
        run_job(str(company.organization_id), str(job.job_id))
    with context.company(company.organization_id):
        job.refresh_from_db()
    assert (job.upload, job.upload_name, job.told) == (None, "", {})


def test_declining_needs_a_reason_and_does_nothing(staff, company, anna):
    job = erasing(staff(COMPLIANCE_MANAGER), company, anna)
    client = staff(COMPLIANCE_MANAGER)
    assert "Say why" in decide(client, company, "erase", job, "decline", " ").content.decode()
    assert "Say why" in decide(client, company, "erase", job, "confirm", "").content.decode()
    assert decide(client, company, "erase", job, "decline").status_code == 302
    assert the_job(company).state == Job.State.DECLINED
    assert decide(client, company, "erase", job).status_code == 404
    assert name_of(company, anna) == "Anna Berg"
    assert AccessLog.objects.filter(act="erase (declined)", reason=REASON).count() == 1


def test_nothing_waits_longer_than_seven_days(staff, company, anna):
    job = erasing(staff(COMPLIANCE_MANAGER), company, anna)
    with context.company(company.organization_id):
        Job.objects.update(asked_at=timezone.now() - timedelta(days=7, minutes=1))
    client = staff(COMPLIANCE_MANAGER)
    assert decide(client, company, "erase", job).status_code == 404
    assert (
        "Waits for a second person</a>" in client.get(f"/console/companies/{company.organization_id}/").content.decode()
    )
    with context.company(company.organization_id):
        jobs.forget_uploads(company.organization_id, timezone.now())
    assert the_job(company).state == Job.State.FAILED


def _file(*lines):
    file = io.BytesIO("\n".join(map(json.dumps, lines)).encode())
    file.name = "facts.jsonl"
    return file


def _invited():
    return line("person_invited", invitation_id=uuid.uuid4(), work_email="new@example.org")


def test_a_facts_file_is_recorded_once_a_second_person_confirms_it(company):
    first, second = make_staff("otto", OPERATOR), make_staff("olga", OPERATOR)
    job = prepared(signed_in(first), company, "import", file=_file(_invited()))
    run_job(str(company.organization_id), str(job.job_id))
    assert facts(company) == []
    client = signed_in(second)
    assert "Would be recorded" in client.get(address(company, "import", job.job_id)).content.decode()
    decide(client, company, "import", job)
    run_job(str(company.organization_id), str(job.job_id))
    assert facts(company) == ["person_invited"]
    with context.company(company.organization_id):
        origin = Origin.objects.get()
        assert Job.objects.get().upload is None
    assert (origin.channel, origin.actor_id, origin.confirmed_by) == ("file", actor_id(first.pk), actor_id(second.pk))


def test_a_file_that_is_only_tried_needs_nobody(staff, company):
    _, sent = preview(staff(OPERATOR), company, "import", file=_file(_invited()), only_try="on")
    assert "job" in sent


def test_a_file_holds_only_what_both_may_tell(staff, company, anna):
    first = make_staff("root", "Administrator")
    job = prepared(
        signed_in(first),
        company,
        "import",
        file=_file(line("person_erased", learner_profile_id=anna.learner_profile_id)),
    )
    client = staff(OPERATOR)
    assert "person_erased is not among the kinds" in client.get(address(company, "import", job.job_id)).content.decode()
    decide(client, company, "import", job)
    run_job(str(company.organization_id), str(job.job_id))
    assert name_of(company, anna) == "Anna Berg"


def test_the_worker_asks_again_whether_both_still_may(company):
    first, second = make_staff("otto", OPERATOR), make_staff("olga", OPERATOR)
    job = prepared(signed_in(first), company, "import", file=_file(_invited()))
    decide(signed_in(second), company, "import", job)
    second.groups.clear()
    run_job(str(company.organization_id), str(job.job_id))
    assert the_job(company).state == Job.State.FAILED
    assert facts(company) == []


def test_work_begun_before_four_eyes_were_asked_for_is_not_done(company, settings):
    settings.FOUR_EYES = False
    client = signed_in(make_staff("otto", OPERATOR))
    _, sent = preview(client, company, "import", file=_file(_invited()))
    confirm(client, company, "import", sent)
    settings.FOUR_EYES = True
    run_job(str(company.organization_id), str(the_job(company).job_id))
    assert "This needs a second person now" in the_job(company).message
    assert facts(company) == []


def test_an_upload_that_waits_goes_with_an_erasure(staff, company, anna):
    job = prepared(staff(OPERATOR), company, "import", file=_file(_invited()))
    erase_person(organization_id=company.organization_id, learner_profile_id=anna.learner_profile_id, at=timezone.now())
    assert decide(staff(OPERATOR), company, "import", job).status_code == 422
    with context.company(company.organization_id):
        jobs.forget_uploads(company.organization_id, timezone.now())
    found = the_job(company)
    assert (found.upload, found.told, found.state) == (None, {}, Job.State.FAILED)


@pytest.mark.parametrize("people, second", [(25, False), (26, True)])
def test_waiving_more_than_25_needs_a_second_person(company, people, second):
    for number in range(people):
        company.join(f"Person {number}")
    company.share(company.course())
    records = "\n".join(map(str, record_ids(company)))
    client = signed_in(make_staff("manuela", COMPLIANCE_MANAGER))
    text, sent = preview(client, company, "waive-many", reason_code="administrative", record_ids=records)
    assert ("This needs a second person" in text) == second
    confirm(client, company, "waive-many", sent)
    job = the_job(company)
    run_job(str(company.organization_id), str(job.job_id))
    assert facts(company).count("obligation_changed") == (0 if second else people)
    if second:
        decide(signed_in(make_staff("marius", COMPLIANCE_MANAGER)), company, "waive-many", job)
        run_job(str(company.organization_id), str(job.job_id))
        assert facts(company).count("obligation_changed") == people


def test_a_key_with_names_needs_two_who_may_export(company):
    both = [make_staff(name, OPERATOR) for name in ("otto", "olga")]
    for user in both:
        user.groups.add(*_groups(COMPLIANCE_MANAGER))
    day = (timezone.now() + timedelta(days=30)).date().isoformat()
    job = prepared(
        signed_in(both[0]), company, "issue-key", key_name="Warehouse", scopes=["people:read"], networks="",
        expires_on=day,
    )  # fmt: skip
    assert not ApiKey.objects.exists()
    plain = decide(signed_in(make_staff("plain", OPERATOR)), company, "issue-key", job)
    assert "Only who may export" in plain.content.decode()
    assert not ApiKey.objects.exists()
    page = decide(signed_in(both[1]), company, "issue-key", job).content.decode()
    assert re.search(r"svc_test_\w{49}", page)
    key = ApiKey.objects.get()
    assert key.issued_by == str(actor_id(both[1].pk)), "whoever was shown the key"
    _, sent = preview(signed_in(both[0]), company, "rotate-key", key_id=str(key.key_id))
    confirm(signed_in(both[0]), company, "rotate-key", sent)
    with context.company(company.organization_id):
        job = Job.objects.get(state=Job.State.PREPARED)
    assert re.search(r"svc_test_\w{49}", decide(signed_in(both[1]), company, "rotate-key", job).content.decode())
    assert ApiKey.objects.get(rotated_from=key.key_id).issued_by == str(actor_id(both[1].pk))
    job = None
    _, sent = preview(
        signed_in(both[0]), company, "issue-key", key_name="Plain", scopes=["training:read"], networks="",
        expires_on=day,
    )  # fmt: skip
    assert confirm(signed_in(both[0]), company, "issue-key", sent).status_code == 200


def _groups(*names):
    from django.contrib.auth.models import Group

    return Group.objects.filter(name__in=names)


def test_an_auditor_sees_the_inbox_and_decides_nothing(staff, company, anna):
    job = erasing(staff(COMPLIANCE_MANAGER), company, anna)
    auditor = staff(AUDITOR)
    page = auditor.get(f"/console/companies/{company.organization_id}/inbox/")
    assert (page.status_code, "Look and decide" in page.content.decode()) == (200, False)
    assert auditor.get(address(company, "erase", job.job_id)).status_code == 403


def test_where_four_eyes_are_off_everything_is_done_at_once(staff, company, anna, settings):
    settings.FOUR_EYES = False
    client = staff(COMPLIANCE_MANAGER)
    text, sent = preview(client, company, "erase", learner_profile_id=str(anna.learner_profile_id))
    assert "second person" not in text
    confirm(client, company, "erase", sent)
    assert name_of(company, anna) is None
