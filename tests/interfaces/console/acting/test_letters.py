"""Acts that give people access or remind them: who may do them, what is sent, and what is logged."""

import re
import uuid
from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail.backends import locmem
from django.utils import timezone

from compliance.facts.people.models import Invitation
from compliance.history.actions import capture_all
from compliance.history.of_person import held
from compliance.interfaces.console.acting import jobs, reminding
from compliance.interfaces.console.acting.bulk import RECORDS_AT_MOST
from compliance.interfaces.console.models import AccessLog, Job
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER, OPERATOR
from compliance.interfaces.console.tasks import run_job
from compliance.learning import links, sessions
from compliance.learning.models import PersonalLink
from compliance.letters import sending
from compliance.letters.models import Letter
from compliance.tenancy import context
from tests import verbs
from tests.companies import make_present_company
from tests.facts.story import Story
from tests.interfaces.console.test_acting import confirm, do, facts, preview

pytestmark = pytest.mark.django_db


class AwayBackend(locmem.EmailBackend):
    """A mail server that nothing reaches."""

    tried = 0

    def open(self):
        type(self).tried += 1
        raise TimeoutError


@pytest.fixture
def company():
    return make_present_company()


def send(company):
    sending.send_due(company.organization_id, timezone.now)
    return mail.outbox


def run(company):
    with context.company(company.organization_id):
        job = Job.objects.exclude(state=Job.State.DRAFT).latest("asked_at")
    run_job(str(company.organization_id), str(job.job_id))
    with context.company(company.organization_id):
        return Job.objects.get(job_id=job.job_id)


def policy(company):
    """A policy shared with everyone."""
    story = Story.__new__(Story)
    story.organization_id, story.now = company.organization_id, company.now
    version = story.version(at=company.start, effective_on=None)
    story.tell([version])
    story.share(version.course_id, at=company.start)
    return version


def test_a_personal_link_is_sent_to_the_person_and_logged(staff, company):
    anna = company.join("Anna")
    client = staff(OPERATOR)
    shown, sent = preview(client, company, "send-link", learner_profile_id=str(anna.learner_profile_id))
    assert "anna@example.org" in shown
    assert send(company) == []
    confirm(client, company, "send-link", sent)
    assert [letter.to for letter in send(company)] == [["anna@example.org"]]
    line = AccessLog.objects.filter(organization_id=company.organization_id, act="send-link").latest("id")
    assert line.learner_profile_ids == [anna.learner_profile_id]


def test_a_copied_link_is_shown_once_lets_in_as_the_person_and_is_logged(staff, company):
    anna = company.join("Anna")
    client = staff(COMPLIANCE_MANAGER)
    shown, sent = preview(client, company, "copy-link", learner_profile_id=str(anna.learner_profile_id))
    assert "stands in the access log" in shown
    with context.company(company.organization_id):
        assert not PersonalLink.objects.exists()
    page = confirm(client, company, "copy-link", sent)
    (token,) = re.findall(r"/learn/in/([A-Za-z0-9_=-]+)<", page.content.decode())
    assert page.headers["Cache-Control"]
    with context.company(company.organization_id):
        found = links.look(company.organization_id, token, timezone.now())
    assert found.learner_profile_id == anna.learner_profile_id
    assert found.expires_at - found.made_at == timedelta(minutes=15)
    line = AccessLog.objects.get(
        organization_id=company.organization_id, act="copy-link", status=200, page="act", reason__gt=""
    )
    assert line.learner_profile_ids == [anna.learner_profile_id]
    assert token not in str(line.subject)
    assert send(company) == []


def test_an_operator_may_send_but_not_copy(staff, company):
    anna = company.join("Anna")
    place = f"/console/companies/{company.organization_id}/act/copy-link/"
    assert staff(OPERATOR).get(place, {"learner_profile_id": str(anna.learner_profile_id)}).status_code == 403


