"""A page of 200 training records may touch a fixed number of buffers, whatever the depth.

PostgreSQL counts the buffers, so the number is the same on every machine. Some records are hot: they have a hundred
versions. No statistics are gathered first: a page right after a first import must find the right index as well. False
statistics must not mislead the planner either: those of a table that was analyzed when all its rows were dead, after a
load that was rolled back.
"""

import io
import uuid
from datetime import UTC, date, datetime, timedelta

import orjson
import pytest
from django.db import connection

from compliance.catalogue import REGISTERS
from compliance.facts.importing import import_facts
from compliance.history import actions as history
from compliance.history import in_sequence, queries
from compliance.registers import changes, pages, training
from compliance.registers.changes import Place
from compliance.registers.questions import Company, Pin, Question
from compliance.tenancy import arrays, context, prepared, reading
from compliance.tenancy.queries import deployment_id, organization
from tests.companies import make_company
from tests.registers.statistics import say_that_nothing_is_there

pytestmark = pytest.mark.django_db
ONE_PLAN = pytest.mark.one_server("Citus writes no valid JSON of what a node's plan has touched (EXPLAIN with ANALYZE)")
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
BEGAN = datetime(2026, 1, 1, 9, tzinfo=UTC)
PEOPLE, COURSES, HOT, CHANGES = 150, 4, 25, 100
# A page reads 200 records: for each a few index pages, one or two pages of the table, one person; measured 1,411.
BUDGET = 2_000
COURSES_REGISTER = 4
FEW = (4, 5, 7)
"""Courses, policies and receipts."""
FEED_BUDGET, FEW_BUDGET = 1_300, 60  # measured: 1,002, and 15


def _facts(name):
    def identifier(what):
        return str(uuid.uuid5(name, what))

    at = BEGAN.isoformat()
    for number in range(COURSES):
        course, release = identifier(f"course {number}"), identifier(f"release {number}")
        yield {"fact": "course_created", "at": at, "course_id": course, "title": f"Course {number}"}
        yield {"fact": "release_published", "at": at, "course_id": course, "course_release_id": release, "version": 1,
               "lessons": []}  # fmt: skip
        yield {"fact": "course_shared", "at": at, "share_id": identifier(f"share {number}"), "course_id": course,
               "doors": ["employee"], "audience": {"everyone": True}, "requirement": "required",
               "deadline": {"basis": "none"}}  # fmt: skip
    for number in range(PEOPLE):
        yield {"fact": "employee_joined", "at": at, "person_id": identifier(f"person {number}"),
               "learner_profile_id": identifier(f"profile {number}"), "person_name": f"Person {number}"}  # fmt: skip
    for number in range(HOT * CHANGES):
        moment = BEGAN + timedelta(hours=1 + number // HOT)
        yield {"fact": "obligation_changed", "at": moment.isoformat(), "obligation_change_id": number + 1,
               "learner_profile_id": identifier(f"profile {number % HOT}"), "course_id": identifier("course 0"),
               "change": "set_deadline", "due_at": (moment + timedelta(days=90)).isoformat(),
               "actor_id": identifier("administrator")}  # fmt: skip


def _load(organization_id):
    lines = [orjson.dumps(line | {"fact_id": str(uuid.uuid4())}) + b"\n" for line in _facts(organization_id)]
    report = import_facts(organization_id=organization_id, stream=io.BytesIO(b"".join(lines)), now=NOW, strict=True)
    assert not report.errors
    history.capture_all(organization_id, NOW)


@pytest.fixture(params=["no statistics", "statistics of nothing"])
def question(request, administration):
    made = make_company("Plan", "UTC", date(2025, 1, 1), at=NOW)
    if request.param == "statistics of nothing":
        say_that_nothing_is_there(administration, "history_historyrow", "history_historyrecord")
    _load(made.organization_id)
    found = organization(made.organization_id)
    head = queries.head(made.organization_id)
    return Question(
        Company(
            found.organization_id,
            deployment_id(),
            found.learning_space_id,
            found.time_zone,
            found.history_complete_from,
        ),
        Pin(head.sequence, head.capture_sequence, head.chain_hash, head.captured_at, 1),
        NOW,
        personal=True,
    )


def _buffers(question, record_number, moment):
    """How many rows a page of training records has, and how many buffers it touches."""
    asked = question._replace(moment=moment)
    values = pages.parameters(training.RECORDS, asked) | {
        "limit": 200, "candidates": pages.CANDIDATES, "birth": record_number, "published": 0,
    }  # fmt: skip
    return _touched(question, pages._page_by_number(training.RECORDS, asked), values)


def _touched(question, statement, values):
    """How many rows a statement returns, and how many buffers it touches with the generic plan that requests use."""
    names, text = prepared.positional(statement)
    given = ", ".join(_literal(values[name]) for name in names)
    with reading.company(question.company.organization_id, timeout_milliseconds=10_000), connection.cursor() as cursor:
        reading.fetch(statement, values)
        cursor.execute(f"PREPARE page AS {text.decode()}")
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE page({given})")
        ((explained,),) = cursor.fetchall()
        cursor.execute("DEALLOCATE page")
    plan = explained[0]["Plan"]
    return plan["Actual Rows"], plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]


def _literal(value):
    match value:
        case None:
            return "NULL"
        case int():
            return str(value)
        case arrays.BinaryArray():
            return "'{" + ",".join(str(number) for number in FEW) + "}'"
        case _:
            return f"'{value}'"


@ONE_PLAN
def test_a_page_stays_within_its_budget_at_any_depth_and_moment(question):
    organization_id = question.company.organization_id
    with context.company(organization_id), connection.cursor() as cursor:
        cursor.execute(
            "SELECT birth FROM history_historyrecord WHERE organization_id = %s AND register = 1 ORDER BY birth",
            [organization_id],
        )
        numbers = [number for (number,) in cursor.fetchall()]
    assert len(numbers) == PEOPLE * COURSES
    touched = {}
    for depth in (0, numbers[200], numbers[-201]):
        for moment in (NOW, BEGAN + timedelta(hours=50)):
            rows, touched[depth, moment] = _buffers(question, depth, moment)
            assert rows == 200
    assert max(touched.values()) <= BUDGET, touched


@pytest.mark.parametrize("following", [in_sequence.following, in_sequence.following_within])
@ONE_PLAN
def test_the_feed_finds_what_is_new_of_small_registers_without_reading_the_large_ones(question, following):
    """Thousands of versions of other registers after a register's last version add nothing to the cost of a poll."""
    touched = {}
    for registers in (set(REGISTERS), {COURSES_REGISTER}, set(FEW)):
        with context.company(question.company.organization_id):
            place = Place()
            while not (page := changes.page(question, registers, place, 200)).last:
                place = page.end
            place = page.end
        statement = following(changes._WANTED, registers=None if registers == set(REGISTERS) else len(registers))
        for after in (0, place.sequence):
            values = {
                "organization": question.company.organization_id, "after": after, "sequence": question.pin.sequence,
                "most": 202, "share": 15_000, "bytes": 3_000_000, "register": min(registers),
                "registers": arrays.smallints(sorted(FEW)),
            }  # fmt: skip
            rows, touched[len(registers), after > 0] = _touched(question, statement, values)
            assert rows == (1 if after else min(202, {1: COURSES, 3: COURSES}.get(len(registers), 202)))
    assert touched[len(REGISTERS), False] <= FEED_BUDGET, touched
    assert max(touched[few, later] for few in (1, 3) for later in (False, True)) <= FEW_BUDGET, touched
