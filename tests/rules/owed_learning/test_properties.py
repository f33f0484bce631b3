"""Properties that hold for every decision, whatever the facts."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from compliance.rules.owed_learning.facts import CourseFacts, DoingFacts, LearnerFacts
from compliance.rules.owed_learning.outcome import outcome_at
from compliance.rules.vocabulary import Outcome, Requirement
from tests.oracle.comparison import decision_of
from tests.oracle.owed_learning import Facts, known_by
from tests.oracle.stories import COURSE, LEARNER, SPAN, START, story

TICK = timedelta(microseconds=1)
stories = st.integers(min_value=10**6, max_value=10**9).map(story)
any_moment = st.integers(min_value=-5 * 48, max_value=(SPAN + 60) * 48).map(
    lambda half_hours: START + timedelta(minutes=30 * half_hours)
)
instants = st.integers(min_value=0, max_value=10**13).map(
    lambda microseconds: datetime(2024, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
)


@settings(max_examples=150)
@given(facts=stories, moment=any_moment)
def test_no_answer_depends_on_a_fact_that_takes_effect_later(facts: Facts, moment: datetime) -> None:
    whole, early = decision_of(facts), decision_of(known_by(facts, moment))
    for ours, theirs in ((whole.records, early.records), (whole.certificates, early.certificates)):
        upto = [
            [version for version in timeline.versions if version.valid_from <= moment]
            for timelines in (ours, theirs)
            for timeline in timelines
            if timeline.versions[0].valid_from <= moment
        ]
        half = len(upto) // 2
        assert upto[:half] == upto[half:]
    assert [refusal for refusal in whole.refusals if refusal.at <= moment] == list(early.refusals)


@settings(max_examples=150)
@given(facts=stories)
def test_timelines_have_no_gap_and_no_version_that_says_nothing_new(facts: Facts) -> None:
    decision = decision_of(facts)
    timelines: list[Any] = [*decision.records, *decision.certificates]
    for timeline in timelines:
        assert timeline.versions[0].content is not None
        for earlier, later in pairwise(timeline.versions):
            assert earlier.valid_from < later.valid_from
            assert earlier.content != later.content


@settings(max_examples=100)
@given(facts=stories, seed=st.integers(0, 10**6))
def test_facts_in_any_order_give_the_same_decision(facts: Facts, seed: int) -> None:
    chance = Random(seed)

    def shuffled(told: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(chance.sample(told, len(told)))

    course, learner, doing = facts.courses[COURSE], facts.learners[LEARNER], facts.doings[LEARNER, COURSE]
    disordered = replace(
        facts,
        courses={
            COURSE: CourseFacts(
                course.course_id,
                shuffled(course.releases),
                tuple(share._replace(steps=shuffled(share.steps)) for share in shuffled(course.shares)),
                shuffled(course.editions),
            )
        },
        learners={
            LEARNER: LearnerFacts(
                LEARNER,
                shuffled(learner.employments),
                shuffled(learner.memberships),
                learner.erased_at,
                shuffled(learner.absences),
            )
        },
        doings={(LEARNER, COURSE): DoingFacts(*(shuffled(told) for told in doing))},
    )
    assert decision_of(disordered) == decision_of(facts) == decision_of(facts)


@settings(max_examples=150)
@given(facts=stories)
def test_the_clock_brings_only_what_was_announced(facts: Facts) -> None:
    facts = known_by(facts, facts.now)
    decision = decision_of(facts)
    announced = decision.next_change_at
    if announced is None:
        later = decision_of(replace(facts, now=facts.now + timedelta(days=4000)))
        assert (later.records, later.next_change_at) == (decision.records, None)
        return
    assert announced > facts.now
    assert decision_of(replace(facts, now=announced - TICK)) == decision
    opened = decision_of(replace(facts, now=announced))
    assert announced in {version.valid_from for timeline in opened.records for version in timeline.versions}
    assert {timeline.record_id for timeline in opened.records} > {timeline.record_id for timeline in decision.records}


@given(
    moment=instants,
    requirement=st.sampled_from([Requirement.REQUIRED, Requirement.OPTIONAL]),
    assigned_at=instants,
    due_at=st.none() | instants,
    completed_at=st.none() | instants,
    ended_at=st.none() | instants,
    waived_at=st.none() | instants,
)
def test_every_record_has_an_outcome_and_only_late_ones_count_days(
    moment: datetime,
    requirement: Requirement,
    assigned_at: datetime,
    due_at: datetime | None,
    completed_at: datetime | None,
    ended_at: datetime | None,
    waived_at: datetime | None,
) -> None:
    outcome, days_late = outcome_at(
        moment,
        requirement_before_end=requirement,
        assigned_at=assigned_at,
        due_at=due_at,
        completed_at=completed_at,
        ended_at=ended_at,
        waived_at=waived_at,
    )
    assert outcome in Outcome
    late = outcome in {Outcome.COMPLETED_LATE, Outcome.MISSED, Outcome.OVERDUE}
    assert (days_late is not None and days_late >= 1) == late
