"""Facts about people that are refused, each validated at its moment, whatever the order of the lines."""

from datetime import UTC, datetime, timedelta
from itertools import permutations
from random import Random
from typing import Any
from uuid import UUID, uuid5

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from compliance.rules.people.validation import PersonFact, validate
from compliance.rules.people.validation import PersonFactKind as Kind
from compliance.rules.people.validation import PersonRefusalCode as Code
from compliance.rules.vocabulary import Door


def ident(name: str) -> UUID:
    return uuid5(UUID(int=1), name)


def fact(name: str, kind: Kind, at: int, *, recorded: bool = False, **ids: Any) -> PersonFact:
    moment = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=at)
    if kind.value.startswith("employee"):
        ids.setdefault("person_id", ident("stay"))
    if kind.value.startswith("team"):
        ids.setdefault("team_id", ident("red"))
    if kind.value.startswith("contact"):
        ids.setdefault("door", Door.PARTNER)
    if "invit" in kind.value:
        ids.setdefault("invitation_id", ident("invitation"))
    return PersonFact(ident(name), kind, moment, recorded, **ids)


def named_by(joining: PersonFact, **more: Any) -> PersonFact:
    """The team that a joining names."""
    return fact("unnamed", Kind.TEAM_JOINED, 0, **more)._replace(
        fact_id=joining.fact_id, at=joining.at, recorded=joining.recorded, with_joining=True
    )


JOINED = fact("joined", Kind.EMPLOYEE_JOINED, 10)
INVITED = fact("invited", Kind.PERSON_INVITED, 5)
BY_INVITATION = fact("accepted", Kind.EMPLOYEE_JOINED, 10, invitation_id=ident("invitation"))
SECOND = fact("second", Kind.EMPLOYEE_JOINED, 30, person_id=ident("second stay"))
PASSING = [
    fact(f"passing {name}", kind, 30, person_id=ident("passing"))
    for name, kind in (("through", Kind.EMPLOYEE_JOINED), ("on", Kind.EMPLOYEE_LEFT))
]

