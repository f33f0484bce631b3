"""Logs without keys and personal data; metrics without labels that grow."""

import json
import logging
import sys
import time
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.access.tokens import KEY_PREFIXES, new_token
from compliance.history import actions
from compliance.interfaces.operations import metrics
from compliance.interfaces.operations.web import Counted
from compliance.log import signing
from compliance.log.models import Checkpoint, Witness
from compliance.proofs.cosignature import witness_key
from config import logs
from tests.companies import NOW, make_company


def written(message: str, **extra) -> str:
    """The line that a record becomes."""
    configuration = logs.configuration("INFO", "json")["formatters"]["structured"]
    formatter = configuration.pop("()")(**configuration)
    record = logging.getLogger("compliance.api").makeRecord("compliance.api", logging.INFO, "", 0, message, (), None)
    record.__dict__.update(extra)
    return formatter.format(record)


def test_a_line_is_json_with_what_was_logged():
    line = json.loads(written("api_call", request_id="1b4e28ba-2fa1-41d2-883f-0016d3cca427", status=200))
    assert (line["event"], line["status"], line["level"]) == ("api_call", 200, "info")
    assert line["request_id"] == "1b4e28ba-2fa1-41d2-883f-0016d3cca427"


def test_keys_addresses_and_names_never_get_into_a_log():
    token = new_token(KEY_PREFIXES["live"])
    line = written(
        f"GET /v1/people?key={token} by anna@example.org",
        path=f"/x/{token}", person_name="Anna Reis", details={"work_email": "b@example.org", "at": ["c@example.org"]},
    )  # fmt: skip
    assert token not in line
    for personal in ("Anna", "@example.org"):
        assert personal not in line
    assert "[address]" in line


@pytest.mark.parametrize("text", ["x@", "a@b", "a@b:", "a@b.", "@", "a", ".@"])
def test_a_line_is_written_at_once_whatever_path_was_asked_for(text):
    path = f"/{text * (8000 // len(text))}"
    began = time.perf_counter()
    written(f"GET {path}@ HTTP/1.1", path=path)
    assert time.perf_counter() - began < 0.5


@pytest.mark.parametrize(
    ("path", "interface"),
    [
        ("/v1/people", "v1/people"),
        ("/v1/training-records/period", "v1/training-records"),
        ("/v1/anything-else", "v1"),
        ("/check/AB12-CD34", "check"),
        ("/console/companies/", "console"),
        ("/feed/v1/changes", "feed"),
        ("/proof/v1/rows", "proof"),
        ("/scim/v2/Users", "scim"),
        ("/in/v1/facts", "in"),
        ("/learn/courses/", "learn"),
        ("/wp-login.php", "pages"),
    ],
)
def test_requests_are_counted_under_few_labels(path, interface):
    def value() -> float:
        return metrics.REQUESTS.labels(interface, "GET", "404")._value.get()

    before = value()
    application = Counted(lambda environ, start: start("404 Not Found", []) or [b""])
    application({"PATH_INFO": path, "REQUEST_METHOD": "GET"}, lambda line, headers: None)
    assert value() == before + 1


@pytest.mark.usefixtures("committed")
def test_the_lag_and_the_age_of_verification_are_measured():
    company = make_company()
    company.join("Anna")
    status = metrics.service_status(NOW + timedelta(seconds=90))
    assert status.pending > 0
    assert status.oldest_pending_seconds == 90
    assert status.verification_age_seconds > 0
    actions.capture_all(company.organization_id, NOW)
    assert metrics.service_status(NOW).pending == 0


