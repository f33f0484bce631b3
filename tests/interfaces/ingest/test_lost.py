"""Facts that are posted while the database goes away: a 503 that promises nothing, and the same body again."""

import threading
import uuid
from datetime import UTC, datetime

import psycopg
import pytest
from django.db import connection, connections

from compliance.access.sources import issue_source
from compliance.facts.lines.kinds import KINDS
from tests.companies import make_present_company
from tests.facts.files import team
from tests.interfaces.ingest.conftest import Sender


@pytest.fixture
def post(committed):
    """Posts to a company whose rows are committed."""
    organization_id = make_present_company().organization_id
    token, _ = issue_source(
        organization_id=organization_id,
        name="HR",
        kinds=KINDS,
        environment="test",
        at=datetime.now(UTC),
        actor="a test",
    )
    return Sender(token)


def end_when_waiting(pid):
    """Ends the connection with this number once it waits for a lock, so in the middle of recording."""
    values = connections["default"].settings_dict
    with psycopg.connect(
        host=values["HOST"], port=values["PORT"], user=values["USER"], password=values["PASSWORD"],
        dbname=values["NAME"], autocommit=True,
    ) as app:  # fmt: skip
        while not app.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'", [pid]
        ).fetchone():
            pass


def test_a_body_whose_connection_is_lost_is_promised_nothing_and_recorded_when_it_comes_again(post):
    fact = team(f"team {uuid.uuid4()}")
    assert post([team(f"team {uuid.uuid4()}")]).status_code == 200
    values = connections["owner"].settings_dict
    with psycopg.connect(
        host=values["HOST"], port=values["PORT"], user=values["USER"], password=values["PASSWORD"],
        dbname=connections["default"].settings_dict["NAME"],
    ) as owner:  # fmt: skip
        owner.execute("LOCK TABLE people_team IN ACCESS EXCLUSIVE MODE")
        killer = threading.Thread(target=end_when_waiting, args=[connection.connection.info.backend_pid])
        killer.start()
        answer = post([fact])
        killer.join()
        owner.rollback()
    assert (answer.status_code, answer.json()["code"]) == (503, "upstream_unavailable")
    assert answer["Retry-After"] == "5"
    assert "not known" in answer.json()["detail"]
    again = post([fact]).json()
    assert (again["recorded"], again["known"]) == (1, 0)


def test_a_server_that_has_become_a_standby_is_let_go_and_the_body_goes_to_the_primary(post):
    fact = team(f"team {uuid.uuid4()}")
    assert post([team(f"team {uuid.uuid4()}")]).status_code == 200
    connection.connection.execute("SET default_transaction_read_only = on")
    assert post([fact]).status_code == 503
    assert post([fact]).json()["recorded"] == 1
