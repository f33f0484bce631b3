"""The decider of owed learning against a plain implementation of docs/rules.md, on random stories that never change."""

from random import Random

import pytest

from tests.oracle.comparison import decision_of, differences
from tests.oracle.stories import at_edges, story

STORIES_A_CASE = 50


@pytest.mark.parametrize("first", range(0, 300, STORIES_A_CASE))
def test_decider_and_oracle_tell_the_same_story(first: int) -> None:
    for seed in range(first, first + STORIES_A_CASE):
        assert differences(story(seed), Random(seed), count=3) == [], f"story {seed}"


@pytest.mark.parametrize("first", range(1700, 2000, STORIES_A_CASE))
def test_they_do_where_moments_are_shared(first: int) -> None:
    for seed in range(first, first + STORIES_A_CASE):
        assert differences(story(seed, crowded=True), Random(seed), count=3) == [], f"crowded story {seed}"


@pytest.mark.parametrize("first", range(0, 200, STORIES_A_CASE))
def test_they_do_where_completions_are_voided_at_the_edges_of_windows(first: int) -> None:
    for seed in range(first, first + STORIES_A_CASE):
        assert differences(at_edges(story(seed), seed), Random(seed), count=4) == [], f"story {seed} at edges"


@pytest.mark.parametrize("seed", [1909, 4243], ids=["voided-as-its-learner-leaves", "and-comes-back-months-later"])
def test_differences_found_at_edges_before_are_gone(seed: int) -> None:
    facts = at_edges(story(seed, crowded=seed % 2 == 0), seed)
    assert differences(facts, Random(seed), count=40) == []


def test_the_short_way_answers_as_the_long_one() -> None:
    for seed in range(1000):
        facts = story(seed, plain=True)
        assert decision_of(facts) == decision_of(facts, by_story=True), f"plain story {seed}"
