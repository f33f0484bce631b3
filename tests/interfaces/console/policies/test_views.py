"""The list of policies and the page of one: numbers and names equal those of the register, on any day."""

import re
import uuid
from datetime import date, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from compliance.facts.policies.actions import sign_policy
from compliance.history.actions import capture_all
from compliance.interfaces.console import keyset
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER
from compliance.rules.vocabulary import ChangeKind, Door, PolicyAct
from compliance.tenancy import context
from tests import verbs
from tests.companies import Company, make_company, noon

pytestmark = pytest.mark.django_db


class World:
    """Four people, of whom two have signed on different days, and one policy of another company."""

    def __init__(self) -> None:
        made = make_company()
        self.company = Company(made.organization_id, start=noon(60), now=timezone.now())
        self.people = {name: self.company.join(name) for name in ("Anna", "Ben", "Cleo", "Dan")}
        self.course_id, self.release_id = self.publish("Code of conduct", version=1, at=noon(50))
        self.share_id = verbs.share_policy(
            organization_id=self.company.organization_id, at=noon(49), course_id=self.course_id
        )
        self.sign("Anna", noon(40))
        self.sign("Ben", noon(20))

    def publish(self, title, version, at, course_id=None, change=ChangeKind.ASK_AGAIN):
        course_id, release_id = course_id or uuid.uuid4(), uuid.uuid4()
        verbs.publish_policy(
            organization_id=self.company.organization_id,
            course_id=course_id,
            course_release_id=release_id,
            version=version,
            act=PolicyAct.SIGN,
            doors=[Door.EMPLOYEE],
            statement="I will follow it.",
            effective_on=date(2025, 1, 1),
            renew_months=0,
            change_kind=ChangeKind.FIRST if version == 1 else change,
            html=f"<h1>{title}</h1>\n<p>Be kind.</p>",
            at=at,
        )
        return course_id, release_id

    def sign(self, name, at):
        with context.company(self.company.organization_id):
            sign_policy(
                organization_id=self.company.organization_id,
                share_id=self.share_id,
                learner_profile_id=self.people[name].learner_profile_id,
                course_release_id=self.release_id,
                signature={"typed": name},
                sign_in_methods="password",
                at=at,
            )
            capture_all(self.company.organization_id, timezone.now())

    def address(self, name, **values):
        return reverse(f"console:{name}", kwargs={"organization_id": self.company.organization_id} | values)

    @property
    def page(self):
        return self.address("policy-page", course_id=self.course_id)


@pytest.fixture
def world(db):
    return World()


def lists(client, address, query=None):
    """The names below each of the page's two headings."""
    page = client.get(address, query or {}).content.decode()
    unsigned, signed = page.index("<h2>Not signed</h2>"), page.index("<h2>Signed</h2>")
    end = page.index("<h2>Versions</h2>")
    names = ("Anna", "Ben", "Cleo", "Dan")
    return (
        [name for name in names if f"<bdi>{name}</bdi></a>" in page[unsigned:signed]],
        [name for name in names if f"<bdi>{name}</bdi></a>" in page[signed:end]],
    )


def test_one_page_names_who_has_signed_and_who_has_not(world, staff):
    client = staff(COMPLIANCE_MANAGER)
    assert lists(client, world.page) == (["Cleo", "Dan"], ["Anna", "Ben"])
    page = client.get(world.page).content.decode()
    assert "<b>2 of 4</b> people have signed." in page


def test_a_day_is_seen_as_it_was_at_its_end(world, staff):
    client = staff(AUDITOR)
    day_of_ben = (noon(20)).date()
    assert lists(client, world.page, {"as_at": day_of_ben.isoformat()}) == (["Cleo", "Dan"], ["Anna", "Ben"])
    before = {"as_at": (day_of_ben - timedelta(days=1)).isoformat()}
    assert lists(client, world.page, before) == (["Ben", "Cleo", "Dan"], ["Anna"])
    assert "<b>1 of 4</b> people had signed." in client.get(world.page, before).content.decode()


@pytest.mark.parametrize("large", [0, 300_000])
def test_a_list_goes_on_where_its_page_ended(large, world, staff, monkeypatch):
    from compliance.interfaces.console.understand import refreshing

    refreshing.refresh(world.company.organization_id, timezone.now())
    monkeypatch.setattr("compliance.interfaces.console.see.registers.LARGE", large)
    monkeypatch.setattr("compliance.interfaces.console.see.registers.ROWS", 1)
    client = staff(AUDITOR)
    first = client.get(world.page, {"show": "unsigned"}).content.decode()
    following = first.split('rel="next"')[0].rsplit('href="', 1)[1].split('"')[0].replace("&amp;", "&")
    second = client.get(world.page + following).content.decode()
    shown = [[name for name in ("Cleo", "Dan") if f"<bdi>{name}</bdi></a>" in page] for page in (first, second)]
    assert sorted(shown) == [["Cleo"], ["Dan"]]


def test_before_its_first_version_nobody_was_asked(world, staff):
    page = staff(AUDITOR).get(world.page, {"as_at": noon(55).date().isoformat()}).content.decode()
    assert "It had not been published on this day" in page
    assert "Nobody was asked to sign it then." in page


def test_one_list_alone_keeps_the_day(world, staff):
    client = staff(AUDITOR)
    day = (noon(21)).date().isoformat()
    page = client.get(world.page, {"as_at": day, "show": "signed"}).content.decode()
    assert "<bdi>Anna</bdi></a>" in page
    assert "<bdi>Cleo</bdi></a>" not in page
    assert f"as_at={day}&amp;show=unsigned" in page


