"""The same facts give the same bytes in every register, by whichever interface and in whichever pieces they arrive.

A company's facts are recorded from one facts file; that is rolled back, and the same facts are sent over HTTP: cut
anywhere, in any order, as lines or as arrays, compressed or not, some twice, with captures between or without. What is
refused because of what is not recorded yet is sent again. PROPERTY_EXAMPLES sets the number of companies.
"""

import gzip
import json
import os
import random
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
import zstandard
from django.db import transaction
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from compliance.access.sources import issue_source
from compliance.facts.lines.kinds import KINDS as EVERY_KIND
from compliance.history import actions
from tests.companies import make_company
from tests.facts.files import START, moment, take_in
from tests.interfaces.api.conftest import Caller, issue_everything
from tests.interfaces.ingest.conftest import Sender, ndjson
from tests.properties.test_pinned_pulls import COURSES, KINDS, PEOPLE, lines_of, story

EXAMPLES = int(os.environ.get("PROPERTY_EXAMPLES", "4"))
MOMENTS = ("2025-01-20T09:00:00Z", "2025-03-01T00:00:00Z", "2025-06-01T00:00:00Z")
OF_THE_CAPTURE = {"check_code", "sequence", "recorded_at", "cause"}
"""Fields that depend on the capture: its time, and random values."""
OF_LATE_FACTS = frozenset({"valid_from"})
"""A late fact appends a version at each boundary that was captured before, even where the content is the same."""
ORDERED = {"erase", "revoke", "correct", "sign"}
"""Kinds whose result depends on the order of recording: erasure, receipts (a chain), and what names certificates."""
HAPPENS = st.tuples(
    st.sampled_from([kind for kind in KINDS if kind not in ORDERED]),
    st.sampled_from(PEOPLE),
    st.sampled_from(COURSES),
    st.floats(11, 79, width=32),
)


def lines(happens: list[tuple[str, str, str, float]]) -> list[dict[str, Any]]:
    """The lines of a facts file: the beginning of every company, and what happens in it."""
    found = story()
    for number, (kind, who, what, day) in enumerate(happens, 1):
        found += lines_of(kind, who, what, day, "", str(number))
    return [
        {
            name: moment(value) if name.endswith("_at") and isinstance(value, float) else value
            for name, value in one.items()
        }
        for one in found
    ]


class Way:
    """Sends facts over HTTP in randomly chosen ways."""

    def __init__(self, organization_id: Any, chance: random.Random, captures_between: bool) -> None:
        token, _ = issue_source(
            organization_id=organization_id, name="HR", kinds=EVERY_KIND, environment="test",
            at=datetime.now(UTC), actor="a test",
        )  # fmt: skip
        self._organization_id = organization_id
        self._post = Sender(token)
        self._chance = chance
        self._captures_between = captures_between

    def send(self, facts: list[dict[str, Any]]) -> None:
        """Sends all of them, and again those that are refused.

        Where none of these is recorded, they are sent together: once the second coming of a contact is recorded, the
        first one and the going between are each refused alone.
        """
        left, together = list(facts), False
        while left:
            self._chance.shuffle(left)
            cuts = sorted(self._chance.randrange(len(left) + 1) for _ in range(self._chance.randrange(6)))
            again = []
            for start, end in [(0, len(left))] if together else zip([0, *cuts], [*cuts, len(left)], strict=True):
                if start < end:
                    again += self._some(left[start:end])
            assert len(again) < len(left) or not together, again
            left, together = again, len(again) == len(left)

    def _some(self, facts: list[dict[str, Any]]) -> list[dict[str, Any]]:
        chance = self._chance
        array = chance.random() < 0.5
        body = json.dumps(facts, indent=chance.choice([None, 1])).encode() if array else ndjson(facts)
        encodings = chance.sample(["gzip", "zstd"], chance.randrange(3))
        for encoding in encodings:
            body = gzip.compress(body) if encoding == "gzip" else zstandard.compress(body)
        for turn in range(chance.choice([1, 1, 2])):
            answer = self._post(body, HTTP_CONTENT_ENCODING=", ".join(encodings)).json()
            assert answer["recorded"] + answer["known"] + len(answer["refused"]) == len(facts), answer
            assert not turn or not answer["recorded"] or answer["refused"]
        if self._captures_between and chance.random() < 0.3:
            actions.capture_all(self._organization_id, datetime.now(UTC))
        return [facts[each["line"] - 1] for each in answer["refused"]]


def registers(organization_id: Any, but: frozenset[str] = frozenset()) -> dict[str, list[bytes]]:
    """Every register at several moments, each row as bytes, without the fields that depend on captures."""
    hidden = OF_THE_CAPTURE | but
    call = Caller(issue_everything(organization_id, datetime.now(UTC)))
    start = START.strftime("%Y-%m-%dT%H:%M:%SZ")
    targets = ["/v1/courses"]
    for at in MOMENTS:
        targets += [
            f"/v1/{name}?as_at={at}"
            for name in ("training-records", "certificates", "policies", "policy-records", "acknowledgements")
        ]
        targets += [f"/v1/{name}?from={start}&to={at}" for name in ("training-records/period", "people")]
    return {
        target: sorted(
            orjson.dumps({name: value for name, value in row.items() if name not in hidden})
            for row in call.pull(target)
        )
        for target in targets
    }


def read_after(
    organization_id: uuid.UUID, tell: Callable[[], object], but: frozenset[str] = frozenset()
) -> dict[str, list[bytes]]:
    """The company's registers after `tell` has recorded its facts, which are then rolled back."""
    with transaction.atomic():
        tell()
        actions.capture_all(organization_id, datetime.now(UTC))
        found = registers(organization_id, but)
        transaction.set_rollback(True)
    return found


@pytest.mark.timeout(3600)
@pytest.mark.django_db
@settings(
    max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), phases=set(Phase) - {Phase.shrink, Phase.explain}
)
@example(
    [("complete", "anna", "safety", 50.0), ("withdraw", "ben", "safety", 46.5)], 152028493, True
)  # recorded the other way
@given(st.lists(HAPPENS, min_size=1, max_size=10), st.integers(0, 2**32), st.booleans())
def test_the_way_in_changes_no_byte_of_a_register(happens, seed, captures_between):
    organization_id = make_company("Company", "Europe/Lisbon").organization_id
    facts = lines(happens)
    good: list[dict[str, Any]] = []

    def by_file() -> None:
        report = take_in(organization_id, facts, now=datetime.now(UTC))
        bad = {each.line for each in report.errors}
        good.extend(each for number, each in enumerate(facts, 1) if number not in bad)

    def by_http() -> None:
        Way(organization_id, random.Random(seed), captures_between).send(good)

    but = OF_LATE_FACTS if captures_between else frozenset()
    first = read_after(organization_id, by_file, but)
    assert len(good) >= len(story())
    second = read_after(organization_id, by_http, but)
    assert sum(map(len, first.values())) > 20
    for target, rows in first.items():
        assert rows == second[target], target
