"""Absences as facts: valid lines, refusals, what erasure clears, and the resulting history."""

import json
import uuid
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from compliance.facts.lines.digests import digest
from compliance.facts.lines.kinds import AbsenceRecorded, AbsenceVoided
from compliance.facts.lines.reading import ReadLine, RefusedLine, read_line
from compliance.facts.people.erasing import erase_person
from compliance.facts.people.loading import load_learners
from compliance.facts.people.models import Absence
from compliance.history.actions import capture_all
from compliance.history.models import HistoryRow
from compliance.tenancy import context
from tests.companies import make_company
from tests.facts.files import NOW, completed, course, fact, file_of, identifier, joined, shared, take_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def company() -> uuid.UUID:
    return make_company().organization_id


def absence(person: str, first: str, last: str, day: float = 10, key: str = "", **more: Any) -> dict[str, Any]:
    said = {"from": first, "to": last, "reason_code": "leave"} | more
    return fact(
        "absence_recorded", person + key, day, absence_id=f"absence {person}{key}", learner_profile_id=person, **said
    )


def voided(person: str, day: float = 20, key: str = "", again: str = "") -> dict[str, Any]:
    return fact("absence_voided", person + key + again, day, absence_id=f"absence {person}{key}")


def owing(deadline: str = "2025-03-10T12:00:00Z") -> list[dict[str, Any]]:
    """Ada owes Fire, due in spring."""
    return [joined("ada"), *course("fire"), shared("fire", 1, deadline={"basis": "share_deadline", "due_at": deadline})]


def due(organization_id: uuid.UUID) -> list[tuple[str, str]]:
    """The deadline and its basis of each version of training records, in order."""
    with context.company(organization_id):
        rows = HistoryRow.objects.filter(organization_id=organization_id).order_by("sequence")
        bodies = [json.loads(row.body) for row in rows if row.body]
    return [(body["due_at"], body["due_basis"]) for body in bodies if "due_basis" in body]


@pytest.mark.parametrize(
    ("said", "about"),
    [
        ({"from": "2025-03-09", "to": "2025-03-08"}, "to"),
        ({"from": "2025-02-30"}, "from"),
        ({"from": "2025-3-1"}, "from"),
        ({"from": "2025-03-01T00:00:00Z"}, "from"),
        ({"to": None}, "to"),
        ({"from": "2025-01-01", "to": "2028-01-02"}, "to"),
        ({"reason_code": "sick"}, "reason_code"),
        ({"reason_code": None}, "reason_code"),
        ({"first_day": "2025-03-01"}, "first_day"),
        ({"note": "back pain"}, "note"),
    ],
)
def test_a_line_that_names_no_stretch_of_days_is_refused_by_the_name_of_its_field(
    said: dict[str, Any], about: str
) -> None:
    line = absence("ada", "2025-03-01", "2025-03-20") | said
    read = read_line(1, file_of([line]).getvalue().strip())
    assert isinstance(read, RefusedLine)
    assert about in read.reason
    assert "back pain" not in read.reason


def test_three_years_are_the_longest_and_one_day_the_shortest() -> None:
    for last in ("2025-01-01", "2028-01-01"):
        read = read_line(1, file_of([absence("ada", "2025-01-01", last)]).getvalue().strip())
        assert isinstance(read, ReadLine)


def test_the_digest_holds_the_days_and_not_the_reason() -> None:
    def of(**more: Any) -> bytes:
        read = read_line(1, file_of([absence("ada", "2025-03-01", "2025-03-20") | more]).getvalue().strip())
        assert isinstance(read, ReadLine)
        return digest(read.line)

    assert of() == of(reason_code="other")
    assert len({of(), of(to="2025-03-21"), of(**{"from": "2025-03-02"})}) == 3


def test_a_deadline_moves_when_the_absence_is_captured_and_back_when_it_is_void(company: uuid.UUID) -> None:
    assert take_in(company, [*owing(), absence("ada", "2025-03-01", "2025-03-20"), voided("ada")]).errors == []
    capture_all(company, NOW)
    plain = ("2025-03-10T12:00:00.000000Z", "share_deadline")
    assert due(company) == [plain, ("2025-03-29T23:59:59.999999Z", "override"), plain]


def test_one_recorded_after_the_completion_is_captured_changes_nothing(company: uuid.UUID) -> None:
    take_in(company, [*owing(), completed("ada", "fire", 90)])
    capture_all(company, NOW)
    before = due(company)
    take_in(company, [absence("ada", "2025-03-01", "2025-03-20", 100)])
    capture_all(company, NOW)
    assert due(company) == before


