"""A facts file of staff can do no more than they may do in the console: attacked over HTTP."""

import io
import json
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from compliance.facts.errors import NotAllowedToTellError
from compliance.facts.importing import import_facts
from compliance.facts.lines.kinds import KINDS
from compliance.facts.people.models import Profile
from compliance.facts.recording import Channel, Teller, telling
from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.permissions import GROUPS, OPERATOR
from compliance.interfaces.console.tasks import run_job
from compliance.tenancy import context
from tests.companies import Company, make_company, noon
from tests.interfaces.console.conftest import make_staff, signed_in
from tests.interfaces.console.test_acting import confirm, facts, preview, record_ids
from tests.verbs import create_team

pytestmark = pytest.mark.django_db


@pytest.fixture
def company():
    made = make_company()
    return Company(made.organization_id, start=noon(90), now=timezone.now())


def line(fact, **fields):
    """A line of a facts file, dated a minute ago."""
    at = (timezone.now() - timedelta(minutes=1)).isoformat()
    return {"fact": fact, "fact_id": str(uuid.uuid4()), "at": at} | {name: str(each) for name, each in fields.items()}


def hand_in(client, company, lines):
    """Imports `lines` as staff and worker do. Returns the preview and the page of the work."""
    file = io.BytesIO("\n".join(map(json.dumps, lines)).encode())
    file.name = "facts.jsonl"
    text, sent = preview(client, company, "import", file=file)
    response = confirm(client, company, "import", sent)
    with context.company(company.organization_id):
        job = Job.objects.get(act="import", state=Job.State.WAITING)
    run_job(str(company.organization_id), str(job.job_id))
    with context.company(company.organization_id):
        job.refresh_from_db()
    assert (job.upload, job.upload_name, job.told) == (None, "", {})  # any of these may name somebody
    return text, client.get(response.url).content.decode()


def an_attack(company, anna, course):
    """Facts that no Operator may record in the console: a signature, a waiver, an erasure, a completion."""
    signed = line(
        "policy_signed", receipt_id=uuid.uuid4(), share_id=uuid.uuid4(), course_release_id=uuid.uuid4(),
        learner_profile_id=anna.learner_profile_id, door="employee", sign_in_methods="passkey at headquarters",
    )  # fmt: skip
    return [
        signed | {"signature": {"typed": "Anna Berg"}},
        line(
            "obligation_changed", learner_profile_id=anna.learner_profile_id, course_id=course.course_id,
            actor_id=uuid.uuid4(), change="waive", reason_code="medical",
        )
        | {"obligation_change_id": 1},
        line("person_erased", learner_profile_id=anna.learner_profile_id),
        line(
            "course_completed", completion_receipt_id=uuid.uuid4(), learner_profile_id=anna.learner_profile_id,
            course_release_id=course.course_release_id,
        ),
        line("employee_joined", person_id=uuid.uuid4(), learner_profile_id=uuid.uuid4(), person_name="Mallory"),
    ]  # fmt: skip


def test_an_operators_file_records_nothing_that_the_console_forbids_and_keeps_its_good_lines(staff, company):
    anna, course = company.join("Anna Berg"), company.course()
    company.share(course)
    record_ids(company)
    before = facts(company)
    good = line("person_invited", invitation_id=uuid.uuid4(), work_email="new@example.org")
    text, page = hand_in(staff(OPERATOR), company, [*an_attack(company, anna, course), good])
    kinds = ["policy_signed", "obligation_changed", "person_erased", "course_completed", "employee_joined"]
    for number, kind in enumerate(kinds, start=1):
        for said in (text, page):
            assert f"Line {number}: fact: {kind} is not among the kinds of fact that you may tell." in said
    assert sorted(facts(company)) == sorted([*before, "person_invited"])
    with context.company(company.organization_id):
        assert Profile.objects.get(learner_profile_id=anna.learner_profile_id).person_name == "Anna Berg"


def test_signatures_and_completions_come_from_no_member_of_staff_at_all(staff, company):
    anna, course = company.join("Anna Berg"), company.course()
    before = facts(company)
    completed = an_attack(company, anna, course)[3]
    _, page = hand_in(staff("Administrator"), company, [completed])
    assert "course_completed is not among the kinds of fact that you may tell" in page
    assert facts(company) == before
    assert "policy_signed" not in {kind for act in ACTS.values() for kind in act.kinds}


def test_nobody_waives_in_the_name_of_another(company):
    anna, course = company.join("Anna Berg"), company.course()
    company.share(course)
    record_ids(company)
    user = make_staff("root", "Administrator")
    client = signed_in(user)
    waived = an_attack(company, anna, course)[1]
    _, page = hand_in(client, company, [waived])
    assert "Line 1: actor_id: names another person than you; who tells a fact is who acted." in page
    assert "obligation_changed" not in facts(company)
    published = line("release_published", course_id=course.course_id, course_release_id=uuid.uuid4())
    published |= {"version": 9, "lessons": [], "content": {}, "publisher_id": str(uuid.uuid4())}
    assert "Line 1: publisher_id: names another person than you" in hand_in(client, company, [published])[1]


@pytest.mark.parametrize("group", [*GROUPS, "Administrator"])
def test_a_group_hands_in_no_kind_beyond_those_of_its_own_acts(group, staff, company):
    page = staff(group).post(
        f"/console/companies/{company.organization_id}/act/import/",
        {
            "step": "preview",
            "file": io.BytesIO(json.dumps(line("team_created", team_id=uuid.uuid4(), name="X")).encode()),
        },
    )
    if group in (OPERATOR, "Administrator"):
        assert "team_created is not among the kinds of fact that you may tell" in page.content.decode()
    else:
        assert page.status_code == 403


def test_whoever_lost_a_group_between_asking_and_the_worker_tells_only_what_is_left(company):
    from django.contrib.auth.models import Group

    from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER

    anna = company.join("Anna Berg")
    user = make_staff("both", OPERATOR)
    user.groups.add(Group.objects.get(name=COMPLIANCE_MANAGER))
    client = signed_in(user)
    file = io.BytesIO(json.dumps(line("person_erased", learner_profile_id=anna.learner_profile_id)).encode())
    file.name = "facts.jsonl"
    text, sent = preview(client, company, "import", file=file)
    assert "Lines that are wrong</dt><dd>0" in text
    confirm(client, company, "import", sent)
    user.groups.remove(Group.objects.get(name=COMPLIANCE_MANAGER))
    with context.company(company.organization_id):
        job = Job.objects.get()
    run_job(str(company.organization_id), str(job.job_id))
    assert "person_erased" not in facts(company)


def test_an_act_records_only_the_kinds_that_it_declares(company):
    with telling(Teller(Channel.CONSOLE, kinds=frozenset({"person_invited"}))), pytest.raises(NotAllowedToTellError):
        create_team(organization_id=company.organization_id, name="Sales", at=timezone.now())
    assert {kind for act in ACTS.values() for kind in act.kinds} <= set(KINDS)


def test_a_file_on_the_server_keeps_its_full_strength(company):
    anna, course = company.join("Anna Berg"), company.course()
    company.share(course)
    record_ids(company)
    lines = an_attack(company, anna, course)[1:4]
    stream = io.BytesIO("\n".join(map(json.dumps, lines)).encode())
    report = import_facts(organization_id=company.organization_id, stream=stream, now=timezone.now())
    assert not [each for each in report.errors if "may tell" in each.reason or "another person" in each.reason]
    assert "person_erased" in facts(company)
