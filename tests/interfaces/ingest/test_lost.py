"""Facts that are posted while the database goes away: a 503 that promises nothing, and the same body again."""

import threading
import uuid
from datetime import UTC, datetime

import psycopg
import pytest
from django.db import connection, connections

from compliance.access.sources import issue_source
from compliance.facts.ledger.models import PendingSubject
from compliance.facts.lines.kinds import KINDS
from compliance.facts.people.models import Team
from compliance.tenancy import context
from tests.companies import make_present_company
from tests.facts.files import team
from tests.interfaces.ingest.conftest import Sender


@pytest.fixture
def organization_id(committed):
    """A company whose rows are committed."""
    return make_present_company().organization_id


@pytest.fixture
def post(organization_id):
    """Posts to that company."""
    token, _ = issue_source(
        organization_id=organization_id,
        name="HR",
        kinds=KINDS,
        environment="test",
        at=datetime.now(UTC),
        actor="a test",
    )
    return Sender(token)


def end_when_waiting(pid, way="pg_terminate_backend"):
    """Ends the connection with this number, or its statement, once it waits for a lock, so in the middle of work."""
    values = connections["default"].settings_dict
    with psycopg.connect(
        host=values["HOST"], port=values["PORT"], user=values["USER"], password=values["PASSWORD"],
        dbname=values["NAME"], autocommit=True,
    ) as app:  # fmt: skip
        while not app.execute(
            f"SELECT {way}(pid) FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'", [pid]
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


@pytest.mark.parametrize("way", ["pg_cancel_backend", "pg_terminate_backend"])
def test_a_database_that_fails_while_the_call_waits_does_not_deny_what_is_recorded(post, organization_id, way):
    fact = team(f"team {uuid.uuid4()}")
    assert post([team(f"team {uuid.uuid4()}")]).status_code == 200
    pid = connection.connection.info.backend_pid

    def disturb():
        """Locks what the call looks at once the fact is recorded, and ends the look."""
        recorded = False
        while not recorded:
            with context.company(organization_id):
                recorded = Team.objects.filter(organization_id=organization_id, name=fact["name"]).exists()
        connection.close()
        values = connections["owner"].settings_dict
        with psycopg.connect(
            host=values["HOST"], port=values["PORT"], user=values["USER"], password=values["PASSWORD"],
            dbname=connections["default"].settings_dict["NAME"],
        ) as owner:  # fmt: skip
            owner.execute(f"LOCK TABLE {PendingSubject._meta.db_table} IN ACCESS EXCLUSIVE MODE")
            end_when_waiting(pid, way)
            owner.rollback()

    disturbing = threading.Thread(target=disturb)
    disturbing.start()
    answer = post([fact], HTTP_PREFER="wait=10")
    disturbing.join()
    assert answer.status_code == 200
    assert answer.json() == {"recorded": 1, "known": 0, "refused": [], "capture": None}
    assert answer["Preference-Applied"] == "wait=10"
    assert post([fact]).json()["known"] == 1
