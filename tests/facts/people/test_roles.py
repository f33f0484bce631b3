"""A person's roles: the latest fact that states any counts, whatever the order of arrival, and erasure clears them."""

import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import permutations
from typing import Any

import pytest

from compliance.facts.happenings import happenings
from compliance.facts.lines.kinds import PersonErased
from compliance.facts.people.models import PersonRoles
from compliance.facts.people.queries import roles_of
from compliance.facts.recording import act
from compliance.history.actions import capture_all
from compliance.tenancy import context
from tests.companies import make_company
from tests.facts.files import NOW, START, fact, identifier, joined, take_in

pytestmark = pytest.mark.django_db

ANA = uuid.UUID(identifier("ana"))
JOINED = joined("ana", 1, role_ids=["manager", "first-aider"])


def changed(key: str, day: float, **fields: Any) -> dict[str, Any]:
    return fact("person_changed", key, day, learner_profile_id="ana", **fields)


@pytest.fixture
def inside() -> Iterator[uuid.UUID]:
    organization_id = make_company().organization_id
    with context.company(organization_id):
        yield organization_id


def roles(organization_id: uuid.UUID, day: float) -> set[str]:
    return set(roles_of(organization_id, ANA, START + timedelta(days=day)))


def test_roles_hold_from_their_moment_until_others_are_told(inside: uuid.UUID) -> None:
    later = changed("later", 10, role_ids=["buyer"])
    none = changed("none", 20, role_ids=[])
    name = changed("name", 15, person_name="Ana Reis")
    assert take_in(inside, [JOINED, later, none, name]).errors == []
    told = [(0.5, set()), (1, {"first-aider", "manager"}), (9, {"first-aider", "manager"})]
    told += [(10, {"buyer"}), (16, {"buyer"}), (20, set())]
    assert [(day, roles(inside, day)) for day, _ in told] == told


def test_the_order_of_arrival_makes_no_difference() -> None:
    same_moment = [changed(key, 10, role_ids=[key]) for key in ("buyer", "driver")]
    greater = max(same_moment, key=lambda line: line["fact_id"])["role_ids"]
    earlier = changed("earlier", 5, role_ids=["auditor"])
    for later in permutations([*same_moment, earlier]):
        organization_id = make_company().organization_id
        with context.company(organization_id):
            for line in (JOINED, *later):
                assert take_in(organization_id, [line]).errors == []
            assert [roles(organization_id, day) for day in (2, 6, 11)] == [
                {"first-aider", "manager"},
                {"auditor"},
                set(greater),
            ]


def test_who_comes_back_keeps_the_roles_unless_the_new_stay_says_otherwise(inside: uuid.UUID) -> None:
    left = [
        fact("employee_left", f"ana {day}", day, person_id=f"stay ana{stay}") for day, stay in ((10, ""), (30, " 2"))
    ]
    back = [joined("ana", 20, stay=" 2"), joined("ana", 40, stay=" 3", role_ids=[])]
    assert take_in(inside, [JOINED, *left, *back]).errors == []
    assert [roles(inside, day) for day in (25, 41)] == [{"first-aider", "manager"}, set()]


def test_roles_of_another_company_are_not_seen() -> None:
    for line, expected in ((JOINED, {"first-aider", "manager"}), (joined("ana", 1), set())):
        organization_id = make_company().organization_id
        with context.company(organization_id):
            assert take_in(organization_id, [line]).errors == []
            assert roles(organization_id, 2) == expected


def test_the_same_roles_told_again_are_known(inside: uuid.UUID) -> None:
    line = changed("roles", 2, role_ids=["buyer", "auditor", "buyer"])
    assert take_in(inside, [JOINED, line]).errors == []
    again = take_in(inside, [line | {"role_ids": ["auditor", "buyer"]}])
    assert (again.errors, again.known) == ([], 1)
    assert PersonRoles.objects.filter(learner_profile_id=ANA, role_ids=["auditor", "buyer"]).count() == 1


def test_a_change_of_roles_alone_decides_nothing_anew(inside: uuid.UUID) -> None:
    assert take_in(inside, [JOINED]).errors == []
    assert sum(captured.subjects for captured in capture_all(inside, NOW)) > 0
    assert take_in(inside, [changed("roles", 2, role_ids=["buyer"])]).errors == []
    assert sum(captured.subjects for captured in capture_all(inside, NOW)) == 0


def test_a_story_says_that_roles_changed(inside: uuid.UUID) -> None:
    lines = [JOINED, changed("roles", 2, role_ids=["buyer", "auditor"]), changed("none", 3, role_ids=[])]
    assert take_in(inside, lines).errors == []
    told = [each.given["roles"] for each in happenings(inside, ANA, None) if each.what == "roles_changed"]
    assert told == [["first-aider", "manager"], ["auditor", "buyer"], []]


def test_erasure_clears_roles_and_accepts_no_more(inside: uuid.UUID) -> None:
    assert take_in(inside, [JOINED, changed("roles", 2, role_ids=["buyer"])]).errors == []
    act(PersonErased, organization_id=inside, at=NOW, now=NOW, learner_profile_id=ANA)
    assert roles_of(inside, ANA, NOW) == frozenset()
    assert set(PersonRoles.objects.filter(learner_profile_id=ANA).values_list("role_ids")) == {(None,)}
    [refused] = take_in(inside, [changed("more", 3, role_ids=["driver"])]).errors
    assert "erased" in refused.reason
    assert take_in(inside, [JOINED]).known == 1


@pytest.mark.parametrize("role", ["Manager", "first aider", "-x", "", "a" * 65, "größe", "a_b", "a\n"])
def test_a_role_that_no_manifest_could_name_is_refused(inside: uuid.UUID, role: str) -> None:
    [refused] = take_in(inside, [JOINED | {"role_ids": [role]}]).errors
    assert refused.reason.startswith("role_ids.0: ")
    assert role == "" or role not in refused.reason.split(": ", 1)[1]


def test_roles_are_one_statement_however_many_facts_there_are(
    inside: uuid.UUID, django_assert_num_queries: Any
) -> None:
    lines = [changed(str(day), day, role_ids=[f"role-{day}"]) for day in range(2, 40)]
    assert take_in(inside, [JOINED, *lines]).errors == []
    moment: datetime = START + timedelta(days=100)
    with django_assert_num_queries(1):
        assert roles_of(inside, ANA, moment) == {"role-39"}
