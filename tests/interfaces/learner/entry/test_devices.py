"""Sessions: listed and ended by their owner, and ended as soon as their person may not sign in."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import translation

from compliance.facts.people.erasing import erase_person
from compliance.interfaces.learner.entry.device_words import described, in_language
from compliance.interfaces.operations.tidying import tidy_company
from compliance.learning import sessions
from compliance.learning.models import LearnerSession, PersonalLink
from compliance.tenancy import context
from tests import verbs
from tests.companies import make_present_company, noon

pytestmark = pytest.mark.django_db


def ids(company, person):
    with context.company(company.organization_id):
        found = sessions.open_sessions(company.organization_id, person.learner_profile_id, datetime.now(UTC))
    return [each.session_id for each in found]


def test_the_owner_ends_a_session_on_another_device(company, anna, signed_in):
    here, there = (signed_in(company.organization_id, anna.learner_profile_id) for _ in range(2))
    page = here.get("/learn/devices").content.decode()
    assert page.count("Firefox on Android") == 2
    assert page.count("Sign out there") == 1
    other = next(each for each in ids(company, anna) if f'value="{each}"' in page)
    assert here.post("/learn/devices", {"session": str(other)}).status_code == 303
    assert there.get("/learn/devices").status_code == 303
    assert here.get("/learn/devices").status_code == 200


def test_the_owner_ends_all_other_sessions_at_once(company, anna, signed_in):
    here, *others = (signed_in(company.organization_id, anna.learner_profile_id) for _ in range(4))
    assert "Sign out everywhere else" in here.get("/learn/devices").content.decode()
    here.post("/learn/devices", {"session": "others"})
    assert [each.get("/learn/devices").status_code for each in (here, *others)] == [200, 303, 303, 303]


@pytest.mark.parametrize("chosen", ["", "-1", "0", "9" * 30, "abc", "٣", "1 OR 1=1"])
def test_a_session_that_is_not_there_ends_nothing(company, anna, signed_in, chosen):
    here = signed_in(company.organization_id, anna.learner_profile_id)
    assert here.post("/learn/devices", {"session": chosen}).status_code == 303
    assert here.get("/learn/devices").status_code == 200


def test_nobody_ends_another_s_session(company, anna, signed_in):
    ben = company.join("Ben", at=noon(20))
    other = make_present_company("Contoso")
    cara = other.join("Cara", at=noon(20))
    attacked = [signed_in(company.organization_id, ben.learner_profile_id),
                signed_in(other.organization_id, cara.learner_profile_id)]  # fmt: skip
    attacker = signed_in(company.organization_id, anna.learner_profile_id)
    for each in (*ids(company, ben), *ids(other, cara)):
        attacker.post("/learn/devices", {"session": str(each)})
    assert [each.get("/learn/devices").status_code for each in attacked] == [200, 200]


def test_signing_out_ends_the_session_itself_and_empties_the_browser(company, anna, signed_in):
    here = signed_in(company.organization_id, anna.learner_profile_id)
    copied = Client()
    copied.cookies["learner"] = here.cookies["learner"].value
    response = here.post("/learn/out")
    assert response.status_code == 200
    assert response["Clear-Site-Data"] == '"cache", "storage"'
    assert response.cookies["learner"].value == ""
    assert copied.get("/learn/devices").status_code == 303
    assert Client().post("/learn/out").status_code == 200
    assert here.get("/learn/out").status_code == 405


@pytest.mark.parametrize("end", ["left", "suspended", "erased", "contact left"])
def test_a_session_is_over_with_the_first_request_after_its_person_may_not_come_in(company, anna, signed_in, end):
    here = signed_in(company.organization_id, anna.learner_profile_id)
    assert here.get("/learn/devices").status_code == 200
    now = datetime.now(UTC)
    told = {"organization_id": company.organization_id, "at": now - timedelta(seconds=1), "now": now}
    if end == "left":
        company.leave(anna, at=told["at"])
    if end == "suspended":
        verbs.suspend_employee(**told, person_id=anna.person_id)
    if end == "erased":
        erase_person(organization_id=company.organization_id, at=told["at"], learner_profile_id=anna.learner_profile_id)
    if end == "contact left":
        company.leave(anna, at=told["at"])
    posted = here.post("/learn/devices", {"session": "others"})
    assert posted.status_code == 403
    text = posted.content.decode()
    assert "Your access to these pages has ended, or is suspended for the time being." in text
    assert "Nothing was changed." in text


def test_what_is_sent_in_a_session_that_has_ended_is_answered_in_words(company, anna, signed_in):
    here, there = (signed_in(company.organization_id, anna.learner_profile_id) for _ in range(2))
    here.post("/learn/devices", {"session": "others"})
    posted = there.post("/learn/devices", {"session": "others"})
    assert posted.status_code == 401
    assert "What you have just sent was not kept" in posted.content.decode()


def test_who_was_suspended_and_comes_back_finds_the_session_again(company, anna, signed_in):
    here = signed_in(company.organization_id, anna.learner_profile_id)
    now = datetime.now(UTC)
    told = {"organization_id": company.organization_id, "person_id": anna.person_id, "now": now}
    verbs.suspend_employee(**told, at=now - timedelta(seconds=2))
    page = here.get("/learn/devices")
    assert page.status_code == 403
    assert "You cannot come in at present" in page.content.decode()
    assert 'action="/learn/out"' in page.content.decode()
    verbs.resume_employee(**told, at=now - timedelta(seconds=1))
    assert here.get("/learn/devices").status_code == 200


@pytest.mark.parametrize("how", ["signing out", "another person's link"])
def test_a_session_that_makes_room_while_its_person_is_suspended_has_ended_for_good(
    company, anna, signed_in, link, how
):
    here = signed_in(company.organization_id, anna.learner_profile_id)
    copied = Client()
    copied.cookies["learner"] = here.cookies["learner"].value
    now = datetime.now(UTC)
    told = {"organization_id": company.organization_id, "person_id": anna.person_id, "now": now}
    verbs.suspend_employee(**told, at=now - timedelta(seconds=2))
    if how == "signing out":
        assert here.post("/learn/out").cookies["learner"].value == ""
    else:
        ben = company.join("Ben", at=noon(20))
        address = link(learner_profile_id=ben.learner_profile_id)
        assert "Somebody else is signed in" not in here.get(address).content.decode()
        assert here.post(address)["Location"] == "/learn/"
    verbs.resume_employee(**told, at=now - timedelta(seconds=1))
    assert copied.get("/learn/devices")["Location"] == "/learn/?to=devices"
    assert ids(company, anna) == []


def test_a_page_that_was_asked_for_without_a_session_is_where_the_next_link_leads(company, anna):
    response = Client().get("/learn/devices")
    assert (response.status_code, response["Location"]) == (303, "/learn/?to=devices")


def test_a_session_lasts_thirty_days(company, anna):
    now = datetime.now(UTC)
    with context.company(company.organization_id):
        token = sessions.begin(company.organization_id, anna.learner_profile_id, "", now)
        almost, after = now + timedelta(days=30, seconds=-1), now + timedelta(days=30)
        assert sessions.session_of(company.organization_id, token, almost) is not None
        assert sessions.session_of(company.organization_id, token, after) is None


def test_a_visit_costs_the_same_however_many_devices_there_are(company, anna, signed_in, django_assert_num_queries):
    for _ in range(4):
        here = signed_in(company.organization_id, anna.learner_profile_id)
    with django_assert_num_queries(8):
        here.get("/learn/devices")


def test_what_ended_a_month_ago_is_tidied_away_and_nothing_else(company, anna, link, signed_in):
    now = datetime.now(UTC)
    link(learner_profile_id=anna.learner_profile_id)
    link(learner_profile_id=anna.learner_profile_id, now=now - timedelta(days=29))
    link(learner_profile_id=anna.learner_profile_id, now=now - timedelta(days=31))
    here = signed_in(company.organization_id, anna.learner_profile_id)
    signed_in(company.organization_id, anna.learner_profile_id)
    with context.company(company.organization_id):
        first = LearnerSession.objects.earliest("pk")
        LearnerSession.objects.exclude(pk=first.pk).update(ended_at=now - timedelta(days=31))
    tidy_company(company.organization_id, now)
    with context.company(company.organization_id):
        assert PersonalLink.objects.filter(organization_id=company.organization_id).count() == 2
        assert list(LearnerSession.objects.values_list("pk", flat=True)) == [first.pk]
    assert here.get("/learn/devices").status_code == 200


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "Firefox on Android"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1",
         "Safari on iPhone"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) CriOS/130.0 Mobile Safari/604.1", "Chrome on iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/130.0 Safari/537.36 Edg/130.0", "Edge on Windows"),
        ("Mozilla/5.0 (Linux; Android 14; SM-G99) SamsungBrowser/26.0 Chrome/122.0 Mobile Safari/537.36",
         "Samsung Internet on Android"),
        ("curl/8.5 <script>", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_a_device_is_named_in_words_of_ours_alone(agent, words):
    assert described(agent) == words


def test_a_device_without_a_name_is_listed_all_the_same():
    with translation.override("en"):
        assert in_language("") == "A device that said nothing of itself"
        assert in_language("Safari") == "Safari"
