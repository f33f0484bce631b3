"""Who may sign, and the cycle of a receipt."""

import pytest

from compliance.rules.people.facts import ContactStay
from compliance.rules.policies.facts import PolicyFacts
from compliance.rules.policies.signing import cycle_id, refusal
from compliance.rules.vocabulary import Door

from .story import POLICY, at, employee, ident, receipt, share, step, version

RED = frozenset({ident("red")})
FACTS = PolicyFacts(
    POLICY,
    (version(1, "2024-01-10"), version(2, "2024-06-01")),
    (
        share("a", step("2024-01-01", doors=frozenset({Door.EMPLOYEE, Door.PARTNER})), ended="2024-08-01"),
        share("b", step("2024-01-01", teams=RED)),
    ),
)
PERSON = employee(("2024-02-01", "2024-07-01"), contacts=(ContactStay(Door.CUSTOMER, at("2024-01-01")),))


@pytest.mark.parametrize(
    ("number", "name", "door", "day", "code"),
    [
        (1, "a", Door.EMPLOYEE, "2024-03-01", None),
        (1, "a", Door.EMPLOYEE, "2024-06-05", None),
        (3, "a", Door.EMPLOYEE, "2024-03-01", "no_such_version"),
        (2, "a", Door.EMPLOYEE, "2024-03-01", "not_published"),
        (1, "c", Door.EMPLOYEE, "2024-03-01", "no_such_share"),
        (1, "a", Door.EMPLOYEE, "2024-09-01", "share_not_open"),
        (1, "a", Door.CUSTOMER, "2024-03-01", "door_not_shared"),
        (1, "a", Door.PARTNER, "2024-03-01", "person_not_at_door"),
        (1, "a", Door.EMPLOYEE, "2024-07-01", "person_not_at_door"),
        (1, "b", Door.EMPLOYEE, "2024-03-01", "not_in_audience"),
    ],
)
def test_signing_is_judged_at_its_moment(number: int, name: str, door: Door, day: str, code: str | None) -> None:
    found = refusal(
        FACTS, PERSON, course_release_id=ident(f"v{number}"), share_id=share(name).share_id, door=door, at=at(day)
    )
    assert (found.code.value if found else None) == code


def test_the_erased_sign_nothing() -> None:
    erased = PERSON._replace(learner=PERSON.learner._replace(erased_at=at("2025-01-01")))
    found = refusal(
        FACTS,
        erased,
        course_release_id=ident("v1"),
        share_id=share("a").share_id,
        door=Door.EMPLOYEE,
        at=at("2024-03-01"),
    )
    assert found is not None
    assert found.code == "person_erased"


def test_a_receipt_asks_again_after_the_latest_earlier_one() -> None:
    assert cycle_id([]).int == 0
    assert cycle_id([receipt("r2", 2, "2024-06-02"), receipt("r1", 1, "2024-03-01")]) == ident("r2")