@pytest.mark.usefixtures("committed")
def test_what_is_not_signed_waits_since_its_oldest_capture_however_busy_its_company_is():
    quiet, busy = make_company(), make_company()
    signing.sign_new(NOW)
    assert metrics.service_status(NOW + timedelta(hours=1)).unsigned_capture_age_seconds == 0
    for minutes in (5, 10, 15):
        at = NOW + timedelta(minutes=minutes)
        busy.join(f"Anna {minutes}")
        actions.capture_all(busy.organization_id, at)
    status = metrics.service_status(NOW + timedelta(minutes=16))
    assert (status.unsigned_captures, status.unsigned_capture_age_seconds) == (3, 11 * 60)
    quiet.join("Boris")
    actions.capture_all(quiet.organization_id, NOW)
    assert metrics.service_status(NOW + timedelta(minutes=16)).unsigned_capture_age_seconds == 16 * 60


def test_a_moment_without_a_date_that_somebody_stored_of_one_company_does_not_stop_the_metrics(owner):
    company = make_company()
    for table, column in (
        ("history_historyhead", "captured_at"),
        ("history_historyhead", "next_change_at"),
        ("history_capture", "captured_at"),
    ):
        for moment in ("infinity", "-infinity", "0044-03-15 12:00:00+00 BC", "20000-01-01 00:00:00+00"):
            owner.execute(
                f"UPDATE {table} SET {column} = %s WHERE organization_id = %s", [moment, company.organization_id]
            )
            assert metrics.service_status(NOW).companies > 0


@pytest.mark.django_db
def test_how_long_a_quorum_of_witnesses_is_missing_is_a_metric(settings):
    key = witness_key("witness.example", bytes(32)).line()
    settings.LOG_WITNESSES, settings.LOG_QUORUM = [f"{key} https://witness.example"], 1
    Checkpoint.objects.create(size=7, root=bytes(32), note="", signed_at=NOW)
    assert metrics.service_status(NOW + timedelta(hours=1)).quorum_missing_seconds == 3600
    Witness.objects.create(key=key, size=7, cosigned_at=NOW, answers={"cosigned": 1})
    assert metrics.service_status(NOW + timedelta(hours=1)).quorum_missing_seconds == 0


def test_a_request_is_never_written_for_its_address_may_name_somebody(rf):
    line = written(
        "Not Found",
        request=rf.get("/check/GX1BT-JXZCC-FP46T-BXDM3?q=Anna+Reis"),
        status_code=404,
        at=[rf.get("/Anna")],
    )
    assert "Anna" not in line
    assert "GX1BT" not in line
    assert json.loads(line)["status_code"] == 404


def test_of_an_exception_stay_its_class_and_place_and_not_its_message():
    try:
        try:
            raise KeyError("Anna Reis")
        except KeyError as error:
            raise ValueError("Failing row contains (Anna Reis)") from error
    except ValueError:
        line = written("it failed", exc_info=sys.exc_info())
    assert "Anna" not in line
    exception = json.loads(line)["exception"]
    assert exception.startswith("builtins.ValueError at ")
    assert "caused by: builtins.KeyError at " in exception
    assert "test_logs_and_metrics.py" in exception


def test_a_task_that_failed_says_so_without_arguments_and_message():
    context = {"name": "compliance.operations.remind", "id": "7", "exc": "ValueError('Anna Reis')", "args": "['Anna']"}
    line = written("Task remind[7] raised unexpected: ValueError('Anna Reis')", data=context)
    assert "Anna" not in line
    assert json.loads(line)["event"] == "Task compliance.operations.remind[7] failed: ValueError"


def test_the_reason_that_a_server_is_away_is_logged():
    line = json.loads(written("it failed", exc_info=(OSError, ConnectionRefusedError("port 5432: refused"), None)))
    assert line["exception"] == "builtins.ConnectionRefusedError (port 5432: refused) at nowhere"


@pytest.mark.usefixtures("committed")
def test_a_page_of_metrics_asks_as_much_however_many_companies_there_are():
    def statements() -> int:
        with CaptureQueriesContext(connection) as found:
            metrics.service_status(NOW)
        return len(found)

    for _ in range(20):  # on a cluster some on each node, which is asked once
        make_company()
    before = statements()
    for _ in range(5):
        make_company()
    assert statements() == before
