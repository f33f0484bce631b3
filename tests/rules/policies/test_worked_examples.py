"""Each rule of docs/rules.md#policies, worked by hand."""

from datetime import timedelta

from compliance.rules.people.facts import ContactStay
from compliance.rules.policies.decide import renewal_opens_at
from compliance.rules.vocabulary import ChangeKind, Door

from .story import (
    EVERY_DOOR,
    NOW,
    PERSON,
    ZONE,
    Story,
    at,
    day_end,
    day_start,
    employee,
    ident,
    member,
    receipt,
    share,
    step,
    version,
)

ASK_AGAIN = ChangeKind.ASK_AGAIN
MICROSECOND = timedelta(microseconds=1)
LONG_THERE = employee(("2023-01-01", None))


def test_owed_from_publication_with_the_shares_deadline_and_late_only_after_it() -> None:
    story = Story([version(1, "2024-01-10")], [share("a", step("2024-01-01", due="2024-01-20"))], LONG_THERE)
    assert story.shows("2024-01-09") is None
    assert story.shows("2024-01-10") == ("to_do", day_end("2024-01-20"), 1)
    assert story.shows(day_end("2024-01-20")) == ("to_do", day_end("2024-01-20"), 1)
    assert story.shows(day_end("2024-01-20") + MICROSECOND) == ("overdue", day_end("2024-01-20"), 1)
    assert story.next_changes() == []


def test_a_share_whose_deadline_is_past_makes_a_late_joiner_overdue_at_once() -> None:
    story = Story(
        [version(1, "2024-01-10")], [share("a", step("2024-01-01", due="2024-01-20"))], employee(("2024-03-01", None))
    )
    assert story.shows("2024-02-28") is None
    assert story.shows("2024-03-01") == ("overdue", day_end("2024-01-20"), 1)


def test_days_after_added_count_from_the_latest_of_share_publication_and_entry() -> None:
    shares = [share("a", step("2024-01-05", days=7))]
    assert Story([version(1, "2024-01-10")], shares, LONG_THERE).shows("2024-01-10") == (
        "to_do",
        day_end("2024-01-17"),
        1,
    )
    assert Story([version(1, "2024-01-01")], shares, LONG_THERE).shows("2024-01-06") == (
        "to_do",
        day_end("2024-01-12"),
        1,
    )
    assert Story([version(1, "2024-01-01")], shares, employee(("2024-02-01", None))).shows("2024-02-01") == (
        "to_do",
        day_end("2024-02-08"),
        1,
    )


def test_nothing_is_due_before_the_end_of_the_company_day_on_which_the_version_takes_effect() -> None:
    first = version(1, "2024-01-10", effective="2024-03-01")
    for deadline in (step("2024-01-01", due="2024-01-20"), step("2024-01-01", days=7)):
        story = Story([first], [share("a", deadline)], LONG_THERE)
        assert story.shows("2024-02-29") == ("to_do", day_end("2024-03-01"), 1)
        assert story.shows(day_end("2024-03-01") + MICROSECOND) == ("overdue", day_end("2024-03-01"), 1)
    later = Story([first], [share("a", step("2024-01-01", due="2024-04-01"))], LONG_THERE)
    assert later.shows("2024-03-02") == ("to_do", day_end("2024-04-01"), 1)
    none = Story([first], [share("a", step("2024-01-01"))], LONG_THERE)
    assert none.shows("2024-03-02") == ("to_do", None, 1)


def test_each_version_has_its_own_day_and_what_was_settled_before_keeps_its_deadline() -> None:
    versions = [version(1, "2024-01-10", effective="2024-01-15"), version(2, "2024-02-01", effective="2024-05-01")]
    shares = [share("a", step("2024-01-01", due="2024-01-12"))]
    open_still = Story(versions, shares, LONG_THERE)
    assert open_still.shows("2024-01-16") == ("overdue", day_end("2024-01-15"), 1)
    assert open_still.shows("2024-02-01") == ("to_do", day_end("2024-05-01"), 2)
    settled = Story(versions, shares, LONG_THERE, [receipt("r1", 1, "2024-01-11")])
    assert settled.shows("2024-02-01") == ("signed", day_end("2024-01-15"), 2)


