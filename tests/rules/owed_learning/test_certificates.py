"""Worked examples on certificates, renewals and live sessions: one for each rule and reading."""

import itertools
from datetime import UTC, datetime
from typing import Any

import pytest

from compliance.rules.owed_learning import identity
from compliance.rules.owed_learning.decisions import RefusalCode
from compliance.rules.vocabulary import Attendance, CertificateKind, MarkedBy
from tests.rules.owed_learning.tale import (
    ADMIN,
    LEARNER,
    ORGANIZATION,
    TRAINER,
    Tale,
    day,
    due_on,
    earned,
    end_of,
    named,
)

# A certificate earned on day 10 (11 January 2024), valid 12 months, ends with 11 January 2025: day 376.
EARNED, LAST_DAY, RENEW_DAYS = 10, 376, 30
OPENS = end_of(LAST_DAY - RENEW_DAYS)
IN_CYCLE = 350


def certified(months: int | None = 12, renew: int | None = RENEW_DAYS) -> Tale:
    """Owed from day 2, completed on day 10, with a certificate."""
    return Tale().published(0).shared(1).joined(2).certified(months, renew).completed(EARNED)


def fields(row: dict[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


class TestCertificates:
    def test_a_completion_earns_one(self) -> None:
        (row,) = certified().certificates(11)
        assert fields(row, "certificate_id", "earned_at", "issued_at") == (earned(), day(10), day(10))
        assert fields(row, "valid_until", "status") == (end_of(LAST_DAY), "valid")
        assert fields(row, "course_release_id", "course_release_version", "kind") == (named("one"), 1, "completion")
        assert fields(row, "supersedes_id", "renews_id", "changed_at", "changed_by") == (None,) * 4
        assert certified().row(11)["certificate_id"] == earned()
        assert certified().certificates(9) == []

    def test_it_is_valid_to_the_end_of_the_day_and_changed_by_nobody_when_expired(self) -> None:
        at_the_end = (end_of(LAST_DAY) - day(0)).total_seconds() / 86400
        assert certified().certificates(at_the_end)[0]["status"] == "valid"
        (row,) = certified().certificates(LAST_DAY + 1)
        assert fields(row, "status", "changed_at", "changed_by") == ("expired", None, None)

    def test_months_are_clamped(self) -> None:
        # Earned on 31 January 2024, for one month: 29 February.
        tale = Tale().published(0).joined(0).certified(1).completed(30.5)
        assert tale.certificates(31)[0]["valid_until"] == end_of(59)

    def test_without_months_it_never_ends(self) -> None:
        tale = certified(months=None)
        assert fields(tale.certificates(9000)[0], "valid_until", "status") == (None, "valid")
        assert len(tale.rows(9000)) == 1

    def test_the_edition_is_that_of_the_moment(self) -> None:
        tale = (
            Tale().published(0).joined(0).certified(12, at=5).certified(24, at=20).completed(4).completed(10, name="d")
        )
        assert [row["valid_until"] for row in tale.certificates(30)] == [end_of(LAST_DAY)]

    def test_an_assessed_one_needs_an_assessed_completion(self) -> None:
        tale = Tale().published(0).joined(0).certified(12, kind=CertificateKind.ASSESSED)
        assert tale.completed(4).certificates(5) == []
        assert tale.completed(6, name="d", assessed=True).certificates(7)[0]["kind"] == "assessed"

    def test_a_completion_that_changes_nothing_earns_nothing(self) -> None:
        assert len(certified().completed(100, name="again").certificates(101)) == 1

    def test_but_once_the_certificate_is_gone_another_is_earned(self) -> None:
        tale = certified(renew=None).completed(LAST_DAY + 5, name="again")
        first, second = tale.certificates(LAST_DAY + 6)
        assert (first["status"], second["status"], second["renews_id"]) == ("expired", "valid", None)

    def test_whom_nobody_covers_earns_one_each_time(self) -> None:
        tale = Tale().published(0).joined(2).certified(12, 30).completed(10).completed(20, name="again")
        assert [row["status"] for row in tale.certificates(21)] == ["valid", "valid"]

    def test_one_earned_before_the_publication_is_issued_with_it(self) -> None:
        (row,) = Tale().published(9).joined(2).certified(12).completed(5).certificates(9)
        assert fields(row, "earned_at", "issued_at") == (day(5), day(9))

    def test_a_lesson_earns_none(self) -> None:
        tale = Tale().shared(1, lesson="hygiene").joined(2).certified(12).lesson_completed(5, "hygiene")
        assert tale.certificates(9) == []

    def test_those_of_a_contact_are_shown_when_they_join_as_an_employee(self) -> None:
        tale = Tale().published(0).certified(12).completed(5)
        assert tale.certificates(9) == []
        assert tale.joined(20).certificates(19) == []
        assert fields(tale.certificates(20)[0], "issued_at", "status") == (day(5), "valid")

    def test_erasure_leaves_them(self) -> None:
        assert certified().erased(20).certificates(30)[0]["status"] == "valid"


class TestCorrections:
    def test_the_earlier_is_replaced_and_the_record_follows(self) -> None:
        tale = certified().corrected(20, earned(), "corrected")
        old, new = tale.certificates(21)
        assert fields(old, "status", "changed_at", "changed_by") == ("replaced", day(20), ADMIN)
        assert fields(new, "status", "supersedes_id", "issued_at") == ("valid", earned(), day(20))
        assert fields(new, "earned_at", "valid_until") == (day(10), end_of(LAST_DAY))
        assert [tale.row(at)["certificate_id"] for at in (19, 20)] == [earned(), named("corrected")]
        assert tale.certificates(19)[0]["status"] == "valid"

    def test_a_correction_can_be_corrected_but_nothing_twice(self) -> None:
        tale = certified().corrected(20, earned(), "b").corrected(21, named("b"), "c").corrected(22, earned(), "d")
        assert [row["status"] for row in tale.certificates(23)] == ["replaced", "replaced", "valid"]
        (refusal,) = tale.decision().refusals
        assert (refusal.code, refusal.fact_key) == (RefusalCode.ALREADY_CORRECTED, named("d"))

    def test_it_keeps_what_the_earlier_renewed(self) -> None:
        tale = certified().completed(IN_CYCLE, name="d").corrected(360, earned("d"), "corrected")
        assert [row["renews_id"] for row in tale.certificates(361)] == [None, earned(), earned()]

    def test_several_of_one_moment_follow_one_another_whatever_their_ids(self) -> None:
        for names in itertools.permutations("bcd"):
            tale = certified()
            for earlier, later in zip([earned(), *map(named, names)], names, strict=False):
                tale.corrected(20, earlier, later)
            assert tale.decision().refusals == ()
            assert tale.row(21)["certificate_id"] == named(names[-1])

    def test_mid_cycle_the_cycle_stays_the_same(self) -> None:
        tale = certified().corrected(360, earned(), "corrected")
        before, after = tale.rows(359)[1], tale.rows(361)[1]
        assert before["record_id"] == after["record_id"]
        assert (before["renews_certificate_id"], after["renews_certificate_id"]) == (earned(), named("corrected"))
        assert after["due_at"] == end_of(LAST_DAY)


class TestRevocations:
    def test_a_revoked_certificate(self) -> None:
        tale = certified(months=None).revoked(20, earned())
        assert fields(tale.certificates(21)[0], "status", "changed_at", "changed_by") == ("revoked", day(20), ADMIN)
        assert tale.certificates(19)[0]["status"] == "valid"

    def test_opens_the_cycle_at_once_due_on_the_thirtieth_day_after(self) -> None:
        tale = certified().revoked(20, earned())
        cycle = tale.rows(20)[1]
        assert fields(cycle, "assigned_at", "due_at", "due_basis") == (day(20), end_of(50), "renewal")
        assert fields(cycle, "renews_certificate_id", "requirement") == (earned(), "required")

    def test_or_at_its_end_if_that_is_earlier(self) -> None:
        assert certified().revoked(370, earned()).rows(371)[1]["due_at"] == end_of(LAST_DAY)
        assert certified(renew=None).revoked(370, earned()).rows(371)[1]["due_at"] == end_of(LAST_DAY)

    def test_mid_cycle_the_deadline_moves_nearer(self) -> None:
        tale = certified(renew=100).revoked(300, earned())
        assert [tale.rows(at)[1]["due_at"] for at in (299, 300)] == [end_of(LAST_DAY), end_of(330)]

    def test_one_without_an_end_opens_none(self) -> None:
        assert len(certified(months=None).revoked(20, earned()).rows(30)) == 1

    def test_what_is_replaced_can_still_be_revoked_which_opens_none(self) -> None:
        tale = certified().corrected(20, earned(), "b").revoked(21, earned())
        assert tale.decision().refusals == ()
        assert [row["status"] for row in tale.certificates(22)] == ["revoked", "valid"]
        assert len(tale.rows(30)) == 1

    def test_refused_where_there_is_nothing_to_revoke(self) -> None:
        twice = certified().revoked(20, earned()).revoked(21, earned())
        assert [refusal.code for refusal in twice.decision().refusals] == [RefusalCode.ALREADY_REVOKED]
        early = certified().revoked(9, earned())
        assert [refusal.code for refusal in early.decision().refusals] == [RefusalCode.NO_SUCH_CERTIFICATE]
        corrected = certified().revoked(20, earned()).corrected(21, earned(), "b")
        assert [refusal.code for refusal in corrected.decision().refusals] == [RefusalCode.ALREADY_REVOKED]


class TestTwoCompletionsBeforeThePublication:
    """Both count from the publication on; the earlier one counts first, whatever the receipts' identifiers."""

    EARLIER, LATER = sorted("cd", key=named, reverse=True)

    def told(self) -> Tale:
        tale = Tale().published(20).shared(1).joined(2).certified(12, RENEW_DAYS)
        return tale.completed(15, name=self.LATER).completed(3, name=self.EARLIER)

    def test_the_earlier_one_completes_and_earns(self) -> None:
        assert self.told().row(21)["completion_receipt_id"] == named(self.EARLIER)
        (certificate,) = self.told().certificates(21)
        assert certificate["certificate_id"] == earned(self.EARLIER)
        assert certificate["earned_at"] == day(3)
        assert certificate["valid_until"] == end_of(3 + 366)

    def test_it_settles_a_record_that_begins_later_too(self) -> None:
        tale = Tale().published(20).shared(30).joined(2)
        tale.completed(15, name=self.LATER).completed(3, name=self.EARLIER)
        assert tale.row(31)["completion_receipt_id"] == named(self.EARLIER)


class TestTwoCompletionsOfOneMoment:
    """The one with the lower receipt counts first; a revocation of that moment is applied as soon as it can be."""

    FIRST, SECOND = sorted("cd", key=named)

    def told(self) -> Tale:
        tale = Tale().published(0).shared(1).joined(2).certified(12, RENEW_DAYS)
        return tale.completed(EARNED, name="d").completed(EARNED, name="c")

    def test_the_first_completes_and_earns_the_other_changes_nothing(self) -> None:
        (certificate,) = self.told().certificates(11)
        assert certificate["certificate_id"] == earned(self.FIRST)
        assert self.told().row(11)["completion_receipt_id"] == named(self.FIRST)
        (refusal,) = self.told().revoked(11, earned(self.SECOND)).decision().refusals
        assert refusal.code == RefusalCode.NO_SUCH_CERTIFICATE

    def test_the_first_ones_is_revoked_at_that_moment_so_the_other_earns_its_own_and_no_cycle_opens(self) -> None:
        tale = self.told().revoked(EARNED, earned(self.FIRST))
        assert tale.decision().refusals == ()
        standing = {row["certificate_id"]: row["status"] for row in tale.certificates(EARNED)}
        assert standing == {earned(self.FIRST): "revoked", earned(self.SECOND): "valid"}
        row = tale.row(11)
        assert fields(row, "completion_receipt_id", "certificate_id") == (named(self.FIRST), earned(self.FIRST))
        assert tale.rows(9000)[1]["renews_certificate_id"] == earned(self.SECOND)

    def test_a_later_completion_then_earns_nothing_that_could_be_revoked(self) -> None:
        tale = self.told().revoked(EARNED, earned(self.FIRST)).completed(50, name="later").revoked(60, earned("later"))
        assert len(tale.certificates(61)) == 2
        (refusal,) = tale.decision().refusals
        assert (refusal.code, refusal.fact_key) == (RefusalCode.NO_SUCH_CERTIFICATE, earned("later"))

    def test_the_story_stays_the_same_when_a_later_voiding_has_it_told_again(self) -> None:
        tale = self.told().revoked(EARNED, earned(self.FIRST)).completed(IN_CYCLE, name="late").voided(360, "late")
        assert [row["completed_at"] for row in tale.rows(361)] == [day(EARNED), None]
        assert [row["issued_at"] for row in tale.certificates(361)] == [day(EARNED), day(EARNED), day(IN_CYCLE)]

    def test_revoked_a_moment_later_the_cycle_opens(self) -> None:
        tale = self.told().revoked(11, earned(self.FIRST))
        assert fields(tale.rows(11)[1], "renews_certificate_id", "due_at") == (earned(self.FIRST), end_of(41))


class TestRenewals:
    def test_opens_by_the_clock_and_not_before_it(self) -> None:
        opens = (OPENS - day(0)).total_seconds() / 86400
        assert certified().decision(now=opens - 0.01).next_change_at == OPENS
        assert len(certified().rows(9000, now=opens - 0.01)) == 1
        opened = certified().decision(now=opens + 0.01)
        assert (len(opened.records), opened.next_change_at) == (2, None)
        assert opened.records[1].versions[0].valid_from == OPENS

    def test_the_cycle(self) -> None:
        cycle = certified().rows(IN_CYCLE)[1]
        assert fields(cycle, "assigned_at", "due_at", "due_basis", "outcome") == (
            OPENS,
            end_of(LAST_DAY),
            "renewal",
            "not_due_yet",
        )
        assert cycle["record_id"] == identity.renewal_record_id(ORGANIZATION, earned())
        assert certified().rows(LAST_DAY + 3)[1]["outcome"] == "overdue"

    def test_a_completion_inside_it_renews(self) -> None:
        tale = certified().completed(IN_CYCLE, name="d")
        first, cycle = tale.rows(360)
        assert fields(first, "completed_at", "certificate_id") == (day(10), earned())
        assert fields(cycle, "completed_at", "certificate_id") == (day(IN_CYCLE), earned("d"))
        assert fields(tale.certificates(360)[1], "renews_id", "status") == (earned(), "valid")
        # ... and the next cycle is that of the new certificate.
        assert tale.rows(9000)[2]["renews_certificate_id"] == earned("d")

    def test_one_before_it_does_not(self) -> None:
        cycle = certified().completed(300, name="d").rows(IN_CYCLE)[1]
        assert fields(cycle, "completed_at", "renews_certificate_id") == (None, earned())

    def test_without_renew_days_none_opens_by_the_clock(self) -> None:
        assert len(certified(renew=None).rows(9000)) == 1
        assert certified(renew=None).decision(now=20).next_change_at is None

    def test_none_opens_where_nobody_covers(self) -> None:
        tale = certified().unshared(100)
        assert len(tale.rows(9000)) == 1
        assert tale.decision(now=20).next_change_at is None

    def test_it_opens_when_a_share_covers_again(self) -> None:
        cycle = certified().unshared(100).shared(400, "b").rows(401)[1]
        assert fields(cycle, "assigned_at", "due_at", "outcome") == (day(400), end_of(LAST_DAY), "overdue")

    def test_the_requirement_follows_the_shares_and_the_deadline_stays(self) -> None:
        tale = certified().shared(355, required=False).shared(358, deadline=due_on(359))
        rows = [tale.rows(at)[1] for at in (356, 360)]
        assert [row["requirement"] for row in rows] == ["optional", "required"]
        assert {row["due_at"] for row in rows} == {end_of(LAST_DAY)}

    def test_the_release_is_the_newest_until_completed(self) -> None:
        tale = certified().published(355, "two").completed(360, "one", name="d").published(365, "three")
        assert [tale.rows(at)[1]["course_release_id"] for at in (IN_CYCLE, 356, 366)] == [
            named("one"),
            named("two"),
            named("two"),
        ]
        assert tale.rows(366)[1]["completed_at"] == day(360)

    def test_a_completion_that_would_not_settle_the_current_release_does_not_renew(self) -> None:
        tale = certified().published(355, "two", retake=True).completed(360, "one", name="d")
        assert [row["completed_at"] for row in tale.rows(361)] == [day(10), None, None]

    def test_one_completion_settles_a_retake_and_the_cycle(self) -> None:
        tale = certified().published(355, "two", retake=True).completed(360, "two", name="d")
        assert [row["completed_at"] for row in tale.rows(361)] == [day(10), day(360), day(360)]

    def test_with_two_undone_records_changes_go_to_the_releases(self) -> None:
        tale = certified().published(355, "two", retake=True).waived(356)
        assert [row["waived_at"] for row in tale.rows(357)] == [None, None, day(356)]
        assert certified().waived(356).rows(357)[1]["waived_at"] == day(356)

    def test_a_certificate_lost_before_the_record_began_settles_nothing_and_opens_no_cycle_beside(self) -> None:
        tale = Tale().published(0).certified(12, 30).completed(EARNED).shared(400).joined(400)
        row = tale.row(401)
        assert fields(row, "renews_certificate_id", "completed_at") == (None, None)
        held = Tale().published(0).certified(12, 30).completed(EARNED).shared(300).joined(300)
        assert held.row(301)["outcome"] == "completed_before_requirement"
        revoked = Tale().published(0).certified(12, 30).completed(EARNED).revoked(20, earned()).shared(30).joined(30)
        assert revoked.row(31)["completed_at"] is None

    def test_leaving_and_coming_back_restarts_the_cycle(self) -> None:
        tale = Tale().published(0).shared(1).joined(2, 360).joined(500).certified(12, 30).completed(EARNED)
        assert [row["ended_reason"] for row in tale.rows(400)] == ["person_left", "person_left"]
        first, cycle = tale.rows(501)
        assert fields(first, "ended_at", "completed_at") == (None, day(10))
        assert fields(cycle, "assigned_at", "due_at", "ended_at") == (day(500), end_of(LAST_DAY), None)

    def test_a_cycle_does_not_restart_for_who_earned_a_newer_certificate_meanwhile(self) -> None:
        tale = certified().unshared(360).completed(370, name="d").shared(400, "b")
        rows = tale.rows(401)
        assert [fields(row, "renews_certificate_id", "ended_at") for row in rows] == [
            (None, None),
            (earned(), day(360)),
        ]

    def test_coming_back_after_the_certificate_has_ended_opens_the_cycle_overdue_at_once(self) -> None:
        tale = Tale().published(0).shared(1).joined(2, 100).joined(500).certified(12, 30).completed(EARNED)
        first, cycle = tale.rows(500)
        assert fields(first, "ended_at", "completed_at") == (None, day(10))
        assert fields(cycle, "assigned_at", "due_at", "outcome") == (day(500), end_of(LAST_DAY), "overdue")

    def test_withdrawing_ends_it_and_the_next_publication_restarts_it(self) -> None:
        tale = certified().withdrawn(360).published(370, "two")
        assert tale.rows(361)[1]["ended_reason"] == "course_withdrawn"
        assert fields(tale.rows(371)[1], "ended_at", "assigned_at", "course_release_id") == (
            None,
            day(370),
            named("two"),
        )


@pytest.mark.parametrize(
    ("zone", "completed", "months", "renew", "valid_until", "opens", "due_when_revoked_at_once"),
    [
        pytest.param(
            "Africa/Cairo", "2023-03-27T12:00", 1, 0,
            "2023-04-27T21:59:59.999999", "2023-04-27T21:59:59.999999", "2023-04-26T21:59:59.999999",
            id="cairo-the-day-before-the-one-without-a-midnight",
        ),
        pytest.param(
            "Africa/Cairo", "2023-09-26T12:00", 1, 1,
            "2023-10-26T21:59:59.999999", "2023-10-25T20:59:59.999999", "2023-10-26T21:59:59.999999",
            id="cairo-the-day-of-twenty-five-hours",
        ),
        pytest.param(
            "America/Havana", "2018-10-04T12:00", 1, 1,
            "2018-11-05T04:59:59.999999", "2018-11-04T03:59:59.999999", "2018-11-04T03:59:59.999999",
            id="havana-the-day-of-two-midnights",
        ),
        pytest.param(
            "America/Sao_Paulo", "2017-11-03T12:00", 12, 1,
            "2018-11-04T02:59:59.999999", "2018-11-03T02:59:59.999999", "2017-12-04T01:59:59.999999",
            id="sao-paulo-the-day-before-the-one-without-a-midnight",
        ),
        pytest.param(
            "Pacific/Apia", "2010-12-30T12:00", 12, 1,
            "2011-12-30T09:59:59.999999", "2011-12-30T09:59:59.999999", "2011-01-30T09:59:59.999999",
            id="apia-the-missing-day-ends-with-the-one-before",
        ),
        pytest.param(
            "Pacific/Apia", "2010-12-31T12:00", 12, 1,
            "2011-12-31T09:59:59.999999", "2011-12-30T09:59:59.999999", "2011-01-31T09:59:59.999999",
            id="apia-the-day-after-the-missing-one",
        ),
    ],
)  # fmt: skip
def test_days_of_a_certificate_where_clocks_change(
    zone: str, completed: str, months: int, renew: int, valid_until: str, opens: str, due_when_revoked_at_once: str
) -> None:
    def utc(text: str) -> datetime:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)

    earned_on = (utc(completed) - day(0)).total_seconds() / 86400
    tale = Tale(zone).published(-9000).shared(-9000).joined(-9000)
    tale.certified(months, renew, at=-9000).completed(earned_on)
    assert tale.certificates(earned_on)[0]["valid_until"] == utc(valid_until)
    cycle = tale.rows(9000)[1]
    assert fields(cycle, "assigned_at", "due_at") == (utc(opens), utc(valid_until))
    revoked = tale.revoked(earned_on, earned()).rows(9000)[1]
    assert revoked["due_at"] == min(utc(valid_until), utc(due_when_revoked_at_once))


class TestVoiding:
    def test_revokes_the_certificate_and_reopens_without_a_cycle(self) -> None:
        tale = certified().voided(20)
        assert fields(tale.certificates(21)[0], "status", "changed_at", "changed_by") == ("revoked", day(20), ADMIN)
        row = tale.row(400)
        assert fields(row, "completed_at", "certificate_id", "renews_certificate_id") == (None, None, None)

    def test_a_cycle_that_it_opened_vanishes(self) -> None:
        tale = certified().voided(360)
        assert (len(tale.rows(359)), len(tale.rows(361))) == (2, 1)
        assert tale.decision().records[1].versions[-1].content is None

    def test_of_a_renewal_reopens_the_cycle(self) -> None:
        tale = certified().completed(IN_CYCLE, name="d").voided(360, "d")
        cycle = tale.rows(361)[1]
        assert fields(cycle, "completed_at", "certificate_id", "due_at") == (None, None, end_of(LAST_DAY))
        assert [row["status"] for row in tale.certificates(361)] == ["valid", "revoked"]

    def test_lets_the_next_completion_earn_its_own(self) -> None:
        tale = certified().completed(12, name="d").voided(20)
        assert [row["status"] for row in tale.certificates(19)] == ["valid"]
        second = tale.certificates(21)[1]
        assert fields(second, "certificate_id", "earned_at", "issued_at") == (earned("d"), day(12), day(20))
        assert tale.row(21)["certificate_id"] == earned("d")


class TestLiveSessions:
    def attended(self) -> Tale:
        return Tale().published(0).shared(1).joined(2).certified(12, 30).attended(10, Attendance.FULL)

    def test_full_attendance_completes_and_the_certificate_says_how(self) -> None:
        receipt_id = identity.attendance_receipt_id(ORGANIZATION, named("live"), LEARNER)
        row = self.attended().row(11)
        assert fields(row, "completed_at", "completion_receipt_id") == (day(10), receipt_id)
        (certificate,) = self.attended().certificates(11)
        assert certificate["certificate_id"] == identity.certificate_id(ORGANIZATION, receipt_id)
        assert fields(certificate, "live_session_id", "live_session_format", "live_session_minutes") == (
            named("live"),
            "on_site",
            90,
        )
        assert fields(certificate, "live_session_starts_at", "live_session_marked_by", "trainer_profile_id") == (
            day(9),
            "trainer",
            TRAINER,
        )

    @pytest.mark.parametrize("how", [Attendance.PARTIAL, Attendance.ABSENT])
    def test_anything_less_does_not(self, how: Attendance) -> None:
        tale = Tale().published(0).shared(1).joined(2).certified(12).attended(10, how)
        assert tale.row(11)["completed_at"] is None
        assert tale.certificates(11) == []

    def test_a_lowered_mark_revokes_opens_the_cycle_and_leaves_the_completion(self) -> None:
        tale = self.attended().attended(20, Attendance.PARTIAL, by=MarkedBy.SVC)
        first, cycle = tale.rows(21)
        assert first["completed_at"] == day(10)
        assert fields(cycle, "due_at", "completed_at") == (end_of(50), None)
        (certificate,) = tale.certificates(21)
        assert fields(certificate, "status", "changed_at", "changed_by") == ("revoked", day(20), None)
        assert certificate["live_session_marked_by"] == "svc"
        assert tale.certificates(19)[0]["live_session_marked_by"] == "trainer"

    def test_a_mark_raised_again_completes_the_cycle_with_a_new_certificate(self) -> None:
        tale = self.attended().attended(20, Attendance.ABSENT).attended(22, Attendance.FULL)
        assert tale.rows(23)[1]["completed_at"] == day(22)
        assert [row["status"] for row in tale.certificates(23)] == ["revoked", "valid"]

    def test_a_mark_confirmed_changes_only_who_marked(self) -> None:
        tale = self.attended().attended(12, Attendance.FULL, by=MarkedBy.SVC)
        (certificate,) = tale.certificates(13)
        assert fields(certificate, "status", "live_session_marked_by", "earned_at") == ("valid", "svc", day(10))
