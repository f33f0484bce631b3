"""Asking for a link by one's address: the same answer for everybody, and letters only to the people concerned."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from celery.signals import after_task_publish
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext

from compliance.facts.people.erasing import erase_person
from compliance.interfaces.learner.entry import answering, asking
from compliance.interfaces.learner.tasks import answer_waiting
from compliance.learning import link_requests
from compliance.learning.models import LinkRequest
from compliance.letters.models import Letter
from compliance.tenancy import context
from tests import verbs
from tests.companies import make_present_company, noon

pytestmark = pytest.mark.usefixtures("seen_by_all_roles")


@pytest.fixture
def visitor(visitor_address):
    """A browser with a network of its own, so that no test uses up another's requests."""
    return Client(REMOTE_ADDR=visitor_address)


@pytest.fixture
def anna():
    """A person with an account's address and a work address, and her company."""
    company = make_present_company("Northwind")
    name = uuid.uuid4().hex
    person = company.join("Anna", at=noon(20), account_email=f"{name}@home.example")
    verbs.change_person(
        organization_id=company.organization_id, at=noon(19), now=datetime.now(UTC),
        learner_profile_id=person.learner_profile_id, work_email=f"{name}@work.example",
    )  # fmt: skip
    return company, person, f"{name}@home.example", f"{name}@work.example"


def ask(visitor, address, **more):
    return visitor.post("/learn/", {"address": address} | more)


def answer_all(now=None):
    """Answers all requests, as the worker does."""
    return answering.answer_waiting(now or datetime.now(UTC), patience=timedelta(0))


def letters(company):
    with context.company(company.organization_id):
        found = Letter.objects.filter(organization_id=company.organization_id).order_by("id")
        return list(found.values_list("kind", "learner_profile_id", "to_work_address"))


@pytest.mark.parametrize("whose", ["known", "unknown", "suspended", "left", "erased"])
def test_everybody_gets_the_same_answer_and_nothing_is_looked_up(visitor, anna, whose):
    company, person, address, _ = anna
    told = {"organization_id": company.organization_id, "at": noon(2), "now": datetime.now(UTC)}
    if whose == "suspended":
        verbs.suspend_employee(**told, person_id=person.person_id)
    if whose == "left":
        company.leave(person, at=noon(2))
    if whose == "erased":
        erase_person(
            organization_id=company.organization_id, at=told["at"], learner_profile_id=person.learner_profile_id
        )
    with CaptureQueriesContext(connection) as queries:
        response = ask(visitor, "nobody@nowhere.example" if whose == "unknown" else address)
    assert (response.status_code, response["Location"]) == (303, "/learn/asked")
    assert [each["sql"].split()[0:3] for each in queries] == [["INSERT", "INTO", '"learning_linkrequest"']]
    assert answer_all() == 1
    assert letters(company) == ([("link", person.learner_profile_id, False)] if whose == "known" else [])
    assert LinkRequest.objects.count() == 0
    page = visitor.get("/learn/asked")
    assert page.status_code == 200
    assert "If your company knows you by this address" in page.content.decode()


def test_a_request_is_answered_by_a_worker_whose_clock_is_behind(visitor, anna):
    company, person, address, _ = anna
    now = datetime.now(UTC)
    request_id = link_requests.take_in(address, now)
    assert answering.answer(request_id, now - timedelta(minutes=3)) == 1
    assert letters(company) == [("link", person.learner_profile_id, False)]


def test_an_address_in_two_companies_gets_a_letter_of_each(visitor, anna):
    company, _, address, _ = anna
    other = make_present_company("Contoso")
    there = other.join("Anna B.", at=noon(5), account_email=address.upper())
    ask(visitor, f"  {address}  ")
    answer_all()
    assert len(letters(company)) == 1
    assert letters(other) == [("link", there.learner_profile_id, False)]


def test_a_letter_goes_to_the_address_that_was_typed(visitor, anna):
    company, person, _, work = anna
    ask(visitor, work)
    answer_all()
    assert letters(company) == [("link", person.learner_profile_id, True)]