CASES: list[tuple[list[PersonFact], dict[str, Code]]] = [
    ([JOINED, fact("resumed", Kind.EMPLOYEE_RESUMED, 11)], {"resumed": Code.NOT_SUSPENDED}),
    (
        [JOINED, fact("one", Kind.EMPLOYEE_SUSPENDED, 11), fact("two", Kind.EMPLOYEE_SUSPENDED, 12)],
        {"two": Code.ALREADY_SUSPENDED},
    ),
    (
        [JOINED, fact("left", Kind.EMPLOYEE_LEFT, 20), fact("again", Kind.EMPLOYEE_LEFT, 21)],
        {"again": Code.ALREADY_LEFT},
    ),
    ([JOINED, fact("early", Kind.EMPLOYEE_SUSPENDED, 9)], {"early": Code.NOT_EMPLOYED}),
    ([JOINED, SECOND], {"second": Code.OVERLAPPING_EMPLOYMENTS}),
    ([JOINED, fact("left", Kind.EMPLOYEE_LEFT, 30), SECOND], {}),
    # What happens to a stay at the moment of its end is applied before the end.
    ([JOINED, fact("suspended", Kind.EMPLOYEE_SUSPENDED, 20), fact("left", Kind.EMPLOYEE_LEFT, 20)], {}),
    (
        [
            JOINED._replace(recorded=True),
            fact("suspended", Kind.EMPLOYEE_SUSPENDED, 15, recorded=True),
            fact("resumed", Kind.EMPLOYEE_RESUMED, 20, recorded=True),
            fact("left", Kind.EMPLOYEE_LEFT, 20),
        ],
        {},
    ),
    (
        [*PASSING, SECOND],
        {},
    ),
    # A stay that ends as it begins goes first, also when somebody states another end of it.
    (
        [
            *(each._replace(recorded=True) for each in PASSING),
            SECOND._replace(recorded=True),
            fact("on again", Kind.EMPLOYEE_LEFT, 31, person_id=ident("passing")),
            fact("left", Kind.EMPLOYEE_LEFT, 32, person_id=ident("second stay")),
        ],
        {"on again": Code.ALREADY_LEFT},
    ),
    (
        [JOINED, fact("left", Kind.EMPLOYEE_LEFT, 20), fact("back", Kind.EMPLOYEE_JOINED, 30)],
        {"back": Code.PERSON_ID_USED},
    ),
    (
        [
            JOINED,
            fact("suspended", Kind.EMPLOYEE_SUSPENDED, 11),
            fact("left", Kind.EMPLOYEE_LEFT, 20),
            SECOND,
            fact("fresh", Kind.EMPLOYEE_SUSPENDED, 31, person_id=ident("second stay")),
        ],
        {},
    ),
    ([INVITED, BY_INVITATION, fact("revoked", Kind.INVITATION_REVOKED, 11)], {"revoked": Code.INVITATION_ACCEPTED}),
    ([INVITED, fact("revoked", Kind.INVITATION_REVOKED, 6), BY_INVITATION], {"accepted": Code.INVITATION_REVOKED}),
    (
        [INVITED, fact("one", Kind.INVITATION_REVOKED, 6), fact("two", Kind.INVITATION_REVOKED, 7)],
        {"two": Code.ALREADY_REVOKED},
    ),
    ([INVITED, fact("twice", Kind.PERSON_INVITED, 6)], {"twice": Code.ALREADY_INVITED}),
    ([INVITED, fact("early", Kind.INVITATION_REVOKED, 4)], {"early": Code.NOT_INVITED}),
    (
        [
            INVITED,
            BY_INVITATION,
            fact("left", Kind.EMPLOYEE_LEFT, 20),
            SECOND._replace(invitation_id=ident("invitation")),
        ],
        {"second": Code.INVITATION_ACCEPTED},
    ),
    ([BY_INVITATION, fact("late", Kind.PERSON_INVITED, 12)], {}),
    ([fact("one", Kind.TEAM_JOINED, 1), fact("two", Kind.TEAM_JOINED, 2)], {"two": Code.ALREADY_IN_TEAM}),
    # Memberships outlast leaving: a joining that repeats an earlier team changes nothing; a bare repetition is an
    # error.
    ([JOINED, named_by(JOINED), fact("left", Kind.EMPLOYEE_LEFT, 20), SECOND, named_by(SECOND)], {}),
    (
        [fact("early", Kind.TEAM_JOINED, 5), JOINED, named_by(JOINED), fact("late", Kind.TEAM_JOINED, 15)],
        {"late": Code.ALREADY_IN_TEAM},
    ),
    ([fact("at once", Kind.TEAM_JOINED, 10), JOINED, named_by(JOINED)], {}),
    (
        [fact("at once", Kind.TEAM_JOINED, 10), *(each._replace(recorded=True) for each in (JOINED, named_by(JOINED)))],
        {},
    ),
    (
        [
            JOINED,
            named_by(JOINED),
            fact("out", Kind.TEAM_LEFT, 15),
            fact("left", Kind.EMPLOYEE_LEFT, 20),
            SECOND,
            named_by(SECOND),
            fact("out again", Kind.TEAM_LEFT, 35),
        ],
        {},
    ),
    ([fact("left", Kind.TEAM_LEFT, 1)], {"left": Code.NOT_IN_TEAM}),
    ([fact("one", Kind.TEAM_JOINED, 1), fact("two", Kind.TEAM_LEFT, 1)], {}),
    ([fact("one", Kind.CONTACT_JOINED, 1), fact("two", Kind.CONTACT_JOINED, 2)], {"two": Code.ALREADY_CONTACT}),
    ([fact("one", Kind.CONTACT_JOINED, 1), fact("two", Kind.CONTACT_JOINED, 2, door=Door.CUSTOMER)], {}),
    ([fact("left", Kind.CONTACT_LEFT, 1)], {"left": Code.NOT_CONTACT}),
    ([JOINED, fact("erased", Kind.PERSON_ERASED, 20), fact("left", Kind.EMPLOYEE_LEFT, 21)], {"left": Code.ERASED}),
    ([fact("erased", Kind.PERSON_ERASED, 20), fact("again", Kind.PERSON_ERASED, 21)], {"again": Code.ALREADY_ERASED}),
    ([fact("erased", Kind.PERSON_ERASED, 20, recorded=True), JOINED], {"joined": Code.ERASED}),
    # A new fact that makes a recorded one impossible is refused, not the recorded one.
    (
        [
            JOINED._replace(recorded=True),
            fact("resumed", Kind.EMPLOYEE_RESUMED, 30, recorded=True),
            fact("suspended", Kind.EMPLOYEE_SUSPENDED, 20, recorded=True),
            fact("left", Kind.EMPLOYEE_LEFT, 25),
        ],
        {"left": Code.ALREADY_LEFT},
    ),
    (
        [INVITED._replace(recorded=True), fact("revoked", Kind.INVITATION_REVOKED, 20, recorded=True), BY_INVITATION],
        {"accepted": Code.INVITATION_ACCEPTED},
    ),
    # What only that fact would have made impossible is not refused with it.
    (
        [
            JOINED._replace(recorded=True),
            fact("left", Kind.EMPLOYEE_LEFT, 12),
            fact("suspended", Kind.EMPLOYEE_SUSPENDED, 14),
            fact("resumed", Kind.EMPLOYEE_RESUMED, 16),
            fact("suspended again", Kind.EMPLOYEE_SUSPENDED, 20, recorded=True),
        ],
        {"left": Code.ALREADY_LEFT},
    ),
    # The teams of a joining that is refused are not joined.
    (
        [JOINED, SECOND, named_by(SECOND), fact("team left", Kind.TEAM_LEFT, 30)],
        {"second": Code.OVERLAPPING_EMPLOYMENTS, "team left": Code.NOT_IN_TEAM},
    ),
    # An erasure that takes effect before recorded facts is still recorded.
    ([JOINED._replace(recorded=True), fact("erased", Kind.PERSON_ERASED, 9)], {}),
]