def test_who_is_asked_again_for_a_version_of_later_has_until_it_takes_effect() -> None:
    versions = [version(1, "2024-01-10"), version(2, "2024-02-01", ASK_AGAIN, effective="2024-06-01")]
    story = Story(versions, [share("a", step("2024-01-01", days=7))], LONG_THERE, [receipt("r1", 1, "2024-01-11")])
    assert story.shows("2024-02-01") == ("to_do", day_end("2024-06-01"), 2)


def test_of_two_shares_due_before_a_version_takes_effect_the_lower_id_stands() -> None:
    shares = [share("b", step("2024-01-01", due="2024-01-12")), share("a", step("2024-01-01", due="2024-01-20"))]
    row = Story([version(1, "2024-01-10", effective="2024-03-01")], shares, LONG_THERE).row("2024-01-11")
    assert row is not None
    assert row.assignment_id == shares[1].share_id


def test_a_receipt_settles_and_an_editorial_version_changes_only_the_version_shown() -> None:
    story = Story(
        [version(1, "2024-01-10"), version(2, "2024-03-01")],
        [share("a", step("2024-01-01", due="2024-01-20"))],
        LONG_THERE,
        [receipt("r1", 1, "2024-01-25")],
    )
    assert story.shows("2024-01-24") == ("overdue", day_end("2024-01-20"), 1)
    assert story.shows("2024-01-25") == ("signed", day_end("2024-01-20"), 1)
    assert story.shows("2024-03-01") == ("signed", day_end("2024-01-20"), 2)
    (only,) = story.timelines
    row = story.row("2024-03-01")
    assert row is not None
    assert (row.record_id, row.receipt_id, row.signed_at) == (only.record_id, ident("r1"), at("2024-01-25"))
    assert (row.course_release_id, row.policy_title) == (ident("v2"), "Title 2")


def test_ask_again_begins_a_new_record_with_the_deadline_that_is_not_past() -> None:
    versions = [version(1, "2024-01-10"), version(2, "2024-02-01", ASK_AGAIN)]
    story = Story(
        versions, [share("a", step("2024-01-01", due="2024-03-01"))], LONG_THERE, [receipt("r", 1, "2024-01-15")]
    )
    assert story.shows("2024-01-31") == ("signed", day_end("2024-03-01"), 1)
    assert story.shows("2024-02-01") == ("to_do", day_end("2024-03-01"), 2)
    first, second = story.timelines
    assert first.record_id != second.record_id
    assert first.versions[-1] == (at("2024-02-01"), None)


def test_ask_again_gives_thirty_company_days_where_the_fixed_deadline_is_past_and_days_from_publication() -> None:
    versions = [version(1, "2024-01-10"), version(2, "2024-03-05", ASK_AGAIN)]
    signed = [receipt("r", 1, "2024-01-15")]
    fixed = Story(versions, [share("a", step("2024-01-01", due="2024-01-20"))], LONG_THERE, signed)
    assert fixed.shows("2024-03-05") == ("to_do", day_end("2024-04-04"), 2)
    counted = Story(versions, [share("a", step("2024-01-01", days=10))], LONG_THERE, signed)
    assert counted.shows("2024-03-05") == ("to_do", day_end("2024-03-15"), 2)
    never_signed = Story(versions, [share("a", step("2024-01-01", due="2024-01-20"))], LONG_THERE)
    assert never_signed.shows("2024-03-04") == ("overdue", day_end("2024-01-20"), 1)
    assert never_signed.shows("2024-03-05") == ("to_do", day_end("2024-04-04"), 2)


def test_a_fixed_deadline_at_the_very_moment_of_asking_again_gives_thirty_days_and_one_a_tick_later_counts() -> None:
    due = day_end("2024-01-20")
    for asked_at, shown in (
        (due, ("to_do", day_end("2024-02-19"), 2)),
        (due - timedelta(microseconds=1), ("overdue", due, 2)),
    ):
        asked = version(2, "2024-01-20", ASK_AGAIN)._replace(published_at=asked_at)
        story = Story([version(1, "2024-01-10"), asked], [share("a", step("2024-01-01", due="2024-01-20"))], LONG_THERE)
        assert story.shows("2024-01-21") == shown


def test_a_receipt_for_a_version_before_ask_again_does_not_count_and_an_editorial_one_after_it_does() -> None:
    versions = [version(1, "2024-01-10"), version(2, "2024-02-01", ASK_AGAIN), version(3, "2024-02-10")]
    shares = [share("a", step("2024-01-01"))]
    late = Story(versions, shares, LONG_THERE, [receipt("r", 1, "2024-02-05")])
    assert late.shows("2024-02-06") == ("to_do", None, 2)
    assert late.shows("2024-02-11") == ("to_do", None, 3)
    well = Story(versions, shares, LONG_THERE, [receipt("r", 2, "2024-02-05")])
    assert well.shows("2024-02-11") == ("signed", None, 3)


