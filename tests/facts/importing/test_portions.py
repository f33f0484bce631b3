"""Files with many people are recorded in portions, with the same result as without portions."""

import random
import uuid
from typing import Any

import pytest

from compliance.facts.importing import portions, staging
from compliance.facts.importing.portions import TOGETHER, Stored
from compliance.facts.lines.reading import ReadLine, read
from compliance.facts.training import validating
from compliance.tenancy import context, sql
from tests.companies import make_company
from tests.facts.files import completed, course, fact, file_of, identifier, joined, shared, take_in, team, waived
from tests.facts.importing.test_importing import STORY, reasons, stored

pytestmark = pytest.mark.django_db
PEOPLE = [f"person-{number}" for number in range(7)]


@pytest.fixture
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portions, "PORTION_LINES", 4)
    monkeypatch.setattr(portions, "LOOKED_UP_AT_ONCE", 3)
    monkeypatch.setattr(staging, "KEPT_LINES", 5)


def _tangle(chance: random.Random, size: int) -> list[dict[str, Any]]:
    """Lines about few people, stays and invitations, many of which break a rule or contradict each other."""
    stays, invitations = ["stay 1", "stay 2", "stay 3", "stay 4"], ["invitation 1", "invitation 2", "nobody's"]
    lines = []
    for number in range(size):
        kind = chance.choice(TOGETHER)
        person, key, day = chance.choice(PEOPLE), f"{size} {number}", chance.randrange(30)
        if kind == "invitation_revoked":
            lines.append(fact(kind, key, day, invitation_id=chance.choice(invitations)))
        elif kind == "employee_joined":
            more = {"invitation_id": chance.choice(invitations)} if chance.random() < 0.3 else {}
            lines.append(
                fact(kind, key, day, person_id=chance.choice(stays), learner_profile_id=person, **more)
                if chance.random() < 0.4
                else joined(person, day, stay=key, **more)
            )
        elif kind in ("employee_left", "employee_suspended", "employee_resumed"):
            lines.append(fact(kind, key, day, person_id=chance.choice([*stays, f"stay {person}"])))
        elif kind in ("contact_joined", "contact_left"):
            company = {"company": "A"} if kind == "contact_joined" else {}
            lines.append(fact(kind, key, day, learner_profile_id=person, door="partner", **company))
        elif kind == "person_changed":
            lines.append(fact(kind, key, day, learner_profile_id=person, person_name=key))
        else:
            lines.append(fact(kind, key, day, team_id="team blue", learner_profile_id=person))
    return lines


_BEGINNING = [
    team("blue"),
    *(
        fact("person_invited", name, 0, invitation_id=name, work_email="a@work.example")
        for name in ("invitation 1", "invitation 2")
    ),
]


