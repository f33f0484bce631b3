"""`/period` lists exactly what `as_at` lists at any moment of the window, whatever happened and whenever it was known.

Companies are those of the history's state machine: late facts, voidings, leaving and coming back, erasure, withdrawn
releases, renewals, and a pin for every capture. A window begins and ends at boundaries of what is stored, or a tick
beside them; the moments asked about are all boundaries and due moments within it, the tick before each, and both ends.

PERIOD_EXAMPLES is the number of examples, PERIOD_STEPS the number of steps of each, PERIOD_SEED their seed.
"""

import os
import sys
import uuid
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import pytest
from django.db import transaction
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test

from compliance.catalogue.training import TRAINING_RECORDS
from compliance.history.models import HistoryRecord, HistoryRow
from compliance.registers import training
from compliance.registers.listings import LISTINGS
from compliance.registers.questions import Question
from compliance.rules.owed_learning.outcome import outcome_at
from compliance.tenancy import context
from tests.model.test_history_machine import SPACE, HistoryMachine, _question
from tests.registers.pulling import pull

pytestmark = pytest.mark.django_db
TICK = timedelta(microseconds=1)
place = st.integers(0, 40)


class Version(NamedTuple):
    """A stored version, and until when it was in force; None: for ever."""

    row: HistoryRow
    until: datetime | None

    def listed_in(self, start: datetime, end: datetime) -> bool:
        """Whether this version is listed at some moment of the window."""
        row = self.row
        if not row.body:
            return False
        first = max(row.valid_from, row.begins_at, start)
        return first <= end and all(each is None or first < each for each in (row.ends_at, self.until))

    def stood_in(self, start: datetime, end: datetime) -> bool:
        """Whether it is in force with a content at some moment of the window."""
        row = self.row
        begun = bool(row.body) and max(row.valid_from, row.begins_at) <= end
        return begun and (self.until is None or self.until > start)


def versions_known(sequence: int) -> dict[uuid.UUID, list[Version]]:
    """The versions of every training record as known at `sequence`, oldest first."""
    with context.company(SPACE):
        records = dict(
            HistoryRecord.objects.filter(organization_id=SPACE, register=TRAINING_RECORDS.number).values_list(
                "birth", "record_id"
            )
        )
        stored = HistoryRow.objects.filter(
            organization_id=SPACE, register=TRAINING_RECORDS.number, sequence__lte=sequence
        ).order_by("sequence")
        newest = {(row.birth, row.valid_from): row for row in stored}
    by_record: dict[uuid.UUID, list[HistoryRow]] = {}
    for birth, valid_from in sorted(newest):
        by_record.setdefault(records[birth], []).append(newest[birth, valid_from])
    return {
        record_id: [
            Version(row, following.valid_from if following else None)
            for row, following in zip(rows, [*rows[1:], None], strict=True)
        ]
        for record_id, rows in by_record.items()
    }


def boundaries(known: dict[uuid.UUID, list[Version]]) -> list[datetime]:
    """Every moment at which what is listed, or how, can change."""
    found = {
        moment
        for versions in known.values()
        for row, _ in versions
        for moment in (row.valid_from, row.begins_at, row.ends_at, row.due_at)
        if moment is not None
    }
    return sorted(found)


def check(question: Question, limit: int) -> int:
    """Compares the period with the union of its moments; returns how many of its records had vanished by its end."""
    start, end = question.start, question.moment
    assert start is not None
    known = versions_known(question.pin.sequence)
    changing = {each for edge in boundaries(known) for each in (edge - TICK, edge) if start <= each <= end}
    union: set[str] = set()
    at_end: dict[str, Any] = {}
    for moment in sorted({start, end} | changing):
        at_end = {row["record_id"]: row for row in pull(training.RECORDS, question._replace(moment=moment, start=None))}
        union |= at_end.keys()
    rows = {row["record_id"]: row for row in pull(LISTINGS["period"], question, limit)}
    assert rows.keys() == union
    assert {key: row for key, row in rows.items() if key in at_end} == at_end
    vanished = 0
    for record_id, row in rows.items():
        versions = known[uuid.UUID(record_id)]
        assert any(version.listed_in(start, end) for version in versions)
        last = [version for version in versions if version.stood_in(start, end)][-1]
        gone = last.until if last.until is not None and last.until <= end else None
        vanished += gone is not None
        stored = last.row
        outcome, days_late = outcome_at(
            min(each for each in (end, stored.ends_at, gone) if each is not None),
            requirement_before_end=str(stored.state_before_end), assigned_at=stored.begins_at, due_at=stored.due_at,
            completed_at=stored.done_at, ended_at=stored.ends_at, waived_at=stored.waived_at,
        )  # fmt: skip
        assert (row["sequence"], row["outcome"], row["days_late"]) == (stored.sequence, outcome.value, days_late)
    return vanished


