"""Worked examples on training records: one for each rule and reading, named for it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from compliance.rules.owed_learning.decisions import RefusalCode
from compliance.rules.vocabulary import Door
from tests.rules.owed_learning.tale import (
    LEARNER,
    NO_DEADLINE,
    Tale,
    day,
    due_on,
    due_within,
    end_of,
    named,
)

BOTH = (Door.EMPLOYEE, Door.PARTNER)


def owed(**share: Any) -> Tale:
    """A course published on day 0, shared with everyone on day 1; the learner joins on day 2."""
    return Tale().published(0).shared(1, **share).joined(2)


def example(name: str, tale: Callable[[], Tale], at: float, **expected: Any) -> Any:
    return pytest.param(tale, at, expected, id=name)


@pytest.mark.parametrize(
    ("tale", "at", "expected"),
    [
        example("begins-when-employed-covered-and-published", owed, 2, assigned_at=day(2), outcome="not_due_yet"),
        example(
            "begins-with-the-publication-if-that-is-last",
            lambda: Tale().published(9).shared(1, deadline=due_within(5)).joined(2),
            9,
            assigned_at=day(9),
            due_at=end_of(14),
            due_basis="days_after_added",
        ),
        example(
            "a-late-joiner-is-overdue-at-once",
            lambda: Tale().published(0).shared(1, deadline=due_on(10)).joined(20),
            20,
            assigned_at=day(20),
            due_at=day(10),
            outcome="overdue",
            days_late=10,
        ),
        example(
            "days-count-from-entry",
            lambda: Tale().published(0).shared(1, deadline=due_within(7), team="sales").joined(2).in_team("sales", 5),
            6,
            assigned_at=day(5),
            due_at=end_of(12),
        ),
        example(
            "days-count-from-the-opening-of-the-share",
            lambda: Tale().published(0).shared(8, deadline=due_within(7)).joined(2),
            9,
            due_at=end_of(15),
        ),
        example(
            "days-count-from-the-moment-the-share-became-required",
            lambda: owed(deadline=due_within(7), required=False).shared(20, deadline=due_within(7)),
            21,
            assigned_at=day(20),
            due_at=end_of(27),
            requirement="required",
        ),
        example(
            "a-share-that-turns-optional-and-required-at-one-moment-was-required-throughout",
            lambda: (
                owed(deadline=due_within(7))
                .shared(5, deadline=due_within(7), required=False)
                .shared(5, deadline=due_within(7))
            ),
            6,
            assigned_at=day(2),
            due_at=end_of(9),
        ),
        example(
            "nothing-is-late-at-the-deadline-itself",
            lambda: owed(deadline=due_on(10)),
            10,
            outcome="not_due_yet",
            days_late=None,
        ),
        example(
            "a-microsecond-past-it-is-a-day-late",
            lambda: owed(deadline=due_on(10)),
            10.001,
            outcome="overdue",
            days_late=1,
        ),
        example(
            "the-earliest-deadline-of-the-required-shares",
            lambda: owed(deadline=due_on(30)).shared(3, "b", due_within(5)).shared(3, "c", due_on(4), required=False),
            3,
            due_at=end_of(8),
            due_basis="days_after_added",
            share_ids=tuple(sorted([named("share"), named("b"), named("c")])),
        ),
        example(
            "no-deadline-only-if-all-have-none",
            lambda: owed().shared(3, "b", due_on(40)),
            3,
            due_at=day(40),
        ),
        example(
            "a-tie-prefers-the-fixed-deadline",
            lambda: owed(deadline=due_within(0)).shared(2, "b", due_on(2 + (86400 - 1e-6) / 86400)),
            2,
            due_at=end_of(2),
            due_basis="share_deadline",
        ),
        example(
            "doors-are-the-union-of-the-shares",
            lambda: owed().shared(3, "b", doors=(Door.CUSTOMER, Door.EMPLOYEE)).shared(3, "c", doors=(Door.PARTNER,)),
            3,
            doors=(Door.CUSTOMER, Door.EMPLOYEE),
        ),
        example(
            "the-stricter-share-ends-and-nothing-is-overdue-any-more",
            lambda: owed(deadline=due_on(10)).shared(1, "b", due_on(50)).unshared(20),
            21,
            outcome="not_due_yet",
            due_at=day(50),
            assigned_at=day(2),
        ),
        example(
            "optional-coverage-assigns-from-its-first-moment-until-some-is-required",
            lambda: owed(required=False).shared(6, "b", required=False),
            7,
            assigned_at=day(2),
            requirement="optional",
        ),
        example(
            "one-share-that-requires-it-is-enough",
            lambda: owed(required=False).shared(6, "b", due_on(40)),
            7,
            assigned_at=day(6),
            requirement="required",
            due_at=day(40),
        ),
        example("an-optional-share-has-no-deadline", lambda: owed(deadline=due_on(5), required=False), 9, due_at=None),
        example("optional-and-not-done", lambda: owed(required=False), 9, outcome="optional_not_done"),
        example(
            "assigned-at-keeps-the-first-required-moment-though-coverage-turns-optional",
            lambda: owed(required=False).shared(5).shared(9, required=False),
            10,
            assigned_at=day(5),
            requirement="optional",
            due_at=None,
        ),
        example("an-end-while-optional-is-excused", lambda: owed(required=False).unshared(9), 9, outcome="excused"),
        # Completing
        example(
            "completed-at-the-deadline-is-on-time",
            lambda: owed(deadline=due_on(10)).completed(10),
            99,
            outcome="completed_on_time",
            days_late=None,
            completion_receipt_id=named("c"),
        ),
        example(
            "completed-late-counts-days-rounded-up",
            lambda: owed(deadline=due_on(10)).completed(12.5),
            99,
            outcome="completed_late",
            days_late=3,
        ),
        example(
            "completed-before-it-was-owed",
            lambda: owed(deadline=due_on(1)).completed(1.5),
            2,
            outcome="completed_before_requirement",
            completed_at=day(1.5),
            assigned_at=day(2),
        ),
        example(
            "completing-freezes-the-deadline",
            lambda: owed(deadline=due_on(10)).completed(8).shared(9, deadline=due_on(5)),
            20,
            due_at=day(10),
            outcome="completed_on_time",
        ),
        example(
            "a-change-at-the-very-moment-of-completion-is-not-later",
            lambda: owed(deadline=due_on(10)).completed(8).shared(8, deadline=due_on(5)),
            20,
            due_at=day(5),
            outcome="completed_late",
        ),
        example(
            "completing-freezes-the-requirement",
            lambda: owed().completed(8).shared(9, required=False),
            20,
            requirement="required",
            assigned_at=day(2),
        ),
        example(
            "an-optional-completed-record-freezes-when-it-becomes-required",
            lambda: (
                owed(required=False)
                .completed(8)
                .shared(9, deadline=due_within(5))
                .shared(10, required=False)
                .shared(11, deadline=due_on(3))
            ),
            20,
            requirement="required",
            assigned_at=day(9),
            due_at=end_of(14),
            outcome="completed_before_requirement",
        ),
        example(
            "shares-and-doors-of-a-completed-record-still-follow",
            lambda: owed().completed(8).shared(9, "b", doors=BOTH),
            20,
            share_ids=tuple(sorted([named("share"), named("b")])),
            doors=BOTH,
        ),
        example(
            "the-earliest-completion-counts-others-change-nothing",
            lambda: owed().completed(8).completed(5, name="early"),
            20,
            completion_receipt_id=named("early"),
        ),
        example(
            "completing-a-waived-record-completes-it",
            lambda: owed(deadline=due_on(9)).waived(4).completed(8),
            20,
            outcome="completed_on_time",
            waived_at=day(4),
        ),
        example(
            "a-completion-before-the-publication-counts-from-then-on-and-keeps-its-moment",
            lambda: Tale().published(9).shared(1).joined(2).completed(5),
            9,
            completed_at=day(5),
            assigned_at=day(9),
            outcome="completed_before_requirement",
        ),
        example(
            "a-deadline-set-at-the-very-moment-of-completion-is-the-one-that-freezes",
            lambda: owed(deadline=due_on(10)).completed(8).deadline_set(8, 5).deadline_set(9, 20, number=4),
            30,
            due_at=day(5),
            due_basis="override",
            outcome="completed_late",
            obligation_change_id=3,
        ),
        # Administrators
        example(
            "a-waiver-sets-three-fields",
            lambda: owed(deadline=due_on(5)).waived(4),
            9,
            outcome="waived",
            waived_at=day(4),
            waiver_actor_id=named("admin"),
            waiver_reason_code="medical",
            obligation_change_id=1,
            due_at=day(5),
        ),
        example(
            "reinstating-nulls-the-three-and-nothing-else",
            lambda: owed(deadline=due_on(5)).deadline_set(3, 7).waived(4).reinstated(6),
            9,
            waived_at=None,
            waiver_actor_id=None,
            waiver_reason_code=None,
            due_at=day(7),
            due_basis="override",
            outcome="overdue",
        ),
        example(
            "a-set-deadline-overrides",
            lambda: owed(deadline=due_on(5)).deadline_set(4, 30),
            9,
            due_at=day(30),
            due_basis="override",
            obligation_change_id=3,
        ),
        example(
            "a-set-deadline-without-one-removes-the-override",
            lambda: owed(deadline=due_on(5)).deadline_set(4, 30).deadline_set(6, None, number=4),
            9,
            due_at=day(5),
            due_basis="share_deadline",
        ),
        example(
            "a-deadline-set-after-completion-changes-nothing",
            lambda: owed(deadline=due_on(5)).completed(6).deadline_set(7, 30),
            9,
            due_at=day(5),
            obligation_change_id=None,
            outcome="completed_late",
        ),
        example(
            "reinstating-what-is-not-waived-changes-nothing",
            lambda: owed(deadline=due_on(5)).deadline_set(3, 7).reinstated(4),
            6,
            due_at=day(7),
            obligation_change_id=3,
            waived_at=None,
        ),
        # Ending
        example(
            "leaving-the-company-after-the-deadline-is-missed",
            lambda: Tale().published(0).shared(1, deadline=due_on(5)).joined(2, 8.5),
            20,
            requirement="no_longer_required",
            requirement_before_end="required",
            ended_at=day(8.5),
            ended_reason="person_left",
            outcome="missed",
            days_late=4,
        ),
        example(
            "leaving-at-the-deadline-is-excused",
            lambda: Tale().published(0).shared(1, deadline=due_on(5)).joined(2, 5),
            20,
            outcome="excused",
            days_late=None,
        ),
        example(
            "leaving-the-team-ends-it",
            lambda: Tale().published(0).shared(1, team="sales").joined(2).in_team("sales", 2, 7),
            9,
            ended_reason="audience_changed",
            ended_at=day(7),
        ),
        example("the-end-of-the-share-ends-it", lambda: owed().unshared(7), 9, ended_reason="share_ended"),
        example(
            "of-several-shares-all-must-have-ended-for-that-to-be-the-reason",
            lambda: owed().unshared(7).shared(1, "b").shared(7, "b", doors=(Door.PARTNER,)),
            9,
            ended_at=day(7),
            ended_reason="audience_changed",
        ),
        example(
            "reasons-of-one-moment-go-erased-first",
            lambda: Tale().published(0).shared(1).joined(2, 7).unshared(7).withdrawn(7).erased(7),
            9,
            ended_reason="source_removed",
        ),
        example(
            "then-left",
            lambda: Tale().published(0).shared(1).joined(2, 7).unshared(7).withdrawn(7),
            9,
            ended_reason="person_left",
        ),
        example("then-audience-or-share", lambda: owed().unshared(7).withdrawn(7), 9, ended_reason="share_ended"),
        example(
            "a-share-that-closes-its-employee-door-ends-it",
            lambda: owed(doors=BOTH).shared(7, doors=(Door.PARTNER,)),
            9,
            ended_reason="audience_changed",
            doors=BOTH,
            share_ids=(named("share"),),
        ),
        example("withdrawing-the-release-ends-it", lambda: owed().withdrawn(7), 9, ended_reason="course_withdrawn"),
        example(
            "an-ended-record-keeps-its-shares-and-deadline",
            lambda: owed(deadline=due_on(5)).unshared(7).shared(8, "b", doors=(Door.PARTNER,)),
            9,
            due_at=day(5),
            due_basis="share_deadline",
            share_ids=(named("share"),),
            outcome="missed",
        ),
        example(
            "moving-from-one-share-to-another-at-once-breaks-nothing",
            lambda: owed(deadline=due_on(30)).unshared(7).shared(7, "b", due_on(20)),
            9,
            ended_at=None,
            assigned_at=day(2),
            due_at=day(20),
            share_ids=(named("b"),),
        ),
        example(
            "moving-between-two-teams-of-one-share-breaks-nothing",
            lambda: (
                Tale()
                .published(0)
                .shared(1, deadline=due_within(9), team="sales")
                .shared(6, deadline=due_within(9))
                .joined(2)
                .in_team("sales", 3, 7)
            ),
            8,
            ended_at=None,
            assigned_at=day(3),
            due_at=end_of(12),
        ),
        example(
            "leaving-and-joining-again-at-one-moment-breaks-nothing",
            lambda: Tale().published(0).shared(1, deadline=due_within(9)).joined(2, 8).joined(8),
            9,
            ended_at=None,
            assigned_at=day(2),
            due_at=end_of(11),
        ),
        example(
            "a-waived-record-ends-too-and-stays-waived",
            lambda: owed(deadline=due_on(5)).waived(4).unshared(7),
            9,
            ended_at=day(7),
            outcome="waived",
        ),
        example(
            "a-completed-record-stands-when-nobody-covers-it-any-more",
            lambda: owed().completed(5).unshared(7),
            9,
            ended_at=None,
            requirement="required",
            share_ids=(named("share"),),
        ),
        example(
            "leaving-the-company-ends-a-completed-one-too",
            lambda: Tale().published(0).shared(1).joined(2, 8).completed(5),
            9,
            ended_at=day(8),
            requirement="no_longer_required",
            outcome="completed_on_time",
        ),
        example(
            "a-completed-record-stands-when-its-release-is-withdrawn",
            lambda: owed().completed(5).withdrawn(7),
            9,
            ended_at=None,
            requirement="required",
        ),
        # Coming back
        example(
            "a-year-later-a-completed-record-returns-as-it-was",
            lambda: (
                Tale().published(0).shared(1, deadline=due_within(9)).joined(2, 8).joined(380).completed(5).waived(3)
            ),
            400,
            ended_at=None,
            ended_reason=None,
            requirement="required",
            assigned_at=day(2),
            due_at=end_of(11),
            outcome="completed_on_time",
        ),
        example(
            "a-year-later-an-open-one-restarts",
            lambda: Tale().published(0).shared(1, deadline=due_within(9)).joined(2, 8).joined(380),
            400,
            ended_at=None,
            assigned_at=day(380),
            due_at=end_of(389),
            outcome="overdue",
        ),
        example(
            "a-year-later-who-was-waived-is-waived-still-and-restarts",
            lambda: Tale().published(0).shared(1, deadline=due_within(9)).joined(2, 8).joined(380).waived(3),
            400,
            assigned_at=day(380),
            due_at=end_of(389),
            waived_at=day(3),
            outcome="waived",
        ),
        example(
            "a-year-later-an-open-one-with-a-fixed-deadline-is-overdue-at-once",
            lambda: Tale().published(0).shared(1, deadline=due_on(100)).joined(2, 8).joined(380),
            380,
            assigned_at=day(380),
            due_at=day(100),
            outcome="overdue",
            days_late=280,
        ),
        example(
            "who-is-employed-again-has-the-completed-one-back-whether-or-not-a-share-covers-them",
            lambda: Tale().published(0).shared(1).joined(2, 8).joined(380).completed(5).unshared(20),
            400,
            ended_at=None,
            completed_at=day(5),
            requirement="required",
        ),
        example(
            "what-was-completed-while-away-settles-the-record-on-coming-back",
            lambda: Tale().published(0).shared(1).joined(2, 8).joined(380).completed(200),
            380,
            completed_at=day(200),
            assigned_at=day(380),
            outcome="completed_before_requirement",
        ),
        example(
            "restarting-keeps-override-and-waiver",
            lambda: owed().deadline_set(3, 50).waived(4).unshared(7).shared(20, "b"),
            25,
            ended_at=None,
            assigned_at=day(20),
            due_at=day(50),
            waived_at=day(4),
        ),
        example(
            "a-completion-while-nobody-covers-leaves-the-ended-record-alone",
            lambda: owed().unshared(7).completed(9),
            10,
            completed_at=None,
            ended_at=day(7),
        ),
        example(
            "and-settles-it-when-it-restarts",
            lambda: owed().unshared(7).completed(9).shared(20, "b"),
            20,
            completed_at=day(9),
            ended_at=None,
            assigned_at=day(20),
            outcome="completed_before_requirement",
        ),
        example(
            "a-second-share-does-not-restart-the-first-ones-entry",
            lambda: (
                Tale()
                .published(0)
                .shared(1, deadline=due_within(30))
                .shared(1, "b", due_within(30), team="sales")
                .joined(2)
                .in_team("sales", 3, 5)
                .in_team("sales", 9)
            ),
            10,
            assigned_at=day(2),
            due_at=end_of(32),
        ),
        # Practice and erasure
        example(
            "erasure-ends-everything-completed-ones-too",
            lambda: owed().completed(5).erased(9),
            9,
            ended_at=day(9),
            ended_reason="source_removed",
            outcome="completed_on_time",
        ),
        example(
            "a-record-that-ended-before-an-erasure-keeps-its-reason",
            lambda: owed().unshared(5).erased(9),
            10,
            ended_at=day(5),
            ended_reason="share_ended",
        ),
        # Lessons
        example(
            "a-lesson-share-needs-no-release",
            lambda: Tale().shared(1, lesson="hygiene", deadline=due_on(9)).joined(2),
            3,
            course_release_id=None,
            lesson_release_id=named("hygiene"),
            due_at=day(9),
        ),
        example(
            "a-lesson-completion-settles-it",
            lambda: Tale().shared(1, lesson="hygiene").joined(2).lesson_completed(5, "hygiene"),
            6,
            completed_at=day(5),
        ),
        example(
            "a-course-completion-does-not",
            lambda: Tale().published(0).shared(1, lesson="hygiene").joined(2).completed(5),
            6,
            completed_at=None,
        ),
    ],
)
def test_a_record_reads(tale: Callable[[], Tale], at: float, expected: dict[str, Any]) -> None:
    row = tale().row(at)
    assert {field: row[field] for field in expected} == expected


@pytest.mark.parametrize(
    "tale",
    [
        pytest.param(lambda: Tale().published(0).shared(1), id="not-employed"),
        pytest.param(lambda: Tale().published(0).joined(2), id="not-shared"),
        pytest.param(lambda: Tale().shared(1).joined(2), id="not-published"),
        pytest.param(lambda: owed(doors=(Door.PARTNER,)), id="shared-through-another-door"),
        pytest.param(lambda: owed(team="sales").in_team("care", 2), id="in-another-team"),
        pytest.param(lambda: Tale().published(0).shared(1).joined(2, staff_practice=True), id="staff-in-practice"),
        pytest.param(lambda: owed().erased(1), id="erased-before"),
        pytest.param(lambda: Tale().published(0).withdrawn(1).shared(1).joined(2), id="withdrawn-before"),
        pytest.param(lambda: owed(team="sales").in_team("sales", 3, 3), id="in-the-team-for-no-time"),
    ],
)
def test_nothing_is_owed_by_who_is(tale: Callable[[], Tale]) -> None:
    assert tale().rows(100) == []


class TestNewReleases:
    """Superseding, retakes and withdrawals."""

    def test_a_new_release_supersedes_the_open_record_and_inherits(self) -> None:
        old, new = owed(deadline=due_within(9)).deadline_set(3, 50).waived(4).published(7, "two").rows(8)
        assert (old["requirement"], old["ended_reason"], old["ended_at"]) == (
            "superseded",
            "release_superseded",
            day(7),
        )
        assert (new["assigned_at"], new["due_at"], new["waived_at"]) == (day(7), day(50), day(4))
        assert (new["course_release_id"], new["obligation_change_id"]) == (named("two"), 1)

    def test_a_record_superseded_after_its_deadline_was_missed_and_its_successor_is_overdue(self) -> None:
        old, new = owed(deadline=due_on(5)).published(7, "two").rows(8)
        assert (old["outcome"], old["days_late"], old["requirement_before_end"]) == ("missed", 2, "required")
        assert (new["outcome"], new["days_late"], new["assigned_at"]) == ("overdue", 3, day(7))
        assert owed(deadline=due_on(9)).published(7, "two").rows(8)[0]["outcome"] == "excused"

    def test_a_year_later_the_completed_release_is_still_what_was_completed_unless_it_must_be_retaken(self) -> None:
        tale = Tale().published(0).shared(1, deadline=due_within(9)).joined(2, 8).joined(380).completed(5)
        assert tale.published(100, "two").row(381)["completed_at"] == day(5)
        old, new = tale.published(200, "three", retake=True).rows(381)
        assert (old["ended_at"], old["outcome"]) == (None, "completed_on_time")
        assert (new["assigned_at"], new["due_at"], new["outcome"]) == (day(380), end_of(389), "not_due_yet")

    def test_days_are_not_counted_anew(self) -> None:
        assert owed(deadline=due_within(9)).published(7, "two").rows(8)[1]["due_at"] == end_of(11)

    def test_a_later_completion_of_the_old_release_settles_the_new_record(self) -> None:
        row = owed().published(7, "two").completed(8, "one").rows(9)[1]
        assert (row["completed_at"], row["course_release_id"]) == (day(8), named("two"))

    def test_but_not_a_retakes(self) -> None:
        assert owed().published(7, "two", retake=True).completed(8, "one").rows(9)[1]["completed_at"] is None

    def test_an_open_record_superseded_by_a_retake_keeps_its_deadline(self) -> None:
        tale = owed(deadline=due_within(9)).published(7, "two", retake=True)
        assert tale.rows(8)[1]["due_at"] == end_of(11)
        tale = owed(deadline=due_on(5)).published(7, "two", retake=True)
        assert tale.rows(8)[1]["due_at"] == day(5)

    def test_a_completed_record_stands_and_no_new_one_begins(self) -> None:
        row = owed().completed(5).published(7, "two").row(8)
        assert (row["course_release_id"], row["ended_at"]) == (named("one"), None)

    def test_a_retake_begins_beside_a_completed_record(self) -> None:
        old, new = owed(deadline=due_within(9)).completed(5).published(100, "two", retake=True).rows(101)
        assert (old["ended_at"], old["outcome"]) == (None, "completed_on_time")
        assert (new["assigned_at"], new["due_at"]) == (day(100), end_of(109))

    def test_its_fixed_deadlines_before_the_publication_are_replaced_by_none(self) -> None:
        new = owed(deadline=due_on(9)).completed(5).published(100, "two", retake=True).rows(101)[1]
        assert (new["due_at"], new["due_basis"]) == (None, "none")
        new = owed(deadline=due_on(109)).completed(5).published(100, "two", retake=True).rows(101)[1]
        assert new["due_at"] == day(109)

    def test_since_the_last_retake_goes_by_order_of_release(self) -> None:
        tale = (
            Tale().published(0).published(1, "two", retake=True).published(2, "three").completed(3, "one").shared(5)
        ).joined(5)
        assert tale.row(6)["completed_at"] is None
        assert tale.completed(4, "two", name="d").row(6)["outcome"] == "completed_before_requirement"

    def test_after_a_withdrawal_nothing_is_owed_until_the_next_publication(self) -> None:
        tale = owed(deadline=due_within(9)).published(4, "two").withdrawn(7, "two").published(20, "three")
        assert [row["ended_reason"] for row in tale.rows(10)] == ["release_superseded", "course_withdrawn"]
        new = tale.rows(21)[2]
        assert (new["course_release_id"], new["assigned_at"], new["due_at"]) == (named("three"), day(20), end_of(29))

    def test_withdrawing_an_earlier_release_changes_nothing(self) -> None:
        assert owed().published(4, "two").withdrawn(7, "one").rows(8)[1]["ended_at"] is None

    def test_coming_back_after_a_new_release_begins_its_record(self) -> None:
        old, new = owed().waived(3).unshared(5).published(7, "two").shared(9, "b").rows(10)
        assert (old["ended_reason"], new["assigned_at"], new["waived_at"]) == ("share_ended", day(9), None)


class TestVoiding:
    """A completion is declared void."""

    def test_reopens_the_record(self) -> None:
        tale = owed(deadline=due_on(9)).completed(5).voided(7).shared(6, deadline=due_on(30))
        assert tale.row(6.5)["due_at"] == day(9)
        row = tale.row(8)
        assert (row["completed_at"], row["completion_receipt_id"], row["due_at"]) == (None, None, day(30))

    def test_lets_the_next_completion_count(self) -> None:
        tale = owed().completed(5).completed(6, name="d").voided(7)
        assert [tale.row(at)["completed_at"] for at in (5, 6.5, 7)] == [day(5), day(5), day(6)]

    def test_ends_a_record_that_nobody_covers_at_the_voiding(self) -> None:
        tale = owed(deadline=due_on(6)).completed(5).unshared(7).voided(10)
        assert tale.row(9)["ended_at"] is None
        row = tale.row(11)
        assert (row["ended_at"], row["ended_reason"], row["completed_at"]) == (day(10), "share_ended", None)
        assert (row["outcome"], row["days_late"], row["due_at"]) == ("missed", 4, day(6))

    def test_ends_a_superseded_one_at_the_voiding_and_the_new_release_is_owed(self) -> None:
        tale = owed(deadline=due_within(9)).completed(5).published(7, "two").voided(10)
        assert len(tale.rows(9)) == 1
        old, new = tale.rows(10)
        assert (old["ended_at"], old["requirement"]) == (day(10), "superseded")
        assert (new["course_release_id"], new["assigned_at"], new["due_at"]) == (named("two"), day(7), end_of(11))

    def test_shows_no_record_that_never_stood(self) -> None:
        tale = owed().completed(5).published(7, "two").published(8, "three").voided(10)
        assert [row["course_release_id"] for row in tale.rows(11)] == [named("one"), named("three")]

    def test_at_the_moment_of_leaving_the_next_completion_counts_on_the_terms_that_it_froze(self) -> None:
        for voided_at in (9.5, 10, 10.5):  # before, at and after leaving: the same from then on
            tale = Tale().published(0).shared(1, deadline=due_on(6)).shared(7, deadline=due_on(30))
            tale.joined(2, 10).joined(20).completed(5).completed(8, name="d").voided(voided_at)
            for at in (10.5, 21):
                row = tale.row(at)
                assert (row["completed_at"], row["due_at"]) == (day(8), day(30)), (voided_at, at)


class TestRefusals:
    """Changes that the rules refuse, each validated at its own moment."""

    def test_waiving_the_completed(self) -> None:
        (refusal,) = owed().completed(5).waived(6).decision().refusals
        assert (refusal.code, refusal.fact_key) == (RefusalCode.RECORD_COMPLETED, 1)
        assert owed().completed(5).waived(6).row(9)["waived_at"] is None

    def test_a_change_where_nothing_is_owed(self) -> None:
        for tale in (owed().waived(1), owed().unshared(5).deadline_set(6, 30), Tale().reinstated(5)):
            assert [refusal.code for refusal in tale.decision().refusals] == [RefusalCode.NO_SUCH_RECORD]

    def test_a_change_goes_to_the_course_s_record_before_a_lesson_s(self) -> None:
        tale = owed().shared(1, "b", lesson="hygiene").waived(3)
        assert {row["lesson_release_id"]: row["waived_at"] for row in tale.rows(4)} == {
            None: day(3),
            named("hygiene"): None,
        }
        assert tale.completed(5).waived(6, 4).rows(7)[1]["waived_at"] == day(6)

    def test_a_refused_waiver_does_not_come_to_life_when_the_completion_is_voided(self) -> None:
        assert owed().completed(5).waived(6).voided(7).row(8)["waived_at"] is None

    def test_a_waiver_at_the_moment_of_completion_is_accepted(self) -> None:
        assert owed().completed(5).waived(5).decision().refusals == ()


def test_record_ids_are_of_person_course_and_release_only() -> None:
    ids = {tale.row(9)["record_id"] for tale in (owed(), owed(deadline=due_on(3)).completed(5), owed().unshared(4))}
    assert len(ids) == 1
    assert owed().row(9)["learner_profile_id"] == LEARNER


@pytest.mark.parametrize(
    ("zone", "joined", "due_at"),
    [
        pytest.param("Africa/Cairo", "2023-04-26T12:00", "2023-04-27T21:59:59.999999", id="cairo-spring"),
        pytest.param("Africa/Cairo", "2023-10-25T12:00", "2023-10-26T21:59:59.999999", id="cairo-autumn"),
        pytest.param("America/Havana", "2018-03-10T12:00", "2018-03-12T03:59:59.999999", id="havana-spring"),
        pytest.param("America/Havana", "2018-11-03T12:00", "2018-11-05T04:59:59.999999", id="havana-autumn"),
        pytest.param("America/Sao_Paulo", "2018-11-03T12:00", "2018-11-05T01:59:59.999999", id="sao-paulo-spring"),
        pytest.param("America/Sao_Paulo", "2018-02-16T12:00", "2018-02-18T02:59:59.999999", id="sao-paulo-autumn"),
        pytest.param("Pacific/Apia", "2011-12-29T12:00", "2011-12-30T09:59:59.999999", id="apia-the-missing-day"),
    ],
)
def test_a_day_after_being_added_where_clocks_change(zone: str, joined: str, due_at: str) -> None:

    moment = datetime.fromisoformat(joined).replace(tzinfo=UTC)
    number = (moment - day(0)).total_seconds() / 86400
    tale = Tale(zone).published(-9000).shared(-9000, deadline=due_within(1)).joined(number)
    row = tale.row(1000)
    assert row["due_at"] == datetime.fromisoformat(due_at).replace(tzinfo=UTC)
    assert row["due_time_zone"] == zone


def test_no_deadline_is_no_deadline() -> None:
    assert owed(deadline=NO_DEADLINE).row(500)["outcome"] == "not_due_yet"
