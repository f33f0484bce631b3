"""The SQL of docs/feed.md, dialect by dialect, over a company in which everything has happened."""

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from compliance.catalogue import REGISTERS
from compliance.facts.people.erasing import erase_person
from tests.companies import NOW
from tests.interfaces.feed.conftest import capture
from tests.interfaces.feed.reading import follow
from tests.interfaces.feed.warehouse import DIALECTS, DuckDb, PostgreSql, Warehouse, statements

pytestmark = pytest.mark.django_db


@pytest.fixture(params=DIALECTS)
def warehouse(request: pytest.FixtureRequest, db: None) -> Iterator[Warehouse]:
    """An empty warehouse with the views of each dialect."""
    if request.param != "postgresql":
        yield Warehouse(DuckDb(), request.param)
        return
    from django.db import connections

    values = connections["owner"].settings_dict
    address = f"postgresql://{values['USER']}:{values['PASSWORD']}@{values['HOST']}:{values['PORT']}/{values['NAME']}"
    with PostgreSql(address) as engine:
        yield Warehouse(engine, "postgresql")


def test_every_dialect_has_the_same_views_and_a_moment_that_is_now() -> None:
    names = {dialect: [each.split("(")[0].split(" AS")[0] for each in statements(dialect)] for dialect in DIALECTS}
    views = {dialect: [each for each in found if each.startswith("CREATE VIEW")] for dialect, found in names.items()}
    assert views["postgresql"] == views["duckdb"] == views["bigquery"]
    assert len(views["duckdb"]) == 2 + 2 * len(REGISTERS)
    for dialect in ("duckdb", "bigquery"):
        engine = DuckDb()
        (text,) = (each for each in statements(dialect) if each.startswith("CREATE VIEW moment"))
        engine.run(text)
        (row,) = engine.rows("SELECT * FROM moment")
        assert abs(datetime.now(UTC) - row["as_at"]) < timedelta(minutes=1)
        assert abs(row["as_at"] - row["since"] - timedelta(days=400)) < timedelta(hours=2)


def test_the_views_are_v1_but_for_what_is_read_anew(warehouse, small, caller_of):
    call = caller_of(small.organization_id)
    warehouse.add(follow(call)[0])
    for days in (500, 400, 300, 100, 50, 1, 0):
        moment = NOW - timedelta(days=days)
        as_at = moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        kept = warehouse.at(moment, moment - timedelta(days=30))
        records = {row["record_id"]: row for row in call.pull(f"/v1/training-records?as_at={as_at}")}
        assert kept["training-records"].keys() == records.keys()
        for identity, row in records.items():
            ours = kept["training-records"][identity]
            assert (ours["outcome"], ours["days_late"]) == (row["outcome"], row["days_late"])
        since = (moment - timedelta(days=30)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        for row in call.pull(f"/v1/people?from={since}&to={as_at}"):
            ours = kept["people"][row["person_id"]]
            for name in (
                "person_name",
                "invitation_status",
                "records_owed",
                "records_completed",
                "no_required_records",
            ):
                assert ours[name] == row[name], name
            assert ours["access_state_then"] == row["access_state"]
        for row in call.pull(f"/v1/certificates?as_at={as_at}"):
            assert kept["certificates"][row["certificate_id"]]["status"] == row["status"]
        for row in call.pull(f"/v1/policy-records?as_at={as_at}"):
            assert kept["policy-records"][row["record_id"]]["state"] == row["state"]


def test_what_has_ended_keeps_the_outcome_with_which_it_ended(warehouse, stored, caller_of):
    learner, begin = stored.profile(), stored.now - timedelta(days=40)
    ended = begin + timedelta(days=20)
    more = {"requirement": "no_longer_required", "ended_at": ended, "ended_reason": "person_left", "valid_from": ended}
    missed = stored.training(learner, begin, due_at=begin + timedelta(days=5), **more)
    excused = stored.training(learner, begin, due_at=begin + timedelta(days=30), **more)
    optional = stored.training(
        learner, begin, due_at=begin + timedelta(days=5), requirement_before_end="optional", **more
    )
    late = {"due_at": begin, "completed_at": begin + timedelta(days=3, microseconds=1), "valid_from": begin}
    done = stored.training(learner, begin, **late)
    early = stored.training(learner, begin, **late | {"completed_at": begin - timedelta(days=1)})
    warehouse.add(follow(caller_of(stored.organization_id))[0])
    warehouse.at(stored.now, begin)
    found = {row["id"]: (row["outcome"], row["days_late"]) for row in warehouse.ask("SELECT * FROM training_outcomes")}
    assert found == {
        str(missed): ("missed", 15), str(excused): ("excused", None), str(optional): ("excused", None),
        str(done): ("completed_late", 4), str(early): ("completed_before_requirement", None),
    }  # fmt: skip


def test_a_late_version_holds_only_until_one_that_takes_effect_later(warehouse, stored, caller_of):
    learner, record, begin = stored.profile(), uuid.uuid4(), stored.now - timedelta(days=40)
    same = {"record_id": record, "course_id": uuid.uuid4()}
    stored.training(learner, begin, **same)
    done = begin + timedelta(days=20)
    stored.training(learner, begin, **same, completed_at=done, valid_from=done)
    late = begin + timedelta(days=10)
    stored.training(learner, begin, **same, due_at=late, valid_from=late)
    warehouse.add(follow(caller_of(stored.organization_id), limit=1)[0])
    for moment, sequence, outcome in (
        (begin - timedelta(microseconds=1), None, None),
        (begin, 1, "not_due_yet"),
        (late, 3, "not_due_yet"),
        (done - timedelta(days=1), 3, "overdue"),
        (done, 2, "completed_on_time"),
    ):
        found = warehouse.at(moment, begin)["training-records"].get(str(record), {})
        assert (found.get("sequence"), found.get("outcome")) == (sequence, outcome)


def test_the_names_of_the_erased_are_cleared_in_what_was_read_before(warehouse, small, caller_of):
    call = caller_of(small.organization_id)
    changes, cursor = follow(call)
    warehouse.add(changes)
    dan = small.people["Dan"]
    erase_person(organization_id=small.organization_id, learner_profile_id=dan.learner_profile_id, at=datetime.now(UTC))
    names = f"SELECT person_name FROM people_history WHERE learner_profile_id = '{dan.learner_profile_id}'"
    assert {row["person_name"] for row in warehouse.ask(names)} == {"Dan"}
    capture(small.organization_id)
    warehouse.add(follow(call, cursor=cursor)[0])
    assert {row["person_name"] for row in warehouse.ask(names)} <= {None, "Erased person"}
    assert "Ben" in {row["person_name"] for row in warehouse.ask("SELECT person_name FROM people_history")}
