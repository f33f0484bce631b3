"""A report agrees with the registers as at its two moments, and names what was recorded late."""

import json
import uuid
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from compliance.facts.people.queries import team_names
from compliance.history import comparing
from compliance.history.actions import capture_all
from compliance.history.models import Capture
from compliance.interfaces.console.moments import company_of, pin_of
from compliance.interfaces.console.reports import keeping, making, queries
from compliance.interfaces.console.reports.models import Report, ReportLine
from compliance.interfaces.console.reports.states import SIGNING, TRAINING
from compliance.registers import pages
from compliance.registers.listings import LISTINGS
from compliance.registers.questions import Position, Question
from compliance.tenancy import context
from compliance.tenancy.queries import organization
from tests.companies import ADMINISTRATOR
from tests.interfaces.console.small_company import JOINED, NOW, SmallCompany, small_company
from tests.verbs import add_to_team, remove_from_team, void_completion

pytestmark = pytest.mark.django_db


def made(organization_id: uuid.UUID, first: datetime, second: datetime, now: datetime) -> Report:
    """A report of these moments, ready."""
    with context.company(organization_id):
        report, _ = keeping.begun(organization(organization_id), first, second, now)
    making.make(report)
    return report


def rows(small: SmallCompany, name: str, moment: datetime, show: str = "") -> list[dict[str, Any]]:
    """All rows of a register as at a moment, as known now, by the code of /v1."""
    company = organization(small.organization_id)
    with context.company(small.organization_id):
        pin, _, _ = pin_of(small.organization_id, "")
        question = Question(company_of(company), pin, moment, moment, None, personal=True)
        found = pages.page(LISTINGS[name].filtered(show), question, Position(), 200, 200)
    return json.loads(b"[" + found.content + b"]")


def lines_of(report: Report, register: int, show: str = "") -> list[queries.Line]:
    with context.company(report.organization_id):
        return queries.lines(report, queries.Asked(register, show), 0, 500)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (JOINED + timedelta(days=10), JOINED + timedelta(days=65)),
        (JOINED + timedelta(days=61), NOW - timedelta(days=30)),
        (JOINED - timedelta(days=1), NOW),
    ],
)
def test_sums_are_what_the_registers_say_at_both_moments(first, second):
    small = small_company()
    report = made(small.organization_id, first, second, NOW)
    with context.company(small.organization_id):
        whole = queries.whole(report, None, None)
        of_courses = queries.by_course(report, None)
    training, policies = whole[TRAINING], whole[SIGNING]
    for moment, required, done in (
        (first, training.required_before, training.done_before),
        (second, training.required, training.done),
    ):
        assert required == len(rows(small, "training-records", moment, "required"))
        assert done == len(rows(small, "training-records", moment, "required-done"))
    assert training.overdue == len(rows(small, "training-records", second, "overdue"))
    assert policies.required == len(rows(small, "policy-records", second))
    assert policies.done == len(rows(small, "policy-records", second, "signed"))
    assert policies.done_before == len(rows(small, "policy-records", first, "signed"))
    by_course = Counter(row["course_id"] for row in rows(small, "training-records", second, "required"))
    in_report = {str(each.identifier): each.sums.required for each in of_courses if not each.policy}
    assert {course: number for course, number in in_report.items() if number} == by_course
    between = [
        row
        for row in rows(small, "training-records", second, "required-done")
        if first < datetime.fromisoformat(row["completed_at"]) <= second
    ]
    assert training.done_between == len(between)
    assert training.late_between == sum(row["outcome"] == "completed_late" for row in between)


def test_lines_are_the_difference_of_the_registers():
    small = small_company()
    first, second = JOINED + timedelta(days=61), NOW
    report = made(small.organization_id, first, second, NOW)
    before = {row["record_id"]: row["outcome"] for row in rows(small, "training-records", first)}
    after = {row["record_id"]: row["outcome"] for row in rows(small, "training-records", second)}
    expected = {
        record: (before.get(record, ""), after.get(record, ""))
        for record in before | after
        if before.get(record) != after.get(record)
    }
    found = {
        str(line.record_id): (line.before, line.after)
        for line in lines_of(report, TRAINING)
        if line.kind != ReportLine.Kind.SAME
    }
    assert found == expected
    assert expected
    counts = report.counts["training-records"]
    assert counts.get("new", 0) == sum(record not in before for record in after)
    assert counts.get("ended", 0) == sum(record not in after for record in before)
    assert {line.number for show in ("new", "ended", "changed") for line in lines_of(report, TRAINING, show)} == {
        line.number for line in lines_of(report, TRAINING) if line.kind != ReportLine.Kind.SAME
    }


