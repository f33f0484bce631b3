"""Personal links: what they open, for whom, how often, and attempts to misuse them."""

import base64
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client, override_settings

from compliance.facts.lines.kinds import PersonChanged
from compliance.facts.people.erasing import erase_person
from compliance.facts.recording import act
from compliance.learning import links, sessions
from compliance.learning.models import LearnerSession, PersonalLink
from compliance.tenancy import context
from tests import verbs
from tests.companies import make_present_company, noon

pytestmark = pytest.mark.django_db

FIREFOX = "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"


@pytest.fixture
def visitor():
    """Somebody who is not signed in, with a browser that checks CSRF tokens as production does."""
    return Client(enforce_csrf_checks=True, headers={"user-agent": FIREFOX})


def press(visitor, address, **fields):
    """Presses the button of a link's page: GET, then POST with the form's token."""
    visitor.get(address)
    token = visitor.cookies["csrftoken"].value if "csrftoken" in visitor.cookies else ""
    return visitor.post(address, {"csrfmiddlewaretoken": token} | fields)


def standing(company, person):
    with context.company(company.organization_id):
        return sessions.open_sessions(company.organization_id, person.learner_profile_id, datetime.now(UTC))


def test_the_button_uses_the_link_up_begins_a_session_and_leads_on(company, anna, link, visitor):
    address = link(learner_profile_id=anna.learner_profile_id, leads_to="devices")
    page = visitor.get(address)
    assert page.status_code == 200
    assert "Northwind" in page.content.decode()
    assert "Anna" not in page.content.decode()
    assert standing(company, anna) == []
    response = press(visitor, address)
    assert (response.status_code, response["Location"]) == (303, "/learn/devices")
    assert [each.name for each in standing(company, anna)] == ["Firefox on Android"]
    devices = visitor.get("/learn/devices")
    assert devices.status_code == 200
    assert "Firefox on Android" in devices.content.decode()
    again = press(Client(), address)
    assert again.status_code == 410
    assert "This link was used before" in again.content.decode()


def test_a_link_that_was_sent_to_a_former_address_signs_nobody_in(company, anna, link, visitor):
    told = {"organization_id": company.organization_id, "learner_profile_id": anna.learner_profile_id}
    now = datetime.now(UTC)
    act(PersonChanged, **told, at=now - timedelta(seconds=2), now=now, account_email="wrong@example.org")
    address = link(learner_profile_id=anna.learner_profile_id, address="Wrong@example.org")
    handed_over = link(learner_profile_id=anna.learner_profile_id)
    assert visitor.get(address).status_code == 200
    act(PersonChanged, **told, at=now - timedelta(seconds=1), now=now, account_email="right@example.org")
    for answer in (visitor.get(address), press(visitor, address)):
        assert answer.status_code == 410
        assert "This link was withdrawn" in answer.content.decode()
    assert standing(company, anna) == []
    assert press(visitor, handed_over).status_code == 303  # it was sent to no address


def test_mail_scanners_that_open_a_link_use_nothing_up(company, anna, link, visitor):
    address = link(learner_profile_id=anna.learner_profile_id)
    for _ in range(5):
        assert Client().get(address).status_code == Client().head(address).status_code == 200
    assert press(visitor, address).status_code == 303


