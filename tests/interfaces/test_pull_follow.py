"""A copy that the reference client keeps by the feed: correct after any change, wherever it was interrupted."""

import json
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from compliance.access.actions import issue_key
from compliance.catalogue import REGISTERS
from compliance.facts.lines import kinds
from compliance.facts.people.erasing import erase_person
from compliance.history import actions
from compliance.interfaces.pull_follow import Copy, follow
from compliance.interfaces.pull_service import FaultError, PullError, Service
from compliance.rules.vocabulary import Scope
from tests.companies import make_company
from tests.interfaces.api.conftest import Caller
from tests.interfaces.console.small_company import SmallCompany, small_company
from tests.interfaces.feed.reading import follow as read_all

pytestmark = pytest.mark.django_db


class Served:
    """A company served by the product itself, without a socket; every call is counted."""

    def __init__(self, organization_id: uuid.UUID, scopes: tuple[Scope, ...] = tuple(Scope)) -> None:
        self.key, _ = issue_key(
            organization_id=organization_id, scopes=scopes, environment="test", at=datetime.now(UTC), actor="a test"
        )
        self._call = Caller(self.key)
        self.calls = 0
        self.fails_after = 1 << 30

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.calls += 1
        if self.calls > self.fails_after:
            raise KeyboardInterrupt
        answer = self._call(request.url.raw_path.decode())
        return httpx.Response(answer.status_code, content=answer.content, headers=dict(answer.headers))

    @property
    def service(self) -> Service:
        client = httpx.Client(transport=httpx.MockTransport(self._answer), base_url="http://svc.example")
        return Service(client, lambda seconds: None)


@pytest.fixture
def small(db: None) -> SmallCompany:
    return small_company()


def _said(_: str) -> None:
    return None


def _lines(folder: Path) -> dict[str, dict[str, Any]]:
    found = {}
    for register in REGISTERS.values():
        path = folder / "followed" / f"{register.name}.jsonl"
        rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        found[register.name] = {row["id"]: row for row in rows}
        assert len(found[register.name]) == len(rows)
    return found


def _replayed(served: Served) -> dict[str, dict[str, Any]]:
    """The records in force after a replay of the whole feed, by the rule of docs/feed.md."""
    found: dict[str, dict[str, Any]] = {register.name: {} for register in REGISTERS.values()}
    for each in sorted(read_all(Caller(served.key))[0], key=lambda each: (each["valid_from"], each["sequence"])):
        own = {name: value for name, value in each.items() if name not in ("fields", "basis")}
        found[each["register"]][each["id"]] = own | each["fields"] | each.get("basis", {})
    return {name: {id_: row for id_, row in rows.items() if not row["removed"]} for name, rows in found.items()}


def test_the_copy_is_right_after_changes_late_facts_removals_and_erasures(small, tmp_path):
    served = Served(small.organization_id)
    follow(served.service, tmp_path, _said, limit=7)
    assert _lines(tmp_path) == _replayed(served)
    assert "Dan" in (tmp_path / "followed" / "people.jsonl").read_text()
    dan, eve, now = small.people["Dan"], small.people["Eve"], small.story.now
    small.company.leave(eve, now - timedelta(days=60))
    small.story.tell(
        [
            kinds.PersonChanged(
                fact_id=uuid.uuid4(), at=now, learner_profile_id=dan.learner_profile_id, person_name="Daniel Dunn"
            )
        ]
    )
    actions.capture_all(small.organization_id, datetime.now(UTC))
    assert follow(served.service, tmp_path, _said, limit=7) > 0
    assert _lines(tmp_path) == _replayed(served)
    assert "Daniel Dunn" in (tmp_path / "followed" / "people.jsonl").read_text()
    erase_person(organization_id=small.organization_id, learner_profile_id=dan.learner_profile_id, at=datetime.now(UTC))
    actions.capture_all(small.organization_id, datetime.now(UTC))
    follow(served.service, tmp_path, _said, limit=7)
    assert _lines(tmp_path) == _replayed(served)
    for path in (tmp_path / "followed").iterdir():
        assert b"Daniel Dunn" not in path.read_bytes(), path
    assert follow(served.service, tmp_path, _said) == 0
    of_v1 = {row["record_id"] for row in Caller(served.key).pull("/v1/policy-records")}
    assert set(_lines(tmp_path)["policy-records"]) == of_v1


def test_it_goes_on_where_it_was_interrupted(small, tmp_path):
    served = Served(small.organization_id)
    whole = follow(served.service, tmp_path / "alone", _said, limit=5)
    came, calls = 0, []
    for _ in range(whole):
        served.calls, served.fails_after = 0, 2
        try:
            came = follow(served.service, tmp_path / "interrupted", _said, limit=5)
        except KeyboardInterrupt:
            calls.append(served.calls)
            continue
        break
    assert len(calls) > 3
    assert came < 15
    assert _lines(tmp_path / "interrupted") == _lines(tmp_path / "alone")


def test_it_looks_again_as_often_as_it_is_told(small, tmp_path):
    served = Served(small.organization_id)
    said: list[str] = []
    looks = iter((True, True, False))

    def wait() -> bool:
        go_on = next(looks)
        if go_on and len(said) == 1:
            small.company.join("Hal", at=small.story.now - timedelta(hours=1))
            actions.capture_all(small.organization_id, datetime.now(UTC))
        return go_on

    follow(served.service, tmp_path, said.append, wait=wait)
    assert len(said) == 2
    assert "people: " in said[1]


def test_a_history_that_is_another_one_is_read_anew(small, tmp_path):
    served = Served(small.organization_id)
    follow(served.service, tmp_path, _said)
    expected = _lines(tmp_path)
    copy = Copy(tmp_path)
    copy._store.execute("UPDATE reading SET value = 'AUx4' WHERE name = 'cursor'")
    copy._store.execute("UPDATE version SET content = '{}'")
    copy.close()
    said: list[str] = []
    follow(served.service, tmp_path, said.append)
    assert "begins anew" in said[0]
    assert _lines(tmp_path) == expected


def test_another_company_or_a_key_that_opens_less_changes_nothing(small, tmp_path):
    follow(Served(small.organization_id).service, tmp_path, _said)
    expected = _lines(tmp_path)
    with pytest.raises(PullError, match="another company"):
        follow(Served(make_company("Other").organization_id).service, tmp_path, _said)
    with pytest.raises(PullError, match=r"insufficient_scope.*Give it the scope again"):
        follow(Served(small.organization_id, (Scope.TRAINING_READ,)).service, tmp_path, _said)
    assert _lines(tmp_path) == expected


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"data": [{"sequence": 2}, {"sequence": 2}]}, "comes behind"),
        ({"data": [{"sequence": 9}]}, "lies behind the snapshot"),
        ({"next_cursor": None}, "no cursor"),
    ],
)
def test_a_page_that_is_not_what_the_feed_promises_is_a_fault(tmp_path, changed, complaint):
    page = {"data": [], "next_cursor": "x", "at_end": True, "registers": [],
            "snapshot": {"organization_id": str(uuid.uuid4()), "sequence": 5}}  # fmt: skip

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=page | changed)

    client = httpx.Client(transport=httpx.MockTransport(answer), base_url="http://svc.example")
    with pytest.raises(FaultError, match=complaint):
        follow(Service(client, lambda seconds: None), tmp_path, _said)
