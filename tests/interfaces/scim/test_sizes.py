"""The number of statements of a request does not depend on the number of people and members.

`SCIM_PEOPLE=100000` lists that many Users page by page, and fills a team with half of them (`-s` prints the times).
"""

import os
import sys
import time
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.facts.lines.kinds import EmployeeJoined, TeamCreated
from compliance.facts.people.teams import moves
from compliance.facts.recording import record
from tests.interfaces.scim import entra

PEOPLE = int(os.environ.get("SCIM_PEOPLE", "60"))
PAGE = 500 if PEOPLE > 500 else 20


@pytest.fixture(autouse=True)
def without_limits(settings):
    """A large company is listed by more calls than a minute allows."""
    for name in ("SOURCE", "COMPANY", "ADDRESS"):
        setattr(settings, f"RATE_LIMIT_{name}_PER_MINUTE", 10**6)


def counted(call):
    """An answer, and the number of its statements."""
    with CaptureQueriesContext(
        connection,
    ) as caught:
        began = time.monotonic()
        answer = call()
        took = time.monotonic() - began
    assert answer.status_code < 300, answer.content
    return answer, len(caught), took


def employees(company, number):
    """`number` people join, by one recording."""
    lines = [
        EmployeeJoined(
            fact_id=uuid.uuid4(), at=company.start, person_id=uuid.uuid4(), learner_profile_id=uuid.uuid4(),
            person_name=f"Anna {n}", account_email=f"anna.{n}@example.org",
        )
        for n in range(number)
    ]  # fmt: skip
    record(company.organization_id, lines, now=company.now)
    return [line.learner_profile_id for line in lines]


def test_all_users_are_listed_page_by_page_by_as_many_statements_each(client, company):
    few = employees(company, 3)
    client.get("/Users?count=2")  # records the token's first use
    _, expected, _ = counted(lambda: client.get("/Users?count=2"))
    everybody = {str(each) for each in few + employees(company, PEOPLE)}
    seen: set[str] = set()
    statements: set[int] = set()
    longest, began = 0.0, time.monotonic()
    for start in range(1, len(everybody) + 1, PAGE):
        answer, number, took = counted(lambda at=start: client.get(f"/Users?startIndex={at}&count={PAGE}"))
        page = [each["id"] for each in answer.json()["Resources"]]
        assert answer.json()["totalResults"] == len(everybody)
        assert not seen & set(page)
        seen |= set(page)
        statements.add(number)
        longest = max(longest, took)
    assert seen == everybody
    assert statements <= {expected, expected + 1}  # once a minute the token's use is recorded
    took = time.monotonic() - began
    said(f"{len(seen)} users in {took:.1f} s, a page in {longest:.2f} s at most, {expected} statements")


def test_a_group_of_any_size_is_read_and_changed_by_as_many_statements(client, company):
    people = employees(company, PEOPLE)
    team_id, inside = uuid.uuid4(), people[: PEOPLE // 2]
    small = client("POST", "/Groups", {"schemas": [entra.GROUP], "displayName": "Small"}).json()["id"]
    made = TeamCreated(fact_id=uuid.uuid4(), at=company.start, team_id=team_id, name="Large")
    record(company.organization_id, [made, *moves(team_id, inside, [], lambda _: company.start)], now=company.now)
    large = str(team_id)
    new = [str(each) for each in people[PEOPLE // 2 :][:1000]]

    def patched(request):
        return lambda: client(request.method, request.path, request.body)

    for what, of_small, of_large in (
        ("read", lambda: client.get(f"/Groups/{small}"), lambda: client.get(f"/Groups/{team_id}")),
        ("add", patched(entra.add_members(small, *new[:2])), patched(entra.add_members(large, *new[2:]))),
        (
            "remove",
            patched(entra.remove_members_plain(small, *new[:2])),
            patched(entra.remove_members_plain(large, *new[2:])),
        ),
        ("without members", patched(entra.get_group(small)), patched(entra.get_group(large))),
        ("all", lambda: client.get("/Groups?count=1"), lambda: client.get("/Groups?count=2")),
    ):
        _, expected, _ = counted(of_small)
        _, number, took = counted(of_large)
        # An empty team reads no names.
        assert number <= expected + (1 if what in ("read", "all") else 0), what
        said(f"{what}: a team of {len(inside)} in {took:.2f} s by {number} statements")
    assert len(client.get(f"/Groups/{team_id}").json()["members"]) == len(inside)


def said(words):
    """Prints a measurement, if this run measures."""
    if PEOPLE > 500:
        sys.stdout.write(f"\n{words}\n")
