"""`Prefer: wait`: the answer comes when the history holds the lines, or states that it does not yet."""

import threading
import time
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from compliance.access.models import Source
from compliance.facts.ledger.models import PendingSubject
from compliance.history import actions, queries
from compliance.interfaces.ingest import pressure
from compliance.tenancy import context
from tests.companies import make_present_company
from tests.facts.files import joined, team
from tests.interfaces.api.conftest import Caller, issue_everything
from tests.interfaces.ingest.test_views import answered

WAIT = {"HTTP_PREFER": "wait=10"}


@pytest.fixture
def organization_id(committed):
    """A company whose facts a writer may capture meanwhile."""
    found = make_present_company().organization_id
    yield found
    Source.objects.filter(organization_id=found).delete()


@pytest.fixture
def writer(organization_id):
    """Captures pending subjects, as the worker does, until the test ends."""
    ended = threading.Event()

    def work():
        while not ended.wait(0.05):
            actions.capture_all(organization_id, datetime.now(UTC))
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    ended.set()
    thread.join()


def capture_of(answer):
    """The capture in an answer to a call that waits."""
    assert answer["Preference-Applied"] == "wait=10"
    return answer.json()["capture"]


def test_the_answer_names_the_capture_that_holds_the_lines(post, organization_id, writer):
    answer = post([joined("anna"), {"fact": "x"}], **WAIT)
    capture = capture_of(answer)
    answered(answer, 1, 0, [(2, "unknown_kind")])
    head = queries.head(organization_id)
    assert 0 < capture["sequence"] <= head.sequence
    assert 1 < capture["capture_sequence"] <= head.capture_sequence
    caller = Caller(issue_everything(organization_id, datetime.now(UTC)))
    since = head.captured_at - timedelta(days=9)
    assert [
        row["person_name"] for row in caller.pull(f"/v1/people?from={since:%Y-%m-%d}&to={head.captured_at:%Y-%m-%d}")
    ] == ["anna"]


def test_lines_that_are_known_are_waited_for_too(post, organization_id):
    answered(post([joined("anna")]), 1)
    begun = time.monotonic()
    assert post([joined("anna")], HTTP_PREFER="wait=1").json()["capture"] is None
    assert time.monotonic() - begun >= 1
    actions.capture_all(organization_id, datetime.now(UTC))
    head = queries.head(organization_id)
    expected = {"sequence": head.sequence, "capture_sequence": head.capture_sequence}
    assert capture_of(post([joined("anna")], **WAIT)) == expected


def test_nobody_waits_for_what_takes_effect_later_or_was_given_up(post, organization_id):
    begun = time.monotonic()
    later = (datetime.now(UTC) + timedelta(minutes=4)).isoformat()
    assert capture_of(post([team("blue"), joined("anna") | {"at": later}], **WAIT)) is None
    answered(post([joined("ben")]), 1)
    with context.company(organization_id):
        PendingSubject.objects.filter(organization_id=organization_id).update(set_aside_at=datetime.now(UTC))
    assert capture_of(post([joined("ben")], **WAIT)) is None
    assert capture_of(post([{"fact": "x"}], **WAIT)) is None
    assert time.monotonic() - begun < 8


def test_who_finds_no_place_to_wait_is_answered_capture_of(post):
    held = [pressure.place_to_wait() for _ in range(pressure.WAITING_AT_ONCE)]
    assert all(place.__enter__() for place in held)
    try:
        answer = post([joined(str(uuid.uuid4()))], **WAIT)
    finally:
        for place in held:
            place.__exit__(None, None, None)
    assert "Preference-Applied" not in answer
    assert answered(answer, 1)["capture"] is None