def test_the_cookie_is_for_the_browser_alone(anna, link, visitor):
    cookie = press(visitor, link(learner_profile_id=anna.learner_profile_id)).cookies["learner"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"], cookie["domain"]) == (True, "Lax", "/", "")
    assert cookie["max-age"] == 30 * 24 * 3600


@override_settings(PRODUCTION=True)
def test_in_production_the_cookie_bears_the_host_prefix_with_all_that_it_asks_for(anna, link, visitor):
    cookie = press(visitor, link(learner_profile_id=anna.learner_profile_id)).cookies["__Host-learner"]
    assert (cookie["secure"], cookie["path"], cookie["domain"]) == (True, "/", "")
    gone = press(visitor, link(learner_profile_id=anna.learner_profile_id)).client.post("/learn/out", {
        "csrfmiddlewaretoken": visitor.cookies["csrftoken"].value})  # fmt: skip
    assert (gone.cookies["__Host-learner"]["max-age"], gone.cookies["__Host-learner"]["secure"]) == (0, True)


def test_of_a_link_s_address_nothing_but_the_host_is_told_to_whom_the_page_asks(anna, link, visitor):
    response = visitor.get(link(learner_profile_id=anna.learner_profile_id))
    assert response["Referrer-Policy"] == "strict-origin"
    assert response["Cache-Control"] == "no-store"
    assert "noindex" in response["X-Robots-Tag"]


def test_a_link_that_ran_out_says_when_and_leads_to_a_new_one(company, anna, link, visitor):
    now = datetime.now(UTC)
    address = link(learner_profile_id=anna.learner_profile_id, now=now - timedelta(hours=1), leads_to="devices")
    response = press(visitor, address)
    text = response.content.decode()
    assert response.status_code == 410
    assert "This link has run out" in text
    assert "It could be used until" in text
    assert 'href="/learn/?to=devices"' in text
    assert standing(company, anna) == []


def test_a_withdrawn_link_opens_nothing(company, anna, link, visitor):
    address = link(learner_profile_id=anna.learner_profile_id)
    with context.company(company.organization_id):
        assert links.revoke(
            company.organization_id, datetime.now(UTC), learner_profile_id=anna.learner_profile_id
        ) == 1  # fmt: skip
    response = press(visitor, address)
    assert response.status_code == 410
    assert "withdrawn" in response.content.decode()


@pytest.mark.parametrize(
    "token",
    ["x", "AAAA", "a" * 5000, "%2e%2e", "f00d" * 14, base64.urlsafe_b64encode(b"y" * 16 + b"x" * 24).decode()],
)
def test_a_forged_or_cut_off_link_is_told_from_a_used_one_and_opens_nothing(visitor, token):
    for response in (visitor.get(f"/learn/in/{token}"), press(visitor, f"/learn/in/{token}")):
        assert response.status_code == 404
        assert "This link does not work" in response.content.decode()
        assert "learner" not in response.cookies


def test_a_token_of_one_company_opens_nothing_under_the_name_of_another(company, anna, link, visitor):
    token = base64.urlsafe_b64decode(link(learner_profile_id=anna.learner_profile_id).rpartition("/")[2] + "==")
    other = make_present_company("Contoso")
    forged = base64.urlsafe_b64encode(other.organization_id.bytes + token[16:]).decode()
    assert press(visitor, f"/learn/in/{forged}").status_code == 404


def test_a_link_for_many_uses_holds_until_it_runs_out(anna, link):
    address = link(learner_profile_id=anna.learner_profile_id, uses=None, life=timedelta(days=2))
    assert {press(Client(), address).status_code for _ in range(3)} == {303}


@pytest.mark.parametrize("end", ["left", "suspended", "erased"])
def test_who_may_not_come_in_is_told_so_and_the_link_stays_unused(company, anna, link, visitor, end):
    address = link(learner_profile_id=anna.learner_profile_id)
    told = {"organization_id": company.organization_id, "at": noon(0) - timedelta(days=1), "now": datetime.now(UTC)}
    if end == "left":
        company.leave(anna, at=told["at"])
    if end == "suspended":
        verbs.suspend_employee(**told, person_id=anna.person_id)
    if end == "erased":
        erase_person(organization_id=company.organization_id, at=told["at"], learner_profile_id=anna.learner_profile_id)
    response = press(visitor, address)
    assert response.status_code == 403
    assert "You cannot come in at present" in response.content.decode()
    with context.company(company.organization_id):
        assert PersonalLink.objects.get(organization_id=company.organization_id).uses_left == 1


def test_who_is_signed_in_already_goes_on_and_uses_no_link_up(company, anna, link, visitor):
    press(visitor, link(learner_profile_id=anna.learner_profile_id))
    more = link(learner_profile_id=anna.learner_profile_id, leads_to="devices")
    old = link(
        learner_profile_id=anna.learner_profile_id, now=datetime.now(UTC) - timedelta(days=1), leads_to="devices"
    )
    for address in (more, old):
        response = visitor.get(address)
        assert (response.status_code, response["Location"]) == (303, "/learn/devices")
    assert press(Client(), more).status_code == 303
    assert len(standing(company, anna)) == 2


def test_somebody_else_s_session_is_asked_about_before_it_is_replaced(company, anna, link, visitor):
    ben = company.join("Ben", at=noon(20))
    press(visitor, link(learner_profile_id=ben.learner_profile_id))
    address = link(learner_profile_id=anna.learner_profile_id)
    text = visitor.get(address).content.decode()
    assert "Somebody else is signed in in this browser" in text
    assert "Ben" not in text
    assert press(visitor, address).status_code == 200
    assert len(standing(company, ben)) == 1
    assert press(visitor, address, replace="yes").status_code == 303
    assert standing(company, ben) == []
    assert len(standing(company, anna)) == 1


def test_a_session_at_another_company_is_replaced_in_the_same_way(company, anna, link, visitor, signed_in):
    other = make_present_company("Contoso")
    ben = other.join("Ben", at=noon(20))
    visitor.cookies["learner"] = signed_in(other.organization_id, ben.learner_profile_id).cookies["learner"].value
    address = link(learner_profile_id=anna.learner_profile_id)
    assert "Somebody else" in visitor.get(address).content.decode()
    assert press(visitor, address, replace="yes").status_code == 303
    assert standing(other, ben) == []


def test_a_foreign_form_cannot_sign_anybody_in(company, anna, link):
    address = link(learner_profile_id=anna.learner_profile_id)
    assert Client(enforce_csrf_checks=True).post(address).status_code == 403
    assert standing(company, anna) == []


def test_a_session_that_was_put_into_a_browser_is_not_the_one_that_begins(anna, link, visitor):
    visitor.cookies["learner"] = "put here by somebody else"
    token = press(visitor, link(learner_profile_id=anna.learner_profile_id)).cookies["learner"].value
    before = visitor.cookies["csrftoken"].value
    assert token != "put here by somebody else"
    assert len(token) == 54
    press(visitor, link(learner_profile_id=anna.learner_profile_id))
    assert before


@pytest.mark.parametrize(
    "elsewhere",
    ["//evil.example/", "https://evil.example", "/\\evil.example", "..//console/", "out", "\r\nX: y", "in/x"],
)
def test_a_link_leads_nowhere_but_to_these_pages(anna, link, elsewhere):
    address = link(learner_profile_id=anna.learner_profile_id, leads_to=elsewhere)
    assert press(Client(), address)["Location"] == "/learn/"
    visitor = Client()
    visitor.cookies["learner-lead"] = elsewhere
    assert press(visitor, link(learner_profile_id=anna.learner_profile_id))["Location"] == "/learn/"


def test_where_one_wanted_to_go_is_where_the_letter_s_link_leads(anna, link, visitor):
    visitor.cookies["learner-lead"] = "devices"
    response = press(visitor, link(learner_profile_id=anna.learner_profile_id))
    assert response["Location"] == "/learn/devices"
    assert response.cookies["learner-lead"]["max-age"] == 0


def test_the_database_keeps_no_token(company, anna, link, visitor):
    address = link(learner_profile_id=anna.learner_profile_id)
    cookie = press(visitor, address).cookies["learner"].value
    with context.company(company.organization_id):
        kept = repr([*PersonalLink.objects.values(), *LearnerSession.objects.values()])
    assert address.rpartition("/")[2] not in kept
    assert cookie not in kept


def test_no_log_holds_a_link_s_token(anna, link, visitor, caplog):
    address = link(learner_profile_id=anna.learner_profile_id)
    with caplog.at_level("DEBUG"):
        press(visitor, address)
        press(visitor, address + "cut")
        Client(enforce_csrf_checks=True).post(address)
    assert address.rpartition("/")[2] not in caplog.text
    assert "/learn/in/[redacted]" in caplog.text