@pytest.mark.parametrize("act", ["send-link", "copy-link"])
def test_nobody_is_let_in_who_may_not_come_in(act, staff, company):
    anna = company.join("Anna")
    company.leave(anna, company.now - timedelta(days=1))
    place = f"/console/companies/{company.organization_id}/act/{act}/"
    sent = {"learner_profile_id": str(anna.learner_profile_id), "step": "preview"}
    assert "cannot come in now" in staff(COMPLIANCE_MANAGER).post(place, sent).content.decode()


def test_withdrawing_links_takes_those_to_ones_own_pages_too(staff, company):
    anna = company.join("Anna").learner_profile_id
    with context.company(company.organization_id):
        life = timedelta(days=1)
        links.make(company.organization_id, now=company.now, life=life, learner_profile_id=anna)
        sessions.begin(company.organization_id, anna, "Firefox", company.now)
    client = staff(OPERATOR)
    shown, sent = preview(client, company, "revoke-links", learner_profile_id=str(anna))
    assert re.search(r"Links that would stop working</dt><dd[^>]*>1<", shown)
    confirm(client, company, "revoke-links", sent)
    with context.company(company.organization_id):
        assert links.usable(company.organization_id, anna, timezone.now()) == 0


def test_an_invitation_is_a_letter_and_can_be_sent_again(staff, company):
    client = staff(OPERATOR)
    preview(client, company, "invite", work_email="zoe@example.org", person_name="Zoe")
    assert send(company) == []
    do(client, company, "invite", work_email="zoe@example.org", person_name="Zoe")
    assert [letter.to for letter in send(company)] == [["zoe@example.org"]]
    with context.company(company.organization_id):
        invitation = Invitation.objects.get(organization_id=company.organization_id)
        capture_all(company.organization_id, timezone.now())
    page = client.get(f"/console/companies/{company.organization_id}/records/people/{invitation.invitation_id}/")
    assert "Send an invitation again" in page.content.decode()
    do(client, company, "send-invitation", invitation_id=str(invitation.invitation_id))
    assert len(send(company)) == 2
    verbs.revoke_invitation(
        organization_id=company.organization_id, at=timezone.now(), invitation_id=invitation.invitation_id
    )
    place = f"/console/companies/{company.organization_id}/act/send-invitation/"
    refused = client.post(place, {"invitation_id": str(invitation.invitation_id), "step": "preview"})
    assert "not here, or not any more" in refused.content.decode()


def test_a_person_gets_one_letter_about_courses_and_policies_that_were_chosen(staff, company):
    anna = company.join("Anna")
    company.share(company.course("Fire safety"))
    policy(company)
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
        found = held(company.organization_id, anna.learner_profile_id, timezone.now(), ("training", "policies"))
        records = [str(each.record_id) for each in found]
    client = staff(OPERATOR)
    shown, sent = preview(client, company, "remind-many", record_ids="\n".join(records))
    assert re.search(r"Letters</dt><dd[^>]*>1<", shown)
    confirm(client, company, "remind-many", sent)
    assert run(company).message == "2 of 2 records reminded."
    (letter,) = mail.outbox
    assert letter.subject == "2 things still to do at Acme"
    assert "/learn/in/" in letter.body
    assert facts(company).count("reminder_sent") == 1


def test_everybody_who_has_not_finished_a_course_is_reminded_of_it(staff, company):
    anna, boris, mute = company.join("Anna"), company.join("Boris"), company.join("Mute", account_email=None)
    course, other = company.course("Fire safety"), company.course("Phishing")
    company.share(course)
    company.share(other)
    company.complete(boris, course, company.now - timedelta(days=1))
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
    client = staff(OPERATOR)
    shown, sent = preview(client, company, "remind-course", course_id=str(course.course_id))
    assert re.search(r"Letters</dt><dd[^>]*>1<", shown)
    assert re.search(r"Without any address</dt><dd[^>]*>1<", shown)
    confirm(client, company, "remind-course", sent)
    assert run(company).message == "1 of 2 records reminded."
    assert [letter.to for letter in mail.outbox] == [["anna@example.org"]]
    assert "Phishing" not in mail.outbox[0].body
    assert facts(company).count("reminder_sent") == 1
    line = AccessLog.objects.filter(organization_id=company.organization_id, act="remind-course").latest("id")
    assert {anna.learner_profile_id, mute.learner_profile_id} == set(line.learner_profile_ids)