def test_a_person_gets_three_letters_in_a_quarter_of_an_hour(visitor, anna):
    company, _, address, work = anna
    for typed in (address, work, address, address, work):
        assert ask(visitor, typed).status_code == 303
        answer_all()
    assert len(letters(company)) == 3
    now = datetime.now(UTC)
    request_id = link_requests.take_in(address, now + timedelta(minutes=16))
    assert answering.answer(request_id, now + timedelta(minutes=16)) == 1


def test_a_network_may_ask_thirty_times_and_then_sees_the_same_page_but_no_letter_goes_out(visitor):
    for _ in range(30):
        assert ask(visitor, "nobody@nowhere.example")["Location"] == "/learn/asked"
    assert LinkRequest.objects.count() == 30
    assert ask(visitor, "nobody@nowhere.example")["Location"] == "/learn/asked"
    assert LinkRequest.objects.count() == 30
    with override_settings(RATE_LIMIT_ADDRESS_PER_MINUTE=6000):
        ask(visitor, "nobody@nowhere.example")
    assert LinkRequest.objects.count() == 31


@pytest.mark.parametrize(
    "typed", ["", "   ", "anna", "anna@", "@example.org", "a b@example.org", "a@b@c", "<a@b.example>"]
)
def test_what_is_no_address_is_said_so_beside_the_field(visitor, typed):
    response = ask(visitor, typed)
    text = response.content.decode()
    assert response.status_code == 422
    assert '<a href="#address">Type your e-mail address' in text
    assert 'aria-invalid="true"' in text
    assert "<title>Error: " in text
    assert LinkRequest.objects.count() == 0


def test_an_address_is_kept_sealed_and_stands_nowhere_in_the_clear(visitor, caplog):
    address = f"{uuid.uuid4().hex}@home.example"
    sent = []

    def note(body, headers, **_):
        sent.append(repr((body, headers)))

    after_task_publish.connect(note)
    try:
        with caplog.at_level("DEBUG"):
            ask(visitor, address)
    finally:
        after_task_publish.disconnect(note)
    (kept,) = LinkRequest.objects.all()
    assert address.split("@")[0] not in repr(vars(kept))
    assert address not in caplog.text
    assert any(str(kept.request_id) in each for each in sent)
    assert not any(address in each for each in sent)


def test_a_request_is_readable_for_a_quarter_of_an_hour_and_answered_once(anna):
    company, _, address, _ = anna
    now = datetime.now(UTC)
    old = link_requests.take_in(address, now - timedelta(minutes=16))
    assert answering.answer(old, now) == 0
    new = link_requests.take_in(address, now)
    assert [answering.answer(new, now), answering.answer(new, now)] == [1, 0]
    assert LinkRequest.objects.count() == 0
    assert len(letters(company)) == 1


def test_a_request_survives_a_change_of_the_secret_key(anna, settings):
    _, _, address, _ = anna
    now = datetime.now(UTC)
    request_id = link_requests.take_in(address, now)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another secret key of more than thirty-two characters"
    assert answering.answer(request_id, now) == 1


def test_a_request_whose_task_was_lost_is_found_by_the_look_of_each_minute(anna):
    company, _, address, _ = anna
    now = datetime.now(UTC)
    link_requests.take_in(address, now)
    answer_waiting()
    assert letters(company) == []
    LinkRequest.objects.update(asked_at=now - timedelta(minutes=1))
    answer_waiting()
    assert len(letters(company)) == 1


def test_the_form_keeps_where_one_wanted_to_go_and_nothing_else(visitor):
    page = visitor.get("/learn/?to=devices").content.decode()
    assert '<input type="hidden" name="to" value="devices">' in page
    assert ask(visitor, "a@b.example", to="devices").cookies["learner-lead"].value == "devices"
    for elsewhere in ("//evil.example", "https://evil.example", "\\evil", "../console/", "out", "in/abc", "x" * 400):
        assert 'name="to"' not in visitor.get("/learn/", {"to": elsewhere}).content.decode()
        assert ask(visitor, "a@b.example", to=elsewhere).cookies["learner-lead"].value == ""


def test_a_foreign_form_cannot_ask():
    assert Client(enforce_csrf_checks=True).post("/learn/", {"address": "a@b.example"}).status_code == 403
    assert asking.REQUESTS_A_NETWORK == 30