def test_one_told_late_and_dated_before_the_completion_corrects_what_was_captured(company: uuid.UUID) -> None:
    take_in(company, [*owing(), completed("ada", "fire", 70)])
    capture_all(company, NOW)
    take_in(company, [absence("ada", "2025-03-01", "2025-03-20", 10)])
    capture_all(company, NOW)
    assert due(company)[-1] == ("2025-03-29T23:59:59.999999Z", "override")


def test_what_is_refused_and_why(company: uuid.UUID) -> None:
    take_in(
        company,
        [
            *owing(),
            joined("eve"),
            absence("ada", "2025-03-01", "2025-03-20"),
            absence("eve", "2025-03-01", "2025-03-02"),
        ],
    )
    take_in(company, [voided("ada", 20)])
    with context.company(company):
        erase_person(organization_id=company, learner_profile_id=uuid.UUID(identifier("eve")), at=NOW)
    report = take_in(
        company,
        [
            absence("ada", "2025-04-01", "2025-04-02") | {"fact_id": identifier("another fact")},
            absence("nobody", "2025-03-01", "2025-03-20"),
            voided("ada", 30, again="2"),
            voided("nobody"),
            absence("eve", "2025-05-01", "2025-05-02", key="2"),
            voided("eve", 30),
        ],
    )
    assert sorted((str(refused.fact), str(refused.code)) for refused in report.errors) == [
        ("absence_recorded", "already_exists"),
        ("absence_recorded", "erased_person"),
        ("absence_recorded", "unresolved_reference"),
        ("absence_voided", "erased_person"),
        ("absence_voided", "refused_by_rule"),
        ("absence_voided", "unresolved_reference"),
    ]


def test_nothing_is_void_before_it_was_recorded_and_of_two_voidings_the_earlier_counts(company: uuid.UUID) -> None:
    take_in(company, [*owing(), absence("ada", "2025-03-01", "2025-03-20", 10)])
    assert len(take_in(company, [voided("ada", 9)]).errors) == 1
    report = take_in(company, [voided("ada", 30, again="late"), voided("ada", 20)])
    assert len(report.errors) == 1
    with context.company(company):
        assert Absence.objects.get(organization_id=company).voided_at == datetime(2025, 1, 26, 9, tzinfo=UTC)


def test_another_company_s_absence_is_unknown(company: uuid.UUID) -> None:
    take_in(company, [*owing(), absence("ada", "2025-03-01", "2025-03-20")])
    other = make_company().organization_id
    (refused,) = take_in(other, [voided("ada")]).errors
    assert refused.code == "unresolved_reference"


def test_erasure_clears_the_reason_and_leaves_the_days_and_a_repetition_is_still_known(company: uuid.UUID) -> None:
    line = absence("ada", "2025-03-01", "2025-03-20")
    take_in(company, [*owing(), line])
    capture_all(company, NOW)
    before = due(company)
    ada = uuid.UUID(identifier("ada"))
    with context.company(company):
        erase_person(organization_id=company, learner_profile_id=ada, at=NOW)
        kept = Absence.objects.get(organization_id=company)
        assert (kept.reason_code, kept.first_day, kept.last_day) == (None, date(2025, 3, 1), date(2025, 3, 20))
    assert take_in(company, [line]).known == 1
    capture_all(company, NOW + timedelta(minutes=1))
    assert due(company)[: len(before)] == before


def test_what_takes_effect_later_is_not_loaded(company: uuid.UUID) -> None:
    take_in(company, [*owing(), absence("ada", "2025-03-01", "2025-03-20", 10), voided("ada", 20)])
    ada = uuid.UUID(identifier("ada"))
    with context.company(company):
        found = [
            load_learners(company, [ada], None, datetime(2025, 1, 6, 9, tzinfo=UTC) + timedelta(days=day))[ada].absences
            for day in (9, 10, 20)
        ]
    assert [len(each) for each in found] == [0, 1, 1]
    assert [each.voided_at is not None for each in (found[1][0], found[2][0])] == [False, True]


def test_a_line_built_in_python_reads_as_one_of_a_file() -> None:
    said: dict[str, Any] = {"from": date(2025, 3, 1), "to": date(2025, 3, 20), "reason_code": "leave"}
    line = AbsenceRecorded.model_validate_json(
        json.dumps(
            {"fact_id": identifier("f"), "at": "2025-01-06T09:00:00Z", "absence_id": identifier("a"),
             "learner_profile_id": identifier("ada")} | {name: str(value) for name, value in said.items()}
        )
    )  # fmt: skip
    assert (line.first_day, line.last_day) == (said["from"], said["to"])
    assert AbsenceVoided.kind() == "absence_voided"