def test_a_new_version_asks_everybody_again_and_its_page_has_both(world, staff):
    world.publish("Code of conduct, revised", 2, noon(5), world.course_id)
    with context.company(world.company.organization_id):
        capture_all(world.company.organization_id, timezone.now())
    client = staff(COMPLIANCE_MANAGER)
    assert lists(client, world.page) == (["Anna", "Ben", "Cleo", "Dan"], [])
    assert lists(client, world.page, {"as_at": noon(6).date().isoformat()}) == (["Cleo", "Dan"], ["Anna", "Ben"])
    page = client.get(world.page).content.decode()
    assert "<h1>Code of conduct, revised</h1>" in page
    assert "Everyone signs again" in page


def test_the_list_has_each_policy_with_how_many_have_signed(world, staff):
    world.publish("Anti-bribery", 1, noon(3))
    page = staff(AUDITOR).get(world.address("policies")).content.decode()
    assert page.index("Anti-bribery") < page.index("Code of conduct")
    assert "2 / 4" in page
    assert "Nobody is asked" in page


def test_the_list_goes_on_where_a_page_ended(world, staff, monkeypatch):
    monkeypatch.setattr("compliance.interfaces.console.keyset.PAGE", 2)
    for title in ("Beta", "Alpha", "Delta"):
        world.publish(title, 1, noon(3))
    client = staff(AUDITOR)
    first = client.get(world.address("policies")).content.decode()
    assert ("Alpha" in first, "Beta" in first, "Code of conduct" in first) == (True, True, False)
    following = first.split('rel="next"')[0].rsplit('href="', 1)[1].split('"')[0]
    second = client.get(world.address("policies") + following).content.decode()
    assert ("Beta" in second, "Code of conduct" in second, "Delta" in second) == (False, True, True)


def test_who_only_looks_is_offered_no_act(world, staff):
    acts = ("act/remind-course", "act/share-policy", "act/publish-policy")
    manager, auditor = (staff(group).get(world.page).content.decode() for group in (COMPLIANCE_MANAGER, AUDITOR))
    assert [act in manager for act in acts] == [True] * 3
    assert [act in auditor for act in acts] == [False] * 3


def test_those_who_have_not_signed_are_chosen_and_reminded_from_the_page(world, staff):
    client = staff(COMPLIANCE_MANAGER)
    page = client.get(world.page).content.decode()
    chosen = re.findall(r'name="record_ids" value="([0-9a-f-]{36})"', page)
    assert len(chosen) == 2
    remind = world.address("act-remind-many")
    assert f'formaction="{remind}"' in page
    everything = re.search(r'name="everything" value="([^"]+)"', page)[1]
    for posted in ({"record_ids": chosen}, {"everything": everything}):
        answer = client.post(remind, {"step": "chosen"} | posted).content.decode()
        assert ("Cleo" in answer, "Dan" in answer, "Anna" in answer) == (True, True, False)
    assert 'name="record_ids"' not in client.get(world.page, {"as_at": noon(1).date().isoformat()}).content.decode()
    assert 'name="record_ids"' not in staff(AUDITOR).get(world.page).content.decode()


def test_a_policy_of_another_company_is_as_one_that_does_not_exist(world, staff):
    other = World()
    client = staff(COMPLIANCE_MANAGER)
    for course_id in (other.course_id, uuid.uuid4()):
        response = client.get(world.address("policy-page", course_id=course_id))
        assert response.status_code == 404
        assert "This company has no such policy." in response.content.decode()


def test_numbers_of_a_large_company_are_those_last_counted(world, staff, monkeypatch):
    from compliance.interfaces.console.understand import refreshing

    refreshing.refresh(world.company.organization_id, timezone.now())
    monkeypatch.setattr("compliance.interfaces.console.see.registers.LARGE", 0)
    client = staff(AUDITOR)
    page = client.get(world.page).content.decode()
    assert "<b>2 of 4</b> people have signed." in page
    assert "Counted at" in page
    assert lists(client, world.page) == (["Cleo", "Dan"], ["Anna", "Ben"])
    assert "2 / 4" in client.get(world.address("policies")).content.decode()
    past = client.get(world.page, {"as_at": noon(21).date().isoformat()}).content.decode()
    assert "Being counted" in past
    assert "<bdi>Anna</bdi></a>" in past


def test_a_place_of_the_other_order_of_a_list_is_refused_with_a_sentence(world, staff, monkeypatch):
    client = staff(AUDITOR)
    client.raise_request_exception = False
    counted, recorded = (keyset.seal(world.page, place) for place in ((timezone.now(), 1), (1, 1)))
    past = {"as_at": noon(21).date().isoformat()}
    assert client.get(world.page, {"show": "overdue", "after": counted} | past).status_code == 422
    assert client.get(world.page, {"show": "overdue", "after": recorded} | past).status_code == 200
    monkeypatch.setattr("compliance.interfaces.console.see.registers.LARGE", 0)
    assert client.get(world.page, {"show": "overdue", "after": recorded}).status_code == 422


def test_who_signed_before_a_small_fix_is_said_to_have_signed_the_version_they_did(staff, world):
    world.publish("Code of conduct", version=2, at=noon(10), course_id=world.course_id, change=ChangeKind.EDITORIAL)
    with context.company(world.company.organization_id):
        capture_all(world.company.organization_id, timezone.now())
    page = staff(COMPLIANCE_MANAGER).get(world.page, {"show": "signed"}).content.decode()
    assert re.findall(r'data-name="Version">(\d+)</td>', page) == ["1", "1"]
