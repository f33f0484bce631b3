"""Deadlines of training that fall inside an absence: one worked example for each sentence of docs/rules.md#absences."""

from typing import Any

import pytest

from tests.rules.owed_learning.tale import MICROSECOND, Tale, day, due_on, due_within, earned, end_of, named

DUE_ON_40 = due_on(40.5)
"""At noon of the fortieth day."""


def owed(**share: Any) -> Tale:
    """A course published on day 0, shared with everyone on day 1; the learner joins on day 2; due on day 40 at noon."""
    return Tale().published(0).shared(1, **{"deadline": DUE_ON_40} | share).joined(2)


def example(name: str, tale: Tale, at: float, **expected: Any) -> Any:
    return pytest.param(tale, at, expected, id=name)


@pytest.mark.parametrize(
    ("tale", "at", "expected"),
    [
        example(
            "a-deadline-before-an-absence-stays",
            owed().away(5, 41, 60),
            6,
            due_at=day(40.5),
            due_basis="share_deadline",
        ),
        example(
            "a-deadline-after-an-absence-stays", owed().away(5, 20, 39), 6, due_at=day(40.5), due_basis="share_deadline"
        ),
        example(
            "a-deadline-inside-an-absence-moves-as-many-days-beyond-it-as-it-lay-inside",
            owed().away(5, 30, 60),
            6,
            due_at=end_of(70),
            due_basis="override",
        ),
        example("one-on-the-first-day-moves-to-the-last", owed().away(5, 40, 60), 6, due_at=end_of(60)),
        example("one-on-the-last-day-moves-by-the-days-before-it", owed().away(5, 20, 40), 6, due_at=end_of(60)),
        example(
            "until-the-absence-is-recorded-the-deadline-is-the-old-one", owed().away(5, 30, 60), 4, due_at=day(40.5)
        ),
        example(
            "days-after-being-added-move-too",
            owed(deadline=due_within(30)).away(5, 30, 60),
            6,
            due_at=end_of(62),
            due_basis="override",
        ),
        example(
            "what-has-no-deadline-gets-none",
            owed(deadline=due_within(5)).shared(3, required=False).away(5, 3, 60),
            6,
            due_at=None,
            due_basis="none",
        ),
        example(
            "a-personal-deadline-moves-too",
            owed().deadline_set(4, 50).away(5, 45, 60),
            6,
            due_at=end_of(65),
            due_basis="override",
        ),
        example(
            "also-one-that-is-set-when-the-absence-is-known",
            owed().away(5, 45, 60).deadline_set(6, 50),
            7,
            due_at=end_of(65),
        ),
        example(
            "without-the-personal-deadline-the-share-s-is-due-where-the-absence-moves-it",
            owed().deadline_set(4, 50).away(5, 30, 60).deadline_set(7, None, 4),
            8,
            due_at=end_of(70),
        ),
        example("overlapping-absences-are-one", owed().away(5, 30, 45).away(5, 40, 60, "more"), 6, due_at=end_of(70)),
        example("adjoining-absences-are-one", owed().away(5, 30, 45).away(5, 46, 60, "more"), 6, due_at=end_of(70)),
        example(
            "an-absence-within-another-adds-nothing",
            owed().away(5, 30, 60).away(5, 35, 45, "less"),
            6,
            due_at=end_of(70),
        ),
        example(
            "a-deadline-that-moves-into-a-later-absence-moves-on-from-there",
            owed().away(5, 30, 60).away(5, 65, 80, "next"),
            6,
            due_at=end_of(85),
        ),
        example(
            "one-that-moves-to-the-day-before-the-next-absence-stays-there",
            owed().away(5, 30, 60).away(5, 71, 80, "next"),
            6,
            due_at=end_of(70),
        ),
        example("two-years-away-are-one-absence-too", owed().away(5, 30, 760), 6, due_at=end_of(770)),
        example(
            "recorded-after-the-deadline-what-was-overdue-is-not-any-more",
            owed().away(50, 30, 60),
            50,
            due_at=end_of(70),
            outcome="not_due_yet",
        ),
        example("but-it-was", owed().away(50, 30, 60), 49.5, due_at=day(40.5), outcome="overdue", days_late=9),
        example(
            "recorded-so-late-that-the-moved-deadline-has-passed-it-is-overdue-still",
            owed().away(90, 30, 60),
            90,
            due_at=end_of(70),
            outcome="overdue",
            days_late=20,
        ),
        example(
            "a-void-absence-gives-the-old-deadline-back",
            owed().away(5, 30, 60).there_after_all(50),
            50,
            due_at=day(40.5),
            due_basis="share_deadline",
            outcome="overdue",
        ),
        example(
            "of-two-absences-the-other-one-still-counts",
            owed().away(5, 30, 45).away(5, 40, 60, "more").there_after_all(20),
            20,
            due_at=end_of(60),
        ),
        example(
            "an-absence-void-at-its-own-moment-never-counted",
            owed().away(5, 30, 60).there_after_all(5),
            5,
            due_at=day(40.5),
        ),
        example(
            "each-share-s-deadline-moves-by-itself-and-the-earliest-counts",
            owed().shared(1, "other", due_on(65)).away(5, 30, 60),
            6,
            due_at=day(65),
            due_basis="share_deadline",
        ),
        example(
            "a-tie-prefers-the-deadline-that-did-not-move",
            owed().shared(1, "other", due_within(68)).away(5, 29, 59),
            6,
            due_at=end_of(70),
            due_basis="days_after_added",
        ),
        example(
            "completing-freezes-the-moved-deadline",
            owed().away(5, 30, 60).completed(65).there_after_all(66),
            67,
            due_at=end_of(70),
            outcome="completed_on_time",
        ),
        example(
            "an-absence-recorded-after-the-completion-changes-nothing",
            owed().completed(50).away(51, 30, 60),
            52,
            due_at=day(40.5),
            outcome="completed_late",
            days_late=10,
        ),
        example(
            "one-of-the-very-moment-of-completion-counts",
            owed().completed(50).away(50, 30, 60),
            52,
            due_at=end_of(70),
            outcome="completed_on_time",
        ),
        example(
            "an-ended-record-keeps-its-deadline",
            owed().unshared(45).away(50, 30, 60),
            52,
            due_at=day(40.5),
            outcome="missed",
            days_late=5,
        ),
        example(
            "an-absence-pauses-nothing-else",
            owed(required=False).away(5, 30, 60),
            45,
            requirement="optional",
            outcome="optional_not_done",
        ),
    ],
)
def test_the_deadline_of_somebody_away(tale: Tale, at: float, expected: dict[str, Any]) -> None:
    row = tale.row(at)
    assert {name: row[name] for name in expected} == expected