class PeriodMachine(HistoryMachine):
    """The history's state machine with windows at every pin in place of pages."""

    def page(self, first: int | None, old: int, half_days: int, tick: int, limit: int) -> None:
        """A window of 30 days, with the arguments of the rules that read pages."""
        if first is not None or not self.pins:
            self.capture(first or 0)
        self.window(old, None, None, half_days, limit)

    @rule(
        old=st.sampled_from([0, 0, 1, 2, 3]), first=place, last=place, ticks=st.integers(-4, 4),
        limit=st.integers(1, 3), after=st.sampled_from([None, None, 0, 1, 25]),
    )  # fmt: skip
    @precondition(lambda self: self.pins or self.names)
    def ask(self, old: int, first: int, last: int, ticks: int, limit: int, after: int | None) -> None:
        """A window between two boundaries of what is stored, or a tick beside them; often after a capture."""
        if after is not None or not self.pins:
            self.capture(after or 0)
        self.window(old, first, last, ticks, limit)

    def window(self, old: int, first: int | None, last: int | None, ticks: int, limit: int) -> None:
        pin, facts = self.pins[-1 - old % len(self.pins)]
        end = self.at(ticks)
        start = end - timedelta(days=30)
        edges = boundaries(versions_known(pin.sequence))
        if first is not None and last is not None and edges:
            start, end = sorted((edges[first % len(edges)], edges[last % len(edges)]))
            start, end = start + (ticks // 3) * TICK, end + (ticks % 3 - 1) * TICK
            end = max(start, end)
        self.vanished = check(_question(pin, end, facts.zone)._replace(start=start), limit)

    @rule(number=st.integers(0, 5), until=st.integers(0, 25))
    def renew_and_void(self, number: int, until: int) -> None:
        """Opens a certificate's renewal, then voids its completion, so that the renewal vanishes."""
        self.complete(number, 0, -1, 60, True)
        self.ask(0, 0, 40, 0, 3, 0)
        receipt_id = list(self.ledger.completions)[-1]
        if self.ledger.completions[receipt_id][2].voided_at is None:
            self.void(len(self.ledger.completions) - 1, until)
            self.ask(0, 40 - until, 40, 1, 3, 0)

    def teardown(self) -> None:
        """At the end, checks windows up to now again, at the newest pin and at older ones."""
        try:
            if sys.exc_info()[0] is None and hasattr(self, "ledger"):
                for first, old in ((2, 0), (None, 1), (None, 2)):
                    self.page(first, old, 0, 0, 3)
        finally:
            transaction.set_rollback(True)
            self.rolled_back.__exit__(None, None, None)


def test_a_period_lists_exactly_what_any_of_its_moments_lists() -> None:
    run = settings(
        max_examples=int(os.environ.get("PERIOD_EXAMPLES", "6")),
        stateful_step_count=int(os.environ.get("PERIOD_STEPS", "12")),
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    machine = PeriodMachine
    if "PERIOD_SEED" in os.environ:
        machine = seed(int(os.environ["PERIOD_SEED"]))(machine)
    run_state_machine_as_test(machine, settings=run)


def test_a_renewal_that_is_voided_away_is_in_the_period_in_which_it_stood() -> None:
    machine = PeriodMachine()
    try:
        machine.begin("Europe/London", 5, True, [])
        machine.renew_and_void(0, 5)
        machine.window(0, None, None, 0, 3)
        assert machine.vanished == 1
        pin, facts = machine.pins[-1]
        question = _question(pin, machine.now, facts.zone)._replace(start=machine.now - timedelta(days=30))
        listed = {row["record_id"]: row["outcome"] for row in pull(LISTINGS["period"], question)}
        console = LISTINGS["period"]
        found = {
            word: {row["record_id"]: row["outcome"] for row in pull(console.filtered(word), question)}
            for word in console.filters
        }
        assert found["overdue"] == {key: outcome for key, outcome in listed.items() if outcome == "overdue"}
        assert found["open"] == {key: each for key, each in listed.items() if each in ("overdue", "not_due_yet")}
        assert len(found["ended"]) == 1  # the renewal, which vanished
    finally:
        machine.teardown()
