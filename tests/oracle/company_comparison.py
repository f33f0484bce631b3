"""Tells a story to the product, fact by fact, and holds what /v1 says to the oracle's answers at moments of it."""

from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from random import Random
from typing import Any
from uuid import UUID

from django.db import transaction

from compliance.facts.errors import FactsError
from compliance.facts.lines import kinds
from compliance.facts.recording.recording import record
from compliance.history.actions import sweep_company
from compliance.tenancy.models import Organization
from tests.companies import make_company
from tests.interfaces.api.conftest import Caller, issue_everything
from tests.oracle import accepting, people, policies, receipts, shares
from tests.oracle.company_stories import Story
from tests.oracle.owed_learning import TICK
from tests.oracle.told import Row, Told

OF_THE_HISTORY = {"sequence", "recorded_at", "cause", "logic_version"}
"""All that is not compared: how a row came to stand in the history, which hangs on captures (tests/history)."""


class Difference(AssertionError):
    """The product and the oracle disagree."""


class Company:
    """A company of the product, which is told a story, beside what the oracle knows of it."""

    def __init__(self, story: Story) -> None:
        self.story = story
        begins = story.chapters[0][0] - timedelta(days=900)
        made = make_company("Story", story.zone, begins.date(), at=begins, organization_id=story.organization_id)
        self.told = Told(made.organization_id, story.zone)
        self.ids: dict[Any, str] = {}
        self.call = Caller(issue_everything(made.organization_id, datetime.now(UTC)))
        self.on_each_row = {
            "deployment_id": self.call("/v1/snapshot").json()["snapshot"]["deployment_id"],
            "organization_id": str(made.organization_id),
            "learning_space_id": str(Organization.objects.get(pk=made.organization_id).learning_space_id),
        }

    def tell(self, waiting: list[kinds.FactLine], now: datetime) -> None:
        """Tells facts one by one. Those that refer to what is not known yet are told again when more is known."""
        known = -1
        while known != len(self.told.facts):
            known, trying, waiting = len(self.told.facts), waiting, []
            for line in trying:
                expected = accepting.accepts(self.told, line)
                refusal = self._record(line, now)
                if expected != (refusal is None):
                    raise Difference(f"{line!r} was {'refused: ' + str(refusal) if refusal else 'accepted'}")
                if not accepting.knows(self.told, line):
                    waiting.append(line)
                elif expected and isinstance(line, kinds.PolicySigned):
                    receipts.sign(self.told, line)
                elif expected:
                    self.told.add(line)

    def _record(self, line: kinds.FactLine, now: datetime) -> FactsError | None:
        try:
            with transaction.atomic():
                record(self.told.organization_id, [line], now=now)
        except FactsError as refusal:
            return refusal
        return None

    def compare(self, start: datetime, moment: datetime, now: datetime) -> None:
        """Compares all four registers as at a moment, people since `start`, when all until `now` is captured."""
        told = self.told
        at, since = receipts.written(moment), receipts.written(start)
        for path, key, expected in (
            (f"policies?as_at={at}", "course_release_id", receipts.versions(told, moment)),
            (f"acknowledgements?as_at={at}", "receipt_id", receipts.receipts(told, moment)),
            (f"policy-records?as_at={at}", "record_id", policies.records(told, moment, now)),
            (f"people?from={since}&to={at}", "person_id", people.people(told, start, moment, now)),
        ):
            said = self.call.pull(f"/v1/{path}")
            wanted = [_json(row) | self.on_each_row for row in expected]
            if key == "record_id":
                for row in wanted:
                    row["record_id"] = self.record_id(row, said)
            if path.startswith("policies"):  # the oldest first, and of one moment in any order
                assert [row["published_at"] for row in said] == [row["published_at"] for row in wanted]
            if key != "receipt_id":
                said.sort(key=lambda row: row[key])
                wanted.sort(key=lambda row: row[key])
            found = _difference([_shown(row) for row in said], wanted, at)
            if found:
                raise Difference(f"story {self.story.seed} at {moment}, /v1/{path}: {found}")

    def record_id(self, row: Row, said: list[Row]) -> str:
        """The identifier of a record that the oracle names by what it is of: one for one, throughout a story."""
        key = row.pop("key")
        found = [
            each["record_id"]
            for each in said
            if (each["learner_profile_id"], each["course_id"]) == (row["learner_profile_id"], row["course_id"])
        ]
        if len(found) == 1 and key not in self.ids and found[0] not in self.ids.values():
            self.ids[key] = found[0]
        return self.ids.get(key, f"another for {key}")


def _shown(row: Row) -> Row:
    return {name: value for name, value in row.items() if name not in OF_THE_HISTORY}


def _json(value: Any) -> Any:
    match value:
        case dict():
            return {name: each if name == "key" else _json(each) for name, each in value.items()}
        case list() | tuple():
            return [_json(each) for each in value]
        case datetime():
            return receipts.written(value)
        case date() | UUID() | StrEnum():
            return str(value)
    return value


def _difference(said: list[Row], wanted: list[Row], as_at: str) -> str:
    if len(said) != len(wanted):
        unexpected = [row for row in said if row not in wanted]
        return (
            f"{len(said)} rows, expected {len(wanted)}:\n  {unexpected}\n  {[row for row in wanted if row not in said]}"
        )
    for ours, theirs in zip(said, wanted, strict=True):
        if "valid_from" in ours and theirs["valid_from"] <= ours["valid_from"] <= as_at:
            ours["valid_from"] = theirs["valid_from"]  # see people.valid_from
    return "; ".join(
        f"{name} is {ours.get(name, 'absent')!r}, expected {theirs.get(name, 'absent')!r} in {theirs}"
        for ours, theirs in zip(said, wanted, strict=True)
        for name in sorted(ours.keys() | theirs.keys())
        if ours.get(name, "absent") != theirs.get(name, "absent")
    )


def moments_to_ask(told: Told, now: datetime, chance: Random, count: int | None) -> list[datetime]:
    """Moments at which something holds, opens, expires or is due; one tick before; between two. All, or some."""
    edges = set(shares.moments(told)) | {each.signed_at for each in told.chain}
    for line in told.of(kinds.PolicyPublished):
        edges |= {opens for each in told.chain if (opens := policies.renewal(told, each, line)) is not None}
    edges |= {line.expires_at for line in told.of(kinds.PersonInvited) if line.expires_at is not None}
    for at in sorted(edges):
        edges |= {row["due_at"] for row in policies.records(told, at, now) if row["due_at"] is not None}
    ordered = sorted(edges)
    asked = [at for edge in ordered for at in (edge - TICK, edge, edge + TICK)]
    asked += [first + (second - first) / 2 for first, second in pairwise(ordered)]
    return asked if count is None else chance.sample(asked, min(count, len(asked)))


def compare(story: Story, count: int | None = None) -> None:
    """Tells a story chapter by chapter and compares after each at `count` moments, or at all."""
    chance = Random(story.seed)
    company = Company(story)
    for until, facts in story.chapters:
        company.tell(facts, until)
        sweep_company(company.told.organization_id, until)
        for moment in moments_to_ask(company.told, until, chance, count):
            start = chance.choice((moment, moment - timedelta(days=chance.randint(0, 399))))
            company.compare(start, moment, until)