def test_a_fact_recorded_late_is_named_with_what_was_known_before():
    small = small_company()
    people = small.people
    first, later, second = NOW + timedelta(days=1), NOW + timedelta(days=3), NOW + timedelta(days=4)
    ben_s = next(
        row
        for row in rows(small, "training-records", first, "done")
        if row["learner_profile_id"] == str(people["Ben"].learner_profile_id) and row["course_id"] == str(small.fire)
    )
    void_completion(
        organization_id=small.organization_id, at=NOW - timedelta(days=30), now=later, actor_id=ADMINISTRATOR,
        completion_receipt_id=uuid.UUID(ben_s["completion_receipt_id"]),
    )  # fmt: skip
    capture_all(small.organization_id, later)
    report = made(small.organization_id, first, second, second)
    (line,) = lines_of(report, TRAINING, "late")
    assert str(line.record_id) == ben_s["record_id"]
    assert (line.known_before, line.before, line.after) == ("completed_on_time", "overdue", "overdue")
    assert report.counts["training-records"]["late"] == 1
    assert report.counts["training-records"]["same"] == 1
    # It is not late where it was known at the first moment.
    assert not lines_of(made(small.organization_id, later, second, second), TRAINING, "late")


def test_before_anything_was_recorded_nothing_is_late():
    small = small_company()
    report = made(small.organization_id, JOINED + timedelta(days=61), NOW - timedelta(days=1), NOW)
    assert report.known_sequence == 0
    assert "late" not in report.counts["training-records"]


def test_how_far_the_history_was_is_found_for_every_moment():
    small = small_company()
    for days in (1, 2, 5, 9):
        replace(small.company, now=NOW + timedelta(days=days)).join(f"New {days}", at=NOW)
        capture_all(small.organization_id, NOW + timedelta(days=days))
    captures = list(
        Capture.objects.filter(organization_id=small.organization_id).values_list(
            "captured_at", "capture_sequence", "last_sequence"
        )
    )
    moments = [at + timedelta(seconds=off) for at, *_ in captures for off in (-1, 0, 1)]
    for moment in moments:
        known = max(((number, last) for at, number, last in captures if at <= moment), default=(0, 0))
        with context.company(small.organization_id):
            assert comparing.known_at(small.organization_id, moment) == known


def test_teams_are_those_of_the_moment():
    small = small_company()
    moved = NOW - timedelta(days=10)
    cleo = small.people["Cleo"]
    remove_from_team(
        organization_id=small.organization_id, at=moved, now=NOW, team_id=_team(small, "Office"),
        learner_profile_id=cleo.learner_profile_id,
    )  # fmt: skip
    add_to_team(
        organization_id=small.organization_id, at=moved, now=NOW, team_id=small.drivers,
        learner_profile_id=cleo.learner_profile_id,
    )  # fmt: skip
    capture_all(small.organization_id, NOW + timedelta(hours=1))
    report = made(small.organization_id, NOW - timedelta(days=20), NOW + timedelta(hours=2), NOW + timedelta(hours=2))
    with context.company(small.organization_id):
        drivers = queries.whole(report, small.fire, small.drivers)[TRAINING]
    assert (drivers.required_before, drivers.required) == (2, 3)


def test_whoever_is_in_no_team_any_more_counts_for_none_and_whoever_left_the_company_for_their_last():
    small = small_company()
    moved, office = NOW - timedelta(days=10), _team(small, "Office")
    remove_from_team(
        organization_id=small.organization_id, at=moved, now=NOW, team_id=office,
        learner_profile_id=small.people["Eve"].learner_profile_id,
    )  # fmt: skip
    small.company.leave(small.people["Cleo"], moved)
    capture_all(small.organization_id, NOW)
    report = made(small.organization_id, NOW - timedelta(days=20), NOW, NOW)
    with context.company(small.organization_id):
        before, after = (queries.whole(report, small.fire, team)[TRAINING] for team in (office, making.NO_TEAM))
        of_office = queries.lines(report, queries.Asked(TRAINING, "", small.fire, office), 0, 50)
    assert (before.required_before, before.required, before.overdue) == (3, 0, 0)
    assert (after.required_before, after.required, after.overdue) == (1, 2, 2)
    assert {line.learner_profile_id for line in of_office} == {
        small.people[name].learner_profile_id for name in ("Cleo", "Gus")
    }


def _team(small: SmallCompany, name: str) -> uuid.UUID:
    with context.company(small.organization_id):
        return next(team for team, each in team_names(small.organization_id).items() if each == name)


def test_the_same_question_is_made_once_and_old_reports_go():
    small = small_company()
    company = organization(small.organization_id)
    first, second = JOINED + timedelta(days=61), NOW
    one = made(small.organization_id, first, second, NOW)
    with context.company(small.organization_id):
        assert keeping.begun(company, first, second, NOW) == (one, False)
        assert keeping.forget(small.organization_id, NOW + keeping.KEPT - timedelta(days=1)) == 0
        assert keeping.forget(small.organization_id, NOW + keeping.KEPT + timedelta(days=1)) == 1
        assert not ReportLine.objects.filter(report_id=one.report_id).exists()