def test_renewal_at_a_months_end_opens_at_the_start_of_the_clamped_company_day() -> None:
    assert renewal_opens_at(ZONE, at("2024-01-31"), 1) == day_start("2024-02-29")
    assert renewal_opens_at(ZONE, at("2024-08-31"), 6) == day_start("2025-02-28")
    # 23:30 UTC is the next day in Oslo.
    assert renewal_opens_at(ZONE, at("2024-01-30T23:30:00+00:00"), 1) == day_start("2024-02-29")
    assert renewal_opens_at(ZONE, at("2024-01-31"), 0) is None


def test_a_renewal_opens_a_new_cycle_by_the_clock_and_its_receipt_opens_the_next() -> None:
    versions = [version(1, "2024-01-10", renew=6)]
    shares = [share("a", step("2024-01-01", due="2024-01-20"))]
    receipts = [receipt("r1", 1, "2024-01-15")]
    opens = day_start("2024-07-15")
    before = Story(versions, shares, LONG_THERE, receipts, now=opens - MICROSECOND)
    assert before.next_changes() == [opens]
    assert before.shows("2024-12-01") == ("signed", day_end("2024-01-20"), 1)  # not known in advance
    opened = Story(versions, shares, LONG_THERE, receipts, now=opens)
    assert opened.next_changes() == []
    assert opened.shows(opens - MICROSECOND) == ("signed", day_end("2024-01-20"), 1)
    assert opened.shows(opens) == ("to_do", day_end("2024-08-14"), 1)
    assert opened.shows("2024-09-01") == ("overdue", day_end("2024-08-14"), 1)
    again = Story(versions, shares, LONG_THERE, [*receipts, receipt("r2", 1, "2024-09-02")], now=at("2024-09-03"))
    assert again.shows("2024-09-02") == ("signed", day_end("2024-08-14"), 1)
    assert again.next_changes() == [day_start("2025-03-02")]
    assert len(again.timelines) == 2


def test_a_renewal_counts_days_from_its_opening() -> None:
    story = Story(
        [version(1, "2024-01-10", renew=1)],
        [share("a", step("2024-01-01", days=5))],
        LONG_THERE,
        [receipt("r1", 1, "2024-01-31")],
    )
    assert story.shows("2024-02-29") == ("to_do", day_end("2024-03-05"), 1)


def test_signing_again_before_the_renewal_opens_changes_nothing() -> None:
    story = Story(
        [version(1, "2024-01-10", renew=6)],
        [share("a", step("2024-01-01"))],
        LONG_THERE,
        [receipt("r1", 1, "2024-01-15"), receipt("r2", 1, "2024-05-01")],
        now=at("2024-06-01"),
    )
    row = story.row("2024-06-01")
    assert row is not None
    assert row.receipt_id == ident("r1")
    assert story.next_changes() == [day_start("2024-07-15")]


def test_renew_months_are_those_of_the_current_version() -> None:
    shares, signed = [share("a", step("2024-01-01"))], [receipt("r1", 1, "2024-01-15")]
    sooner = Story([version(1, "2024-01-10", renew=12), version(2, "2024-08-01", renew=6)], shares, LONG_THERE, signed)
    assert sooner.shows("2024-07-31") == ("signed", None, 1)
    assert sooner.shows("2024-08-01") == ("to_do", None, 2)
    later = Story(
        [version(1, "2024-01-10", renew=1), version(2, "2024-08-01", renew=12)],
        shares,
        LONG_THERE,
        signed,
        now=at("2024-09-01"),
    )
    assert later.shows("2024-07-31") == ("to_do", None, 1)
    assert later.shows("2024-08-01") == ("signed", None, 2)
    assert later.next_changes() == [day_start("2025-01-15")]


