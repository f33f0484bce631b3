"""The table of docs/rules.md#outcomes, line by line, at the moments before, at and after each edge."""

from datetime import timedelta
from typing import Any

import pytest

from compliance.rules.owed_learning.outcome import certificate_status, outcome_at
from tests.rules.owed_learning.tale import day

TICK = timedelta(microseconds=1)
DUE = day(10)

OPEN: dict[str, Any] = {
    "requirement_before_end": "required",
    "assigned_at": day(2),
    "due_at": DUE,
    "completed_at": None,
    "ended_at": None,
    "waived_at": None,
}


@pytest.mark.parametrize(
    ("record", "moment", "expected"),
    [
        pytest.param({"completed_at": day(2) - TICK}, 99, ("completed_before_requirement", None), id="before"),
        pytest.param({"completed_at": day(1), "due_at": day(0)}, 99, ("completed_before_requirement", None), id="late"),
        pytest.param({"completed_at": day(2)}, 99, ("completed_on_time", None), id="as-it-began"),
        pytest.param({"completed_at": DUE}, 99, ("completed_on_time", None), id="at-the-deadline"),
        pytest.param({"completed_at": day(90), "due_at": None}, 99, ("completed_on_time", None), id="no-deadline"),
        pytest.param({"completed_at": DUE + TICK}, 99, ("completed_late", 1), id="a-tick-late"),
        pytest.param({"completed_at": day(11)}, 99, ("completed_late", 1), id="a-whole-day-late"),
        pytest.param({"completed_at": day(11) + TICK}, 99, ("completed_late", 2), id="a-day-and-a-tick-late"),
        pytest.param({"completed_at": day(11), "waived_at": day(4)}, 99, ("completed_late", 1), id="waived-before"),
        pytest.param({"completed_at": day(5), "ended_at": day(90)}, 99, ("completed_on_time", None), id="left-later"),
        pytest.param({"waived_at": day(4)}, 99, ("waived", None), id="waived"),
        pytest.param({"waived_at": day(4), "ended_at": day(50)}, 99, ("waived", None), id="waived-and-ended"),
        pytest.param(
            {"waived_at": day(4), "requirement_before_end": "optional"}, 99, ("waived", None), id="waived-and-optional"
        ),
        pytest.param({"requirement_before_end": "optional"}, 99, ("optional_not_done", None), id="optional"),
        pytest.param(
            {"requirement_before_end": "optional", "ended_at": day(50)}, 99, ("excused", None), id="optional-and-ended"
        ),
        pytest.param({"ended_at": DUE}, 99, ("excused", None), id="ended-at-the-deadline"),
        pytest.param({"ended_at": DUE + TICK}, 99, ("missed", 1), id="ended-a-tick-later"),
        pytest.param({"ended_at": day(12.5)}, 99, ("missed", 3), id="ended-later-whatever-the-moment"),
        pytest.param({"ended_at": day(50), "due_at": None}, 99, ("excused", None), id="ended-without-a-deadline"),
        pytest.param({}, 10, ("not_due_yet", None), id="at-the-deadline-nothing-is-late"),
        pytest.param({}, 10 + 1e-6, ("overdue", 1), id="overdue"),
        pytest.param({}, 11, ("overdue", 1), id="overdue-for-a-day"),
        pytest.param({}, 11.001, ("overdue", 2), id="overdue-for-more"),
        pytest.param({"due_at": day(1)}, 2, ("overdue", 1), id="overdue-at-once"),
        pytest.param({"due_at": None}, 5000, ("not_due_yet", None), id="never-due"),
    ],
)
def test_the_first_line_that_holds(record: dict[str, Any], moment: float, expected: tuple[str, int | None]) -> None:
    assert outcome_at(day(moment), **OPEN | record) == expected


@pytest.mark.parametrize(
    ("standing", "moment", "expected"),
    [
        ("valid", DUE, "valid"),
        ("valid", DUE + TICK, "expired"),
        ("replaced", DUE + TICK, "replaced"),
        ("revoked", DUE + TICK, "revoked"),
    ],
)
def test_a_certificate_expires_after_its_last_moment_unless_something_else_became_of_it(
    standing: str, moment: Any, expected: str
) -> None:
    assert certificate_status(standing, DUE, moment) == expected
    assert certificate_status("valid", None, moment) == "valid"
