"""A facts file of the size and shape of the whole Open University set, from a seed.

206 courses, 28,785 people, 32,593 registrations in 22 presentations, 173,912 submissions: 235,930 facts and 323,925
owed records, the counts of the real set, which is not shipped. Run: python -m benchmarks.university > facts.jsonl
"""

import random
import sys
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import orjson

from compliance.proofs.instants import hashed_instant

PRESENTATIONS, COURSES, PEOPLE, REGISTRATIONS, SUBMISSIONS, OWED = 22, 206, 28_785, 32_593, 173_912, 323_925
_NAMESPACE = uuid.UUID("c2f1b7de-7a0c-5b1e-8a56-2a4f7f9d8e10")


def _identifier(name: str) -> str:
    return str(uuid.uuid5(_NAMESPACE, name))


def shape(chance: random.Random) -> tuple[list[int], list[int]]:
    """How many courses and how many registrations each presentation has; the sum of their products is OWED."""
    courses = [COURSES // PRESENTATIONS] * PRESENTATIONS
    for place in range(COURSES - sum(courses)):
        courses[place] += 1
    for _ in range(60):
        one, other = chance.sample(range(PRESENTATIONS), 2)
        if courses[one] > 5 and courses[other] < 14:
            courses[one] -= 1
            courses[other] += 1
    registrations = [REGISTRATIONS // PRESENTATIONS] * PRESENTATIONS
    registrations[0] += REGISTRATIONS - sum(registrations)
    missing = OWED - sum(many * few for many, few in zip(registrations, courses, strict=True))
    while missing:
        one, other = chance.sample(range(PRESENTATIONS), 2)
        gain = courses[other] - courses[one]
        if gain and abs(missing - gain) < abs(missing) and registrations[one] > 200:
            registrations[one] -= 1
            registrations[other] += 1
            missing -= gain
    return courses, registrations


def facts(seed: int = 2013) -> Iterator[dict[str, object]]:
    """The facts, by kind; each with the moment it took effect."""
    chance = random.Random(seed)
    courses, registrations = shape(chance)
    start = datetime(2013, 2, 1, tzinfo=UTC)

    def fact(kind: str, at: datetime, key: str, **fields: object) -> dict[str, object]:
        written = hashed_instant(at)
        return {"fact": kind, "fact_id": _identifier(f"{kind}/{key}"), "at": written, **fields}

    people = [f"{number}" for number in range(PEOPLE)]
    places = [number for number, count in enumerate(registrations) for _ in range(count)]
    # Each person gets one of the first PEOPLE places; the others are second registrations elsewhere.
    chance.shuffle(places)
    registered: list[tuple[str, int]] = list(zip(people, places, strict=False))
    taken = set(registered)
    for place in places[PEOPLE:]:
        person = chance.choice(people)
        while (person, place) in taken:
            person = chance.choice(people)
        taken.add((person, place))
        registered.append((person, place))
    begins = [start + timedelta(days=30 * number) for number in range(PRESENTATIONS)]
    for number in range(PRESENTATIONS):
        yield fact(
            "team_created",
            start - timedelta(days=400),
            f"{number}",
            team_id=_identifier(f"team/{number}"),
            name=f"Presentation {number}",
        )
    joined: dict[str, datetime] = {}
    moments: list[datetime] = []
    for person, place in registered:
        moments.append(begins[place] + timedelta(days=chance.randint(-150, 20), hours=12))
        joined[person] = min(joined.get(person, moments[-1]), moments[-1])
    for person, moment in joined.items():
        yield fact(
            "employee_joined",
            moment,
            person,
            person_id=_identifier(f"person/{person}"),
            learner_profile_id=_identifier(f"profile/{person}"),
            person_name=f"Student {person}",
            account_email=f"student{person}@example.org",
        )
    for (person, place), moment in zip(registered, moments, strict=True):
        yield fact(
            "team_joined",
            moment,
            f"{place}/{person}",
            team_id=_identifier(f"team/{place}"),
            learner_profile_id=_identifier(f"profile/{person}"),
        )
    for place, count in enumerate(courses):
        for number in range(count):
            key = f"{place}/{number}"
            due = begins[place] + timedelta(
                days=20 + 25 * number, hours=23, minutes=59, seconds=59, microseconds=999_999
            )
            yield fact(
                "course_created",
                start - timedelta(days=400),
                key,
                course_id=_identifier(f"course/{key}"),
                title=f"Assessment {key}",
            )
            yield fact(
                "release_published",
                start - timedelta(days=400),
                key,
                course_id=_identifier(f"course/{key}"),
                course_release_id=_identifier(f"release/{key}"),
                version=1,
                lessons=[],
            )
            yield fact(
                "course_shared",
                begins[place],
                key,
                share_id=_identifier(f"share/{key}"),
                course_id=_identifier(f"course/{key}"),
                doors=["employee"],
                audience={"team_ids": [_identifier(f"team/{place}")]},
                requirement="required",
                deadline={
                    "basis": "share_deadline",
                    "due_at": hashed_instant(due),
                },
            )
    owed = [(person, place, number) for person, place in registered for number in range(courses[place])]
    for person, place, number in chance.sample(owed, SUBMISSIONS):
        key = f"{place}/{number}"
        moment = begins[place] + timedelta(days=20 + 25 * number - chance.randint(-6, 12), hours=12)
        yield fact(
            "course_completed",
            moment,
            f"{key}/{person}",
            completion_receipt_id=_identifier(f"completion/{key}/{person}"),
            learner_profile_id=_identifier(f"profile/{person}"),
            course_release_id=_identifier(f"release/{key}"),
        )


def main() -> None:
    """Prints the file, in order of `at`."""
    for line in sorted(facts(), key=lambda line: (str(line["at"]), str(line["fact_id"]))):
        sys.stdout.buffer.write(orjson.dumps(line) + b"\n")


if __name__ == "__main__":
    main()