def test_a_renewal_is_due_later_and_its_certificate_ends_as_before() -> None:
    tale = owed().certified(1, 10).completed(10).away(12, 35, 60)
    renewal = next(row for row in tale.rows(45) if row["renews_certificate_id"])
    (certificate,) = [each for each in tale.certificates(45) if each["certificate_id"] == earned()]
    assert certificate["valid_until"] == end_of(41)
    assert (renewal["due_at"], renewal["due_basis"]) == (end_of(66), "override")


def test_a_new_release_s_record_inherits_the_deadline_and_the_absence_moves_it() -> None:
    tale = owed().deadline_set(4, 50).away(5, 45, 60).published(7, "two")
    (latest,) = [row for row in tale.rows(8) if row["course_release_id"] == named("two")]
    assert (latest["due_at"], latest["due_basis"]) == (end_of(65), "override")


def test_what_moves_no_deadline_makes_no_version() -> None:
    plain, away = owed().decision(), owed().away(5, 50, 60).there_after_all(9).decision()
    assert plain == away


def test_a_one_day_absence_moves_a_deadline_to_the_end_of_that_day() -> None:
    assert owed().away(5, 40, 40).row(6)["due_at"] == end_of(40)
    at_the_end = Tale().published(0).shared(1, deadline=due_within(30)).joined(2).away(5, 32, 32)
    assert (at_the_end.row(6)["due_at"], at_the_end.row(6)["due_basis"]) == (end_of(32), "days_after_added")


def test_no_deadline_leaves_the_calendar() -> None:
    tale = Tale().published(0).shared(1, deadline=due_within(2_900_000)).joined(2).away(5, 10, 2_910_000)
    assert tale.row(6)["due_at"] > end_of(2_900_002) - MICROSECOND
