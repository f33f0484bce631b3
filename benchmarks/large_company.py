"""Makes the facts file of a company of 100,000 people from a seed; the console's pages are timed on it.

It covers two years: twelve courses (four for everyone, eight for ten of forty teams each; half of them earn a
certificate for a year that is renewed), two policies that everyone signs, early and late completions, waivers,
reminders, and people who leave. Run: python -m benchmarks.large_company [PEOPLE] > facts.jsonl
"""

import random
import sys
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import orjson

from compliance.proofs.instants import hashed_instant

PEOPLE = 100_000
TEAMS = 40
DAYS = 730
"""The length of the story in days; it ends on `ends`."""

_NAMESPACE = uuid.UUID("5b0a3c55-8f0e-5d0b-9c46-3b8b6f8a2f01")
_FIRST = [
    "Anna",
    "Ben",
    "Cleo",
    "Dora",
    "Emil",
    "Finn",
    "Gina",
    "Hugo",
    "Ines",
    "Jon",
    "Karl",
    "Lena",
    "Mia",
    "Noah",
    "Olga",
    "Paul",
    "Rosa",
    "Sven",
    "Tina",
    "Uwe",
]
_LAST = [
    "Berg",
    "Clark",
    "Dubois",
    "Evans",
    "Fischer",
    "Garcia",
    "Haas",
    "Ito",
    "Jansen",
    "Klein",
    "Lopez",
    "Meyer",
    "Novak",
    "Olsen",
    "Peters",
    "Rossi",
    "Silva",
]
_EVERYBODY = ("Fire safety", "Data protection", "Code of conduct in practice", "Reporting concerns")
_SOME = (
    "Working at height", "First aid", "Food hygiene", "Forklift trucks", "Export control", "Anti-bribery",
    "Chemicals at work", "Driving for work",
)  # fmt: skip
_POLICIES = (("Information security policy", "sign"), ("Travel policy", "acknowledge"))


def identifier(name: str) -> str:
    """The identifier that belongs to `name`."""
    return str(uuid.uuid5(_NAMESPACE, name))


