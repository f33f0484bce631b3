"""Simultaneous requests about the same people: each takes its turn, and nothing is lost or doubled."""

import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection

from compliance.access.models import Source
from compliance.access.sources import issue_source
from compliance.facts.people.erasing import erase_person
from compliance.facts.people.models import Employment, Profile
from compliance.interfaces.api import clock
from compliance.provisioning.models import ProvisionedUser
from compliance.tenancy import context
from tests.companies import Company, make_present_company
from tests.interfaces.scim import entra
from tests.interfaces.scim.conftest import USER, ScimClient


@pytest.fixture
def present(committed: None):
    company = make_present_company()
    yield company
    Source.objects.filter(organization_id=company.organization_id).delete()


def _client(company: Company, name: str) -> ScimClient:
    told: Any = {"kinds": ["scim"], "environment": "test", "at": company.now, "actor": "a test"}
    return ScimClient(issue_source(organization_id=company.organization_id, name=name, **told)[0])


def _at_once(acts: Sequence[Callable[[], Any]]) -> list[Any]:
    def ending(act: Callable[[], Any]) -> Any:
        try:
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return [each.result() for each in [pool.submit(ending, act) for act in acts]]


def _statuses(answers: Sequence[Any]) -> Counter[int]:
    return Counter(each.status_code for each in answers)


def test_one_of_many_who_make_the_same_user_makes_it(present):
    clients = [_client(present, f"Source {n}") for n in range(6)]
    body = {"schemas": [USER], "userName": "anna@example.com", "displayName": "Anna"}
    assert _statuses(_at_once([partial(each, "POST", "/Users", body) for each in clients])) == {201: 1, 409: 5}
    with context.company(present.organization_id):
        assert Profile.objects.filter(organization_id=present.organization_id).count() == 1


def test_changes_at_one_moment_are_all_there_afterwards(present):
    client = _client(present, "Entra")
    path = f"/Users/{client.user()['id']}"
    names = ("title", "nickName", "locale", "timezone", "userType", "displayName")
    change = [lambda name=name: client.patch(path, {"op": "add", "path": name, "value": f"a {name}"}) for name in names]
    assert _statuses(_at_once(change)) == {200: 6}
    found = client.get(path).json()
    assert {name: found[name] for name in names} == {name: f"a {name}" for name in names}
    with context.company(present.organization_id):
        assert ProvisionedUser.objects.get(organization_id=present.organization_id).version == 7


def test_who_leaves_and_comes_many_times_at_one_moment_is_never_in_two_stays(present):
    client = _client(present, "Entra")
    path = f"/Users/{client.user()['id']}"
    acts = [
        lambda active=active: client.patch(path, {"op": "replace", "path": "active", "value": active})
        for active in (False, True) * 4
    ]
    assert _statuses(_at_once(acts)) == {200: 8}
    with context.company(present.organization_id):
        stays = list(Employment.objects.filter(organization_id=present.organization_id).order_by("joined_at"))
    for before, after in pairwise(stays):
        assert before.left_at is not None
        assert before.joined_at < before.left_at < after.joined_at


def test_nothing_is_kept_of_who_is_erased_at_the_moment_of_a_change(present):
    client = _client(present, "Entra")
    users = [client.user(f"user{n}@example.com", title="Nurse") for n in range(3)]
    erasing = [
        lambda user=user: erase_person(
            organization_id=present.organization_id, learner_profile_id=uuid.UUID(user["id"]), at=clock.now()
        )
        for user in users
    ]
    changing = [
        lambda user=user: client.patch(f"/Users/{user['id']}", {"op": "add", "path": "title", "value": "Doctor"})
        for user in users
    ]
    answers = _at_once([*erasing, *changing])[3:]
    assert set(_statuses(answers)) <= {200, 404}
    with context.company(present.organization_id):
        kept = ProvisionedUser.objects.filter(organization_id=present.organization_id)
        assert [each.attributes for each in kept] == [None] * 3
    assert client.get("/Users").json()["totalResults"] == 0


def test_one_of_many_who_push_the_same_group_makes_it_and_all_who_add_members_succeed(present):
    clients = [_client(present, f"Source {n}") for n in range(4)]
    body = {"schemas": [entra.GROUP], "displayName": "Crew", "members": []}
    answers = _at_once([partial(each, "POST", "/Groups", body) for each in clients])
    assert _statuses(answers) == {201: 1, 409: 3}
    (group,) = [each.json()["id"] for each in answers if each.status_code == 201]
    users = [clients[0].user(f"user{n}@example.com")["id"] for n in range(4)]
    adding = [entra.add_members(group, user, users[0]) for user in users]
    acts = [partial(each, *request) for each, request in zip(clients, adding, strict=True)]
    assert _statuses(_at_once(acts)) == {204: 4}
    members = clients[0].get(f"/Groups/{group}").json()["members"]
    assert sorted(each["value"] for each in members) == sorted(users)
    gone = [partial(clients[0], "DELETE", f"/Users/{users[0]}"), partial(clients[1], "DELETE", f"/Groups/{group}")]
    assert _statuses(_at_once(gone)) == {204: 2}
    assert "members" not in clients[0].get(f"/Groups/{group}").json()
