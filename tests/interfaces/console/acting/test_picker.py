"""Picking by name in forms: words that match one thing, several, or nothing; identifiers of another company."""

import json
import re
import uuid

import pytest
from django.http import QueryDict
from django.utils import timezone

from compliance.interfaces.console.acting.fields import PeopleField, form_of
from compliance.interfaces.console.acting.pickable import KINDS
from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR
from compliance.tenancy import context
from compliance.tenancy.models import Organization
from tests.companies import Company, make_present_company

pytestmark = pytest.mark.django_db


@pytest.fixture
def company() -> Company:
    return make_present_company("Picking")


def _post(client, company, act, **values):
    return client.post(f"/console/companies/{company.organization_id}/act/{act}/", {"step": "preview"} | values)


def _text(response) -> str:
    assert response.status_code == 200
    return response.content.decode()


def _pick(client, company, kind, words):
    return client.post(f"/console/companies/{company.organization_id}/pick/{kind}/", {"q": words})


@pytest.mark.parametrize("words", ["Zoë Ångström", "zoe angstrom", "ZOE", "zoe.angstrom@example.org"])
def test_words_that_mean_one_person_are_that_person_and_go_on_as_an_identifier(words, staff, company):
    zoe = company.join("Zoë Ångström", account_email="zoe.angstrom@example.org")
    company.join("Ben Ito")
    text = _text(_post(staff(OPERATOR), company, "suspend", learner_profile_id=words))
    assert "Nothing has been changed yet" in text
    assert f'name="learner_profile_id" value="{zoe.learner_profile_id}"' in text
    assert f'value="{words}"' not in text


def test_words_that_mean_several_bring_the_form_back_with_all_of_them(staff, company):
    both = [company.join("Ann Lee", account_email=f"ann{number}@example.org") for number in (1, 2)]
    company.join("Ben Ito")
    text = _text(_post(staff(OPERATOR), company, "suspend", learner_profile_id="ann lee"))
    assert "There is a problem" in text
    assert "“ann lee” can mean several" in text
    offered = re.findall(r'type="radio" name="learner_profile_id" value="([0-9a-f-]{36})"', text)
    assert set(offered) == {str(each.learner_profile_id) for each in both}
    assert "ann1@example.org" in text
    chosen = _text(_post(staff(OPERATOR), company, "suspend", learner_profile_id=[offered[0], ""]))
    assert "Nothing has been changed yet" in chosen


def test_words_that_mean_nobody_stay_in_the_form(staff, company):
    company.join("Ann Lee")
    text = _text(_post(staff(OPERATOR), company, "suspend", learner_profile_id="Zachary"))
    assert "Nothing here is called “Zachary”" in text
    assert 'value="Zachary"' in text


def test_an_identifier_of_another_company_is_like_one_of_nobody(staff, company):
    elsewhere = make_present_company("Elsewhere").join("Ben Elsewhere")
    told = [
        _text(_post(staff(OPERATOR), company, "suspend", learner_profile_id=str(learner)))
        for learner in (elsewhere.learner_profile_id, uuid.uuid4())
    ]
    for text in told:
        assert "not here, or not any more" in text
        assert "Ben Elsewhere" not in text


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_nothing_of_another_company_is_found_or_named(kind, company, staff):
    other = make_present_company("Elsewhere")
    anna, course = other.join("Quirin Quast"), other.course("Quirin's course")
    team = other.team("Quirin's team")
    share = other.share(course)
    with context.company(company.organization_id):
        named = KINDS[kind].named(
            company.organization_id, [anna.learner_profile_id, course.course_id, team, share], timezone.now()
        )
    assert named == {}
    assert json.loads(_pick(staff(AUDITOR), company, kind, "quirin").content) == {"found": [], "more": False}


def test_what_is_found_while_typing_is_named_and_stands_in_the_access_log(staff, company):
    zoe = company.join("Zoë Ångström", account_email="zoe@example.org")
    client = staff(COMPLIANCE_MANAGER)
    found = json.loads(_pick(client, company, "person", "angst").content)
    assert found == {
        "found": [{"id": str(zoe.learner_profile_id), "label": "Zoë Ångström", "detail": "zoe@example.org"}],
        "more": False,
    }
    line = AccessLog.objects.filter(page="pick").latest("at")
    assert line.learner_profile_ids == [zoe.learner_profile_id]
    assert "angst" not in f"{line.subject} {line.path if hasattr(line, 'path') else ''}"


def test_more_people_than_are_shown_are_said_to_be_there(staff, company):
    for number in range(12):
        company.join(f"Person {number:02}")
    found = json.loads(_pick(staff(OPERATOR), company, "person", "person").content)
    assert (len(found["found"]), found["more"]) == (8, True)


@pytest.mark.parametrize("number", [2, 60])
def test_many_people_are_named_by_their_addresses_in_one_statement(number, company, django_assert_num_queries):
    people = [company.join(f"Person {each:02}", account_email=f"p{each}@example.org") for each in range(number)]
    organization = Organization.objects.get(organization_id=company.organization_id)
    form = form_of(people=PeopleField())
    lines = "; ".join(f"p{each}@example.org" for each in range(number))
    with context.company(company.organization_id):
        filled = form(organization, timezone.now(), QueryDict(f"people={lines}"))
        with django_assert_num_queries(1):
            assert filled.is_valid()
    assert set(filled.cleaned_data["people"]) == {each.learner_profile_id for each in people}
    assert filled.typed()[0][1].count("Person") == min(number, 20)


def test_an_address_fills_in_identifiers_alone(staff, company):
    zoe = company.join("Zoë Ångström")
    client = staff(OPERATOR)
    page = f"/console/companies/{company.organization_id}/act/suspend/?learner_profile_id="
    assert "Zoë Ångström" in client.get(page + str(zoe.learner_profile_id)).content.decode()
    assert "Mallory" not in client.get(page + "Mallory").content.decode()


def test_names_of_200_letters_and_of_other_scripts_are_picked(staff, company):
    long, other = "Ann " + "x" * 196, "שרה كريم 🦊"
    for name in (long, other):
        person = company.join(name)
        text = _text(_post(staff(OPERATOR), company, "suspend", learner_profile_id=name))
        assert f'name="learner_profile_id" value="{person.learner_profile_id}"' in text
