"""Compares the decider's timelines of a story with the oracle's answers at moments of it."""

from datetime import datetime, timedelta
from random import Random
from typing import Any

from compliance.rules.owed_learning.decide import decide, decide_by_story, prepare
from compliance.rules.owed_learning.decisions import Decision
from compliance.rules.owed_learning.outcome import certificate_status, outcome_at
from tests.oracle import owed_learning as oracle
from tests.oracle.stories import COURSE, LEARNER, SPAN, START

Row = dict[str, Any]


def decision_of(facts: oracle.Facts, *, by_story: bool = False) -> Decision:
    """The decider's answer for the story's learner and course."""
    ask = decide_by_story if by_story else decide
    return ask(
        facts.organization_id,
        facts.zone,
        prepare(facts.courses[COURSE]),
        facts.learners[LEARNER],
        facts.doings[LEARNER, COURSE],
        facts.now,
    )


def _in_force(versions: Any, moment: datetime) -> Any:
    return next((version.content for version in reversed(versions) if version.valid_from <= moment), None)


def decided_records(decision: Decision, moment: datetime) -> list[Row]:
    """The decider's rows at a moment, in the oracle's form."""
    rows = []
    for timeline in decision.records:
        content = _in_force(timeline.versions, moment)
        if content is not None:
            outcome, days_late = outcome_at(
                moment,
                requirement_before_end=content.requirement_before_end,
                assigned_at=content.assigned_at,
                due_at=content.due_at,
                completed_at=content.completed_at,
                ended_at=content.ended_at,
                waived_at=content.waived_at,
            )
            rows.append({**content._asdict(), "outcome": outcome, "days_late": days_late})
    return sorted(rows, key=lambda row: row["record_id"])


def decided_certificates(decision: Decision, moment: datetime) -> list[Row]:
    """The decider's certificates at a moment, in the oracle's form."""
    rows = []
    for timeline in decision.certificates:
        content = _in_force(timeline.versions, moment)
        if content is not None:
            row = content._asdict()
            row["status"] = certificate_status(row["status"], content.valid_until, moment)
            rows.append(row)
    return sorted(rows, key=lambda row: row["certificate_id"])


def moments_to_ask(decision: Decision, chance: Random, count: int) -> list[datetime]:
    """Some moments at which answers change, the ticks before some, and some at random."""
    changing = sorted(
        {v.valid_from for timeline in decision.records for v in timeline.versions}
        | {v.valid_from for timeline in decision.certificates for v in timeline.versions}
    )
    asked = chance.sample(changing, min(count, len(changing)))
    asked += [moment - timedelta(microseconds=1) for moment in asked[: count // 2]]
    asked += [START + timedelta(days=chance.uniform(-5, SPAN + 40)) for _ in range(count // 2)]
    return asked


def differences(facts: oracle.Facts, chance: Random, count: int = 4) -> list[str]:
    """The differences between decider and oracle, in words; empty when they agree."""
    decision = decision_of(facts)
    found = []
    for moment in moments_to_ask(decision, chance, count):
        records, certificates, expected_refused = oracle.everything(facts, LEARNER, COURSE, moment)
        pairs = [
            (decided_records(decision, moment), records),
            (decided_certificates(decision, moment), certificates),
        ]
        for decided, expected in pairs:
            if decided != expected:
                found.append(f"at {moment}: {_difference(decided, expected)}")
        refused = {refusal.fact_key for refusal in decision.refusals if refusal.at <= moment}
        if refused != expected_refused:
            found.append(f"at {moment}: refused {refused}, expected {expected_refused}")
    return found


def _difference(decided: list[Row], expected: list[Row]) -> str:
    if len(decided) != len(expected):
        return f"{len(decided)} rows decided, {len(expected)} expected:\n  {decided}\n  {expected}"
    lines = []
    for ours, theirs in zip(decided, expected, strict=True):
        lines += [
            f"{name}: decided {ours.get(name)}, expected {theirs.get(name)}"
            for name in sorted(ours.keys() | theirs.keys())
            if ours.get(name) != theirs.get(name)
        ]
    return "; ".join(lines)