def test_two_shares_and_two_doors_show_the_earliest_deadline_then_the_lowest_share_then_the_receipts() -> None:
    contact = employee(("2023-01-01", None), contacts=(ContactStay(Door.PARTNER, at("2023-01-01")),))
    versions = [version(1, "2024-01-10")]
    shares = [
        share("b", step("2024-01-01", due="2024-02-20", doors=frozenset({Door.PARTNER}))),
        share("a", step("2024-01-01", due="2024-03-20", doors=EVERY_DOOR)),
    ]
    story = Story(versions, shares, contact)
    row = story.row("2024-01-10")
    assert row is not None
    assert (row.assignment_id.int, row.door, row.due_at) == (ord("b"), Door.PARTNER, day_end("2024-02-20"))
    shares[0] = share("b", step("2024-01-01", due="2024-03-20", doors=frozenset({Door.PARTNER})))
    row = Story(versions, shares, contact).row("2024-01-10")
    assert row is not None
    assert (row.assignment_id.int, row.door) == (ord("a"), Door.EMPLOYEE)
    row = Story(versions, shares, contact, [receipt("r", 1, "2024-01-11", "b", Door.PARTNER)]).row("2024-01-12")
    assert row is not None
    assert (row.assignment_id.int, row.door, row.due_at) == (ord("b"), Door.PARTNER, day_end("2024-03-20"))


def test_a_share_without_deadline_never_wins_over_one_with() -> None:
    shares = [share("a", step("2024-01-01")), share("b", step("2024-01-01", due="2024-02-20"))]
    row = Story([version(1, "2024-01-10")], shares, LONG_THERE).row("2024-01-10")
    assert row is not None
    assert row.assignment_id.int == ord("b")


def test_the_row_goes_when_no_share_covers_and_comes_back_as_it_was_when_signed() -> None:
    away = employee(("2023-01-01", "2024-03-01"), ("2024-05-01", None))
    versions, shares = [version(1, "2024-01-10")], [share("a", step("2024-01-01", days=7))]
    open_one = Story(versions, shares, away)
    assert open_one.shows("2024-02-28") == ("overdue", day_end("2024-01-17"), 1)
    assert open_one.shows("2024-03-01") is None
    assert open_one.shows("2024-05-01") == ("to_do", day_end("2024-05-08"), 1)
    signed = Story(versions, shares, away, [receipt("r", 1, "2024-01-12")])
    assert signed.shows("2024-04-01") is None
    assert signed.shows("2024-05-01") == ("signed", day_end("2024-01-17"), 1)
    assert len(signed.timelines) == 1


def test_teams_named_people_and_changed_or_ended_shares_cover_while_they_do() -> None:
    in_team = employee(("2023-01-01", None), memberships=(member("red", "2024-02-01", "2024-03-01"),))
    teams = [share("a", step("2024-01-01", teams=frozenset({ident("red")})))]
    story = Story([version(1, "2024-01-10")], teams, in_team)
    assert [story.shows(day) is None for day in ("2024-01-31", "2024-02-01", "2024-03-01")] == [True, False, True]
    changing = [
        share(
            "a",
            step("2024-01-01", people=frozenset()),
            step("2024-02-01", people=frozenset({PERSON})),
            ended="2024-03-01",
        )
    ]
    story = Story([version(1, "2024-01-10")], changing, in_team)
    assert [story.shows(day) is None for day in ("2024-01-31", "2024-02-01", "2024-03-01")] == [True, False, True]


def test_the_doors_of_the_current_version_decide_who_may_receive_it() -> None:
    versions = [version(1, "2024-01-10"), version(2, "2024-02-01", doors=frozenset({Door.CUSTOMER}))]
    story = Story(versions, [share("a", step("2024-01-01"))], LONG_THERE)
    assert story.shows("2024-01-31") is not None
    assert story.shows("2024-02-01") is None


def test_an_erased_person_and_staff_on_practice_owe_nothing() -> None:
    erased = employee(("2023-01-01", None), erased_at=at("2024-02-01"))
    story = Story([version(1, "2024-01-10")], [share("a", step("2024-01-01"))], erased)
    assert story.shows("2024-01-31") is not None
    assert story.shows("2024-02-01") is None
    practice = erased._replace(
        learner=erased.learner._replace(
            erased_at=None, employments=(erased.learner.employments[0]._replace(staff_practice=True),)
        )
    )
    assert Story([version(1, "2024-01-10")], [share("a", step("2024-01-01"))], practice).timelines == ()


def test_next_change_is_told_only_while_somebody_owes() -> None:
    gone = employee(("2023-01-01", "2024-03-01"))
    story = Story(
        [version(1, "2024-01-10", renew=36)], [share("a", step("2024-01-01"))], gone, [receipt("r", 1, "2024-01-12")]
    )
    assert story.next_changes() == []
    assert at("2024-03-01") < NOW
