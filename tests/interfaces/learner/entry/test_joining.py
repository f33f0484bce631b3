"""Invitations: whoever was invited states their name, and joins."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from compliance.facts.ledger.models import Origin
from compliance.facts.people.erasing import erase_invitation
from compliance.facts.people.models import Employment, Profile, TeamMembership
from compliance.tenancy import context
from tests import verbs
from tests.companies import noon

pytestmark = pytest.mark.django_db


@pytest.fixture
def invite(company, link):
    """`invite(...)`: the path of an invitation's link, and its identifier."""

    def make(**told):
        address = f"{uuid.uuid4().hex}@work.example"
        invitation_id = verbs.invite_person(
            organization_id=company.organization_id, at=noon(3), now=datetime.now(UTC),
            **{"work_email": address, "person_name": "Dana Ito"} | told,
        )  # fmt: skip
        return link(invitation_id=invitation_id, life=timedelta(days=30)), invitation_id

    return make


def test_whoever_was_invited_confirms_the_name_and_is_in_with_the_teams_of_the_invitation(company, invite):
    team_id = company.team("Sales")
    address, invitation_id = invite(team_ids=(team_id,))
    browser = Client()
    page = browser.get(address)
    assert page.status_code == 200
    assert "Northwind invites you" in page.content.decode()
    assert 'value="Dana Ito"' in page.content.decode()
    response = browser.post(address, {"name": "  Dana   Itō "})
    assert (response.status_code, response["Location"]) == (303, "/learn/")
    assert browser.get("/learn/devices").status_code == 200
    with context.company(company.organization_id):
        stay = Employment.objects.get(organization_id=company.organization_id, invitation_id=invitation_id)
        profile = Profile.objects.get(learner_profile_id=stay.learner_profile_id)
        assert profile.person_name == "Dana Itō"
        assert profile.work_email.endswith("@work.example")
        assert TeamMembership.objects.filter(team_id=team_id, learner_profile_id=stay.learner_profile_id).exists()


def test_the_fact_says_that_the_learner_told_it(company, invite):
    address, _ = invite()
    Client().post(address, {"name": "Dana"})
    with context.company(company.organization_id):
        origins = Origin.objects.filter(organization_id=company.organization_id).order_by("-pk")
        assert origins.first().channel == "learner"


@pytest.mark.parametrize("name", ["", "   ", "x" * 301, "Dana\x00", "\x1b[31m"])
def test_a_name_that_is_none_is_asked_for_again(company, invite, name):
    address, invitation_id = invite()
    response = Client().post(address, {"name": name})
    assert response.status_code == 422
    assert '<a href="#name">' in response.content.decode()
    with context.company(company.organization_id):
        assert not Employment.objects.filter(invitation_id=invitation_id).exists()
    assert Client().post(address, {"name": "Dana"}).status_code == 303


def test_an_invitation_is_accepted_once_by_whichever_of_its_links(company, invite, link):
    address, invitation_id = invite()
    again = link(invitation_id=invitation_id, life=timedelta(days=30))
    assert Client().post(address, {"name": "Dana"}).status_code == 303
    for old in (address, again):
        response = Client().post(old, {"name": "Eve"})
        assert response.status_code == 410
    with context.company(company.organization_id):
        assert Employment.objects.filter(invitation_id=invitation_id).count() == 1


@pytest.mark.parametrize("end", ["revoked", "expired", "accepted elsewhere", "erased", "here already"])
def test_an_invitation_that_does_not_hold_any_more_says_why(company, invite, end):
    now = datetime.now(UTC)
    told = {"organization_id": company.organization_id, "at": now - timedelta(minutes=1), "now": now}
    address, invitation_id = invite(**({"expires_at": noon(1)} if end == "expired" else {"work_email": "d@w.example"}))
    if end == "revoked":
        verbs.revoke_invitation(**told, invitation_id=invitation_id)
    if end == "accepted elsewhere":
        company.join("Dana", at=noon(1), invitation_id=invitation_id)
    if end == "erased":
        erase_invitation(organization_id=company.organization_id, invitation_id=invitation_id, at=told["at"])
    if end == "here already":
        company.join("Dana", at=noon(1), account_email="D@w.example")
    status, words = {
        "revoked": (410, "This invitation was withdrawn"),
        "expired": (410, "This invitation has run out"),
        "accepted elsewhere": (410, "This invitation was accepted before"),
        "erased": (404, "This link does not work"),
        "here already": (409, "You have joined already"),
    }[end]
    for response in (Client().get(address), Client().post(address, {"name": "Eve"})):
        assert response.status_code == status
        assert words in response.content.decode()
    with context.company(company.organization_id):
        assert not Profile.objects.filter(organization_id=company.organization_id, person_name="Eve").exists()


def test_somebody_who_is_signed_in_is_asked_before_they_make_room(company, anna, invite, signed_in):
    address, _ = invite()
    browser = signed_in(company.organization_id, anna.learner_profile_id)
    assert "Somebody is signed in in this browser" in browser.get(address).content.decode()
    assert browser.post(address, {"name": "Dana"}).status_code == 409
    assert browser.post(address, {"name": "Dana", "replace": "yes"}).status_code == 303