@pytest.mark.parametrize(("facts", "refused"), CASES)
def test_each_fact_is_judged_at_its_moment_whatever_the_order(
    facts: list[PersonFact], refused: dict[str, Code]
) -> None:
    expected = {ident(name): code for name, code in refused.items()}
    for order in permutations(facts):
        assert {each.fact_id: each.code for each in validate(order)} == expected


def test_ten_thousand_facts_of_one_person_are_refused_in_one_walk() -> None:
    """Walking through all of them again after each refusal took minutes, during which the company's facts waited."""
    many = [fact(str(number), Kind.EMPLOYEE_SUSPENDED, 11 + number) for number in range(10_000)]
    assert len(validate([JOINED, *many])) == len(many) - 1


def test_a_refusal_has_a_sentence() -> None:
    (refusal,) = validate([fact("left", Kind.TEAM_LEFT, 1)])
    assert refusal.sentence == "The person is not in the team at that moment."


@some.composite
def stories(draw: some.DrawFn) -> list[PersonFact]:
    return [
        fact(
            f"fact {number}",
            draw(some.sampled_from([kind for kind in Kind if kind is not Kind.PERSON_ERASED])),
            draw(some.integers(0, 4)),
            person_id=ident(draw(some.sampled_from(("stay", "second stay")))),
            invitation_id=draw(some.sampled_from((None, ident("invitation")))),
            with_joining=draw(some.booleans()),
        )
        for number in range(draw(some.integers(1, 9)))
    ]


@settings(max_examples=200)
@given(stories(), some.randoms(use_true_random=False))
def test_what_is_left_can_stand_together_and_is_the_same_in_any_order(facts: list[PersonFact], random: Random) -> None:
    refused = {each.fact_id for each in validate(facts)}
    left = [each for each in facts if each.fact_id not in refused]
    assert validate(left) == []
    assert {each.fact_id for each in validate(random.sample(facts, len(facts)))} == refused
    # Once the others are recorded, the same facts would be refused again, and no recorded one is.
    recorded = {each.fact_id for each in left}
    again = validate([each._replace(recorded=each.fact_id in recorded) for each in facts])
    assert recorded.isdisjoint(each.fact_id for each in again)
