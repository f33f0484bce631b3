"""The reckoning of a deadline agrees with the decider, for random facts; and each way of counting by example."""

from datetime import timedelta
from random import Random

import pytest

from compliance.rules.owed_learning import reckoned as training
from compliance.rules.owed_learning.decide import prepare
from compliance.rules.policies import reckoned as policies
from compliance.rules.policies.decide import decide
from compliance.rules.policies.facts import PolicyFacts
from compliance.rules.reckoning import CountedFrom, Reckoning
from tests.oracle.comparison import decided_records, decision_of, moments_to_ask
from tests.oracle.stories import COURSE, LEARNER, story
from tests.rules.owed_learning.tale import ORGANIZATION, Tale, day, due_on, due_within, end_of
from tests.rules.policies import story as policy_story


def _reckoned(tale: Tale, at: float) -> Reckoning:
    course, learner, doing = tale.facts
    (found,) = training.reckonings(ORGANIZATION, tale.zone, prepare(course), learner, doing, day(at)).values()
    return found


@pytest.mark.parametrize("first", [0, 50, 100])
def test_each_open_record_of_a_story_has_the_deadline_that_is_reckoned(first: int) -> None:
    compared = 0
    for seed in range(first, first + 50):
        facts = story(seed)
        decision = decision_of(facts)
        for moment in moments_to_ask(decision, Random(seed), 3):
            if moment > facts.now:
                continue
            found = training.reckonings(
                facts.organization_id, facts.zone, prepare(facts.courses[COURSE]), facts.learners[LEARNER],
                facts.doings[LEARNER, COURSE], moment,
            )  # fmt: skip
            for row in decided_records(decision, moment):
                if row["ended_at"] is None:
                    reckoned = found[row["record_id"]]
                    assert (reckoned.excused_at, reckoned.excused_basis) == (row["due_at"], row["due_basis"]), seed
                    compared += 1
    assert compared > 50


@pytest.mark.parametrize(
    ("tale", "counted_from", "counted_at", "days"),
    [
        (lambda: _owed(due_on(40)), CountedFrom.SHARE, None, None),
        (lambda: _owed(due_within(30)), CountedFrom.ADDED, day(2), 30),
        (lambda: Tale().published(9).shared(1, deadline=due_within(5)).joined(2), CountedFrom.PUBLISHED, day(9), 5),
        (lambda: _owed(due_on(40)).deadline_set(4, 50), CountedFrom.PERSONAL, day(4), None),
        (
            lambda: Tale().published(0).shared(1, required=False).shared(6, deadline=due_within(5)).joined(2),
            CountedFrom.REQUIRED, day(6), 5,
        ),
    ],
    ids=["share", "added", "published", "personal", "required"],
)  # fmt: skip
def test_what_a_deadline_is_counted_from(tale, counted_from, counted_at, days) -> None:  # type: ignore[no-untyped-def]
    found = _reckoned(tale(), 10)
    assert (found.counted_from, found.counted_at, found.days) == (counted_from, counted_at, days)


def _owed(deadline) -> Tale:  # type: ignore[no-untyped-def]
    return Tale().published(0).shared(1, deadline=deadline).joined(2)


def test_an_absence_shows_its_steps_one_after_the_other() -> None:
    found = _reckoned(_owed(due_on(40.5)).away(5, 30, 60).away(5, 65, 80, "next"), 6)
    assert [(each.from_day, each.to_day) for each in found.steps] == [
        (day(40).date(), day(70).date()),
        (day(70).date(), day(85).date()),
    ]
    assert (found.due_at, found.excused_at) == (day(40.5), end_of(85))


def test_a_policy_s_reckoning_is_its_deadline_also_when_it_is_signed() -> None:
    versions = [policy_story.version(1, "2024-01-10", effective="2024-02-20")]
    shares = [policy_story.share("a", policy_story.step("2024-01-10", days=14))]
    signer = policy_story.employee(("2024-01-01", None))
    for signed in ([], [policy_story.receipt("r", 1, "2024-01-15")]):
        facts = PolicyFacts(policy_story.POLICY, tuple(versions), tuple(shares))
        for moment in (policy_story.at("2024-01-12"), policy_story.at("2024-03-01") + timedelta(days=1)):
            known = [each for each in signed if each.signed_at <= moment]
            rows = decide(policy_story.ORGANIZATION, policy_story.ZONE, facts, signer, known, moment)
            found = policies.reckonings(policy_story.ORGANIZATION, policy_story.ZONE, facts, signer, known, moment)
            (content,) = [row for timeline in rows if (row := timeline.at(moment)) is not None]
            assert found[content.record_id].excused_at == content.due_at
            assert found[content.record_id].counted_from is CountedFrom.EFFECTIVE
