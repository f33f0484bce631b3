"""Deadlines of policies that fall inside an absence (docs/rules.md#absences)."""

from datetime import date
from uuid import UUID

from compliance.rules.absences import Absence
from tests.rules.policies.story import Story, at, day_end, employee, receipt, share, step, version


def away(recorded: str, first: str, last: str, voided: str | None = None) -> Absence:
    voided_at = at(voided) if voided else None
    return Absence(UUID(int=1), at(recorded), date.fromisoformat(first), date.fromisoformat(last), voided_at)


def story(
    *absences: Absence, signed: str | None = None, effective: str | None = None, due: str = "2024-03-10"
) -> Story:
    return Story(
        [version(1, "2024-01-10", effective=effective)],
        [share("a", step("2024-01-10", due=due))],
        employee(("2024-01-01", None), absences=absences),
        [receipt("r", 1, signed)] if signed else [],
    )


def test_a_policy_is_due_as_many_days_after_the_absence_as_its_deadline_lay_inside() -> None:
    told = story(away("2024-02-01", "2024-03-05", "2024-03-31"))
    assert told.shows("2024-01-31") == ("to_do", day_end("2024-03-10"), 1)
    assert told.shows("2024-03-20") == ("to_do", day_end("2024-04-05"), 1)


def test_what_was_overdue_before_the_absence_was_recorded_is_not_any_more_and_a_voiding_makes_it_overdue_again() -> (
    None
):
    told = story(away("2024-03-15", "2024-03-05", "2024-03-31", voided="2024-03-20"))
    assert told.shows("2024-03-14") == ("overdue", day_end("2024-03-10"), 1)
    assert told.shows("2024-03-15") == ("to_do", day_end("2024-04-05"), 1)
    assert told.shows("2024-03-20") == ("overdue", day_end("2024-03-10"), 1)


def test_a_signed_one_keeps_its_deadline() -> None:
    told = story(away("2024-03-15", "2024-03-05", "2024-03-31"), signed="2024-03-08")
    assert told.shows("2024-03-20") == ("signed", day_end("2024-03-10"), 1)


def test_the_day_from_which_a_version_is_in_force_moves_too_where_it_is_the_deadline() -> None:
    told = story(away("2024-02-01", "2024-03-18", "2024-03-31"), effective="2024-03-20")
    assert told.shows("2024-02-02") == ("to_do", day_end("2024-04-02"), 1)


def test_an_absence_that_is_over_before_the_version_is_in_force_moves_nothing() -> None:
    told = story(away("2024-02-01", "2024-03-05", "2024-03-15"), effective="2024-03-20")
    assert told.shows("2024-02-02") == ("to_do", day_end("2024-03-20"), 1)
