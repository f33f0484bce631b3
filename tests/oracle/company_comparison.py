"""Records a story in the product, fact by fact, and compares the answers of /v1 with the oracle's at some moments."""

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
from tests.oracle.recorded import Recorded, Row

OF_THE_HISTORY = {"sequence", "recorded_at", "cause", "logic_version"}
"""Fields that are not compared, because they depend on when captures happened (tests/history)."""


class Difference(AssertionError):
    """The product and the oracle disagree."""


class Company:
    """A company of the product in which a story is recorded, and what the oracle knows of it."""

    def __init__(self, story: Story) -> None:
        self.story = story
        begins = story.chapters[0][0] - timedelta(days=900)
        made = make_company("Story", story.zone, begins.date(), at=begins, organization_id=story.organization_id)
        self.recorded = Recorded(made.organization_id, story.zone)
        self.ids: dict[Any, str] = {}
        self.call = Caller(issue_everything(made.organization_id, datetime.now(UTC)))
        self.on_each_row = {
            "deployment_id": self.call("/v1/snapshot").json()["snapshot"]["deployment_id"],
            "organization_id": str(made.organization_id),
            "learning_space_id": str(Organization.objects.get(pk=made.organization_id).learning_space_id),
        }

    def tell(self, waiting: list[kinds.FactLine], now: datetime) -> None:
        """Records facts one by one. Facts that refer to something unknown are tried again once more is known."""
        known = -1
        while known != len(self.recorded.facts):
            known, trying, waiting = len(self.recorded.facts), waiting, []
            for line in trying:
                expected = accepting.accepts(self.recorded, line)
                refusal = self._record(line, now)
                if expected != (refusal is None):
                    raise Difference(f"{line!r} was {'refused: ' + str(refusal) if refusal else 'accepted'}")
                if not accepting.knows(self.recorded, line):
                    waiting.append(line)
                elif expected and isinstance(line, kinds.PolicySigned):
                    receipts.sign(self.recorded, line)
                elif expected:
                    if isinstance(line, kinds.PersonErased):
                        for invitation_id in people.invitations_of(self.recorded, line.learner_profile_id):
                            self.recorded.invitations_erased.setdefault(invitation_id, line.at)
                    self.recorded.add(line)

    def _record(self, line: kinds.FactLine, now: datetime) -> FactsError | None:
        try:
            with transaction.atomic():
                record(self.recorded.organization_id, [line], now=now)
        except FactsError as refusal:
            return refusal
        return None

    def compare(self, start: datetime, moment: datetime, now: datetime) -> None:
        """Compares all four registers as at a moment, people since `start`, when all until `now` is captured."""
        recorded = self.recorded
        at, since = receipts.written(moment), receipts.written(start)
        for path, key, expected in (
            (f"policies?as_at={at}", "course_release_id", receipts.versions(recorded, moment)),
            (f"acknowledgements?as_at={at}", "receipt_id", receipts.receipts(recorded, moment)),
            (f"policy-records?as_at={at}", "record_id", policies.records(recorded, moment, now)),
            (f"people?from={since}&to={at}", "person_id", people.people(recorded, start, moment, now)),
        ):
            answered = self.call.pull(f"/v1/{path}")
            wanted = [_json(row) | self.on_each_row for row in expected]
            if key == "record_id":
                for row in wanted:
                    row["record_id"] = self.record_id(row, answered)
            if path.startswith("policies"):  # the oldest first; policies of one moment in any order
                assert [row["published_at"] for row in answered] == [row["published_at"] for row in wanted]
            if key != "receipt_id":
                answered.sort(key=lambda row: row[key])
                wanted.sort(key=lambda row: row[key])
            found = _difference([_compared(row) for row in answered], wanted, at)
            if found:
                raise Difference(f"story {self.story.seed} at {moment}, /v1/{path}: {found}")

    def record_id(self, row: Row, answered: list[Row]) -> str:
        """The identifier of a record that the oracle names by its subject: a one-to-one mapping throughout a story."""
        key = row.pop("key")
        found = [
            each["record_id"]
            for each in answered
            if (each["learner_profile_id"], each["course_id"]) == (row["learner_profile_id"], row["course_id"])
        ]
        if len(found) == 1 and key not in self.ids and found[0] not in self.ids.values():
            self.ids[key] = found[0]
        return self.ids.get(key, f"another for {key}")


def _compared(row: Row) -> Row:
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


def _difference(answered: list[Row], wanted: list[Row], as_at: str) -> str:
    if len(answered) != len(wanted):
        unexpected = [row for row in answered if row not in wanted]
        missing = [row for row in wanted if row not in answered]
        return f"{len(answered)} rows, expected {len(wanted)}:\n  {unexpected}\n  {missing}"
    for ours, theirs in zip(answered, wanted, strict=True):
        if "valid_from" in ours and theirs["valid_from"] <= ours["valid_from"] <= as_at:
            ours["valid_from"] = theirs["valid_from"]  # see people.valid_from
    return "; ".join(
        f"{name} is {ours.get(name, 'absent')!r}, expected {theirs.get(name, 'absent')!r} in {theirs}"
        for ours, theirs in zip(answered, wanted, strict=True)
        for name in sorted(ours.keys() | theirs.keys())
        if ours.get(name, "absent") != theirs.get(name, "absent")
    )


def moments_to_ask(recorded: Recorded, now: datetime, chance: Random, count: int | None) -> list[datetime]:
    """Moments at which something holds, opens, expires or is due; one tick before; between two. All, or some."""
    edges = set(shares.moments(recorded)) | {each.signed_at for each in recorded.chain}
    for line in recorded.of(kinds.PolicyPublished):
        edges |= {opens for each in recorded.chain if (opens := policies.renewal(recorded, each, line)) is not None}
    edges |= {line.expires_at for line in recorded.of(kinds.PersonInvited) if line.expires_at is not None}
    for at in sorted(edges):
        edges |= {row["due_at"] for row in policies.records(recorded, at, now) if row["due_at"] is not None}
    ordered = sorted(edges)
    asked = [at for edge in ordered for at in (edge - TICK, edge, edge + TICK)]
    asked += [first + (second - first) / 2 for first, second in pairwise(ordered)]
    return asked if count is None else chance.sample(asked, min(count, len(asked)))


def compare(story: Story, count: int | None = None) -> None:
    """Records a story part by part and compares after each at `count` moments, or at all."""
    chance = Random(story.seed)
    company = Company(story)
    for until, facts in story.chapters:
        company.tell(facts, until)
        sweep_company(company.recorded.organization_id, until)
        for moment in moments_to_ask(company.recorded, until, chance, count):
            start = chance.choice((moment, moment - timedelta(days=chance.randint(0, 399))))
            company.compare(start, moment, until)