def facts(people: int, ends: datetime) -> Iterator[dict[str, object]]:
    """The facts, by subject; each with the moment it took effect. `ends` is the last moment of the story."""
    chance = random.Random(8)
    start = ends - timedelta(days=DAYS)

    def fact(kind: str, at: datetime, key: str, **fields: object) -> dict[str, object]:
        written = hashed_instant(at)
        return {"fact": kind, "fact_id": identifier(f"{kind}/{key}"), "at": written, **fields}

    for team in range(TEAMS):
        yield fact("team_created", start, f"{team}", team_id=identifier(f"team/{team}"), name=f"Team {team:02d}")
    audiences: list[tuple[str, set[int], int]] = []
    for place, title in enumerate((*_EVERYBODY, *_SOME)):
        everyone = place < len(_EVERYBODY)
        teams = set(range(TEAMS)) if everyone else set(chance.sample(range(TEAMS), 10))
        days = (30, 60, 90)[place % 3]
        audiences.append((title, teams, days))
        earned = {"title": f"{title}, certificate", "kind": "assessed", "valid_months": 12, "renew_days_before": 60}
        yield fact("course_created", start, title, course_id=identifier(title), title=title,
                   certificate=earned if place % 2 else None)  # fmt: skip
        yield fact("release_published", start, title, course_id=identifier(title),
                   course_release_id=identifier(f"release/{title}"), version=1, lessons=[])  # fmt: skip
        yield fact(
            "course_shared", start, title, share_id=identifier(f"share/{title}"), course_id=identifier(title),
            doors=["employee"], requirement="required", deadline={"basis": "days_after_added", "days": days},
            audience={"everyone": True} if everyone
            else {"team_ids": [identifier(f"team/{team}") for team in sorted(teams)]},
        )  # fmt: skip
    for title, act in _POLICIES:
        yield fact(
            "policy_published", start, title, course_id=identifier(title), course_release_id=identifier(f"v1/{title}"),
            version=1, act=act, doors=["employee"], statement=f"I have read the {title.lower()}.", renew_months=12,
            change_kind="first", html=f"<h1>{title}</h1>\n<p>Read it, ask if it is unclear, and keep to it.</p>\n",
        )  # fmt: skip
        yield fact("policy_shared", start, title, share_id=identifier(f"share/{title}"), course_id=identifier(title),
                   doors=["employee"], audience={"everyone": True},
                   deadline={"basis": "days_after_added", "days": 30})  # fmt: skip

    changes = 0
    for number in range(people):
        profile = identifier(f"profile/{number}")
        name = f"{chance.choice(_FIRST)} {chance.choice(_LAST)}"
        team = chance.randrange(TEAMS)
        joined = start + timedelta(days=chance.randint(1, DAYS - 5), hours=chance.randint(0, 9))
        yield fact(
            "employee_joined", joined, f"{number}", person_id=identifier(f"person/{number}"),
            learner_profile_id=profile, person_name=name,
            account_email=f"{name.lower().replace(' ', '.')}.{number}@large.example",
            team_ids=[identifier(f"team/{team}")],
        )  # fmt: skip
        left = joined + timedelta(days=chance.randint(60, 600)) if chance.random() < 0.12 else ends
        if left < ends:
            yield fact("employee_left", left, f"{number}", person_id=identifier(f"person/{number}"))
        for title, teams, days in audiences:
            if team not in teams:
                continue
            key, fate = f"{number}/{title}", chance.random()
            done = joined + timedelta(days=chance.triangular(1, days * 1.4, days * 0.7))
            if fate < 0.01:
                changes += 1
                yield fact(
                    "obligation_changed", min(joined + timedelta(days=5), left - timedelta(hours=1)), key,
                    obligation_change_id=changes, learner_profile_id=profile, course_id=identifier(title),
                    change="waive", reason_code="equivalent_training", actor_id=identifier("manager"),
                )  # fmt: skip
            while done < left and 0.01 <= fate < 0.93:
                yield fact(
                    "course_completed", done, f"{key}/{done.date()}", learner_profile_id=profile,
                    completion_receipt_id=identifier(f"completion/{key}/{done.date()}"),
                    course_release_id=identifier(f"release/{title}"), assessed=True,
                )  # fmt: skip
                done += timedelta(days=chance.randint(310, 400))
            if fate >= 0.93 and joined + timedelta(days=days + 2) < left:
                yield fact("reminder_sent", joined + timedelta(days=days + 1), key, learner_profile_id=profile,
                           course_id=identifier(title))  # fmt: skip
        for title, act in _POLICIES:
            signed = joined + timedelta(days=chance.triangular(0.1, 50, 10))
            if chance.random() < 0.88 and signed < left:
                yield fact(
                    "policy_signed", signed, f"{number}/{title}", receipt_id=identifier(f"receipt/{number}/{title}"),
                    share_id=identifier(f"share/{title}"), learner_profile_id=profile, door="employee",
                    course_release_id=identifier(f"v1/{title}"), signature={"typed": name} if act == "sign" else None,
                )  # fmt: skip


def lines(people: int, ends: datetime) -> Iterator[bytes]:
    """The file, line by line, in order of `at`, up to `ends`; what is absent is left out."""
    last = hashed_instant(ends)
    for line in sorted(facts(people, ends), key=lambda line: str(line["at"])):
        if str(line["at"]) <= last:
            yield orjson.dumps({name: value for name, value in line.items() if value is not None}) + b"\n"


def unordered_lines(people: int, ends: datetime) -> Iterator[bytes]:
    """The file in the order in which it is made, person by person, up to `ends`; needs no memory for its lines."""
    last = hashed_instant(ends)
    for line in facts(people, ends):
        if str(line["at"]) <= last:
            yield orjson.dumps({name: value for name, value in line.items() if value is not None}) + b"\n"


def main() -> None:
    """Prints the file; the story ends at today's midnight."""
    ends = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    sys.stdout.buffer.writelines(lines(int(sys.argv[1]) if len(sys.argv) > 1 else PEOPLE, ends))


if __name__ == "__main__":
    main()