@pytest.mark.parametrize("seed", range(6))
def test_what_is_recorded_and_refused_is_the_same_in_portions(
    seed: int, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    chance = random.Random(seed)
    files = [_BEGINNING + _tangle(chance, 40), _tangle(chance, 41)]
    at_once = make_company().organization_id
    whole = [take_in(at_once, lines) for lines in files]
    request.getfixturevalue("small_portions")
    divided = make_company().organization_id
    parts = [take_in(divided, lines) for lines in files]
    assert [reasons(each) for each in parts] == [reasons(each) for each in whole]
    assert all(each.recorded and reasons(each) for each in whole)
    assert stored(divided) == stored(at_once)


@pytest.mark.parametrize("pairs", [1, 3])
def test_waivers_of_many_people_are_refused_alike_however_many_are_loaded_at_once(
    monkeypatch: pytest.MonkeyPatch, pairs: int
) -> None:
    lines = [*course("fire"), *course("safety"), shared("fire", 1), shared("safety", 1)]
    for number, person in enumerate(PEOPLE):
        lines += [
            joined(person),
            waived(2 * number, person, "fire", 5),
            waived(2 * number + 1, person, "safety", 0.5 if number % 2 else 6),  # half of them before it is shared
            completed(person, "fire", 4 if number % 3 else 9),
        ]
    at_once, divided = (make_company().organization_id for _ in range(2))
    whole = take_in(at_once, lines)
    monkeypatch.setattr(validating, "PAIRS_AT_ONCE", pairs)
    assert reasons(take_in(divided, lines)) == reasons(whole)
    assert 3 < len(whole.errors) < 2 * len(PEOPLE)
    assert stored(divided) == stored(at_once)


@pytest.mark.usefixtures("small_portions")
def test_a_story_in_portions_is_the_story() -> None:
    company, other = (make_company().organization_id for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(portions, "PORTION_LINES", 1_000)
        assert take_in(other, STORY).errors == []
    assert take_in(company, STORY).errors == []
    assert stored(company) == stored(other)
    assert take_in(company, STORY).known == len(STORY)


def _divided(lines: list[dict[str, Any]], look_up: portions.LookUp | None = None) -> list[set[str]]:
    """The fact_ids of each portion that has any."""
    with staging.Staging() as staged:
        for line in read(file_of(lines)):
            assert isinstance(line, ReadLine)
            staged.add(line)
        assert list(staged.settle()) == []
        number = staged.divide(look_up)
        found = [
            {str(each.line.fact_id) for kind in TOGETHER for batch in staged.batches(kind, portion) for each in batch}
            for portion in range(number)
        ]
    return [each for each in found if each]


def _of(key: str, kind: str) -> str:
    return str(fact(kind, key)["fact_id"])


@pytest.mark.usefixtures("small_portions")
def test_lines_about_one_person_come_into_one_portion_by_whatever_they_name_them() -> None:
    lines = [
        each
        for name in PEOPLE
        for each in (
            joined(name, 0),
            fact("employee_left", name, 5, person_id=f"stay {name}"),
            fact("contact_joined", name, 6, learner_profile_id=name, door="partner", company="A"),
        )
    ]
    found = _divided(lines)
    assert len(found) > 2
    for name in PEOPLE:
        own = {_of(name, kind) for kind in ("employee_joined", "employee_left", "contact_joined")}
        assert any(own <= portion for portion in found)


@pytest.mark.usefixtures("small_portions")
def test_stays_that_the_company_knows_lead_to_their_person() -> None:
    whose = {uuid.UUID(identifier(f"old stay {name}")): uuid.UUID(identifier(name)) for name in PEOPLE}
    lines = [
        each
        for name in PEOPLE
        for each in (
            fact("employee_left", name, 5, person_id=f"old stay {name}"),
            fact("contact_joined", name, 6, learner_profile_id=name, door="partner", company="A"),
        )
    ]
    found = _divided(lines, lambda stays, _: Stored({stay: whose[stay] for stay in stays}, {}))
    for name in PEOPLE:
        assert any({_of(name, kind) for kind in ("employee_left", "contact_joined")} <= portion for portion in found)


def test_a_small_file_is_one_portion() -> None:
    assert len(_divided([joined(name, 0) for name in PEOPLE])) == 1


def test_a_recording_of_many_subjects_leaves_the_same_ones_pending(monkeypatch: pytest.MonkeyPatch) -> None:
    def pending(organization_id: uuid.UUID) -> list[tuple[Any, ...]]:
        with context.company(organization_id):
            return sql.fetch(
                "SELECT kind, first, second FROM pending_pendingsubject WHERE organization_id = %s ORDER BY id",
                (organization_id,),
            )

    one, other = (make_company().organization_id for _ in range(2))
    take_in(one, STORY)
    monkeypatch.setattr("compliance.facts.recording.subjects.MOST_IN_MEMORY", 2)
    monkeypatch.setattr("compliance.facts.recording.recording.MOST_IN_MEMORY", 3)
    take_in(other, STORY)
    assert pending(other) == pending(one) != []