def test_a_letter_that_cannot_be_handed_over_is_recorded_nowhere(staff, company, settings):
    company.join("Anna")
    course = company.course("Fire safety")
    company.share(course)
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
    settings.EMAIL_BACKEND = "tests.letters.test_sending.RefusingBackend"
    client = staff(OPERATOR)
    _, sent = preview(client, company, "remind-course", course_id=str(course.course_id))
    confirm(client, company, "remind-course", sent)
    job = run(company)
    assert job.message == "0 of 1 records reminded."
    assert "could not be sent" in str(job.findings)
    assert "reminder_sent" not in facts(company)
    with context.company(company.organization_id):
        assert not Letter.objects.exists()


class LookingBackend(locmem.EmailBackend):
    """A mail server that looks whether a company's transaction is open while it takes letters."""

    open_in: list[uuid.UUID | None] = []

    def send_messages(self, messages):
        self.open_in.append(context.current_company())
        return super().send_messages(messages)


def test_no_transaction_is_open_while_the_mail_server_takes_a_letter(staff, company, settings):
    settings.EMAIL_BACKEND = f"{__name__}.LookingBackend"
    reminding_of_a_course(staff, company, "Anna", "Ben")
    LookingBackend.open_in.clear()
    assert run(company).message == "2 of 2 records reminded."
    assert LookingBackend.open_in == [None, None]
    assert facts(company).count("reminder_sent") == 2


def reminding_of_a_course(staff, company, *names):
    """These people owe a course of which an operator has confirmed to remind them."""
    course = company.course("Fire safety")
    company.share(course)
    people = {f"{name.lower()}@example.org": company.join(name) for name in names}
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
    client = staff(OPERATOR)
    _, sent = preview(client, company, "remind-course", course_id=str(course.course_id))
    confirm(client, company, "remind-course", sent)
    return course, people


def test_letters_of_an_act_go_out_on_one_connection(staff, company, mail_server):
    reminding_of_a_course(staff, company, "Anna", "Ben", "Cleo")
    assert run(company).message == "3 of 3 records reminded."
    assert (len(mail_server.received), mail_server.sessions) == (3, 1)


def test_a_mail_server_that_is_away_is_not_tried_for_each_letter(staff, company, settings):
    settings.EMAIL_BACKEND = f"{__name__}.AwayBackend"
    reminding_of_a_course(staff, company, "Anna", "Ben", "Cleo", "Dora", "Emil")
    AwayBackend.tried = 0
    assert run(company).message == "0 of 5 records reminded."
    assert AwayBackend.tried == 3


@pytest.mark.parametrize("meanwhile", ["completes", "leaves"])
def test_nobody_is_reminded_who_has_finished_or_left_since_the_work_began(staff, company, monkeypatch, meanwhile):
    course, people = reminding_of_a_course(staff, company, "Anna", "Ben")

    def told_of_the_first(job, done, total):
        if done == 1:
            del people[mail.outbox[0].to[0]]
            (person,) = people.values()
            if meanwhile == "completes":
                company.complete(person, course, timezone.now())
            else:
                company.leave(person, timezone.now())
            capture_all(company.organization_id, timezone.now())

    monkeypatch.setattr(reminding, "REPORTED_EVERY", 1)
    monkeypatch.setattr(jobs, "say", told_of_the_first)
    assert run(company).message == "1 of 2 records reminded."
    assert len(mail.outbox) == 1


def test_a_long_act_has_hours_and_is_not_delivered_again_meanwhile():
    assert run_job.acks_late is False
    assert run_job.soft_time_limit < run_job.time_limit < jobs.GIVEN_UP.total_seconds()
    assert run_job.soft_time_limit > RECORDS_AT_MOST / 2  # two letters a second
