"""Pages from a real standby of a real primary, whatever happens to the standby: each answer equals the primary's."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from unittest.mock import ANY

import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import InternalError, connections
from django.test import override_settings
from prometheus_client import generate_latest

from compliance.access import tokens
from compliance.access.actions import issue_key, revoke_key
from compliance.facts.people.erasing import erase_person
from compliance.history.actions import capture_all
from compliance.interfaces.operations import metrics
from compliance.registers import callers
from compliance.registers.listings import LISTINGS
from compliance.tenancy import reading, sql, standbys
from development.embedded import binaries, postgresql, servers
from development.embedded.standby import Standby, let_follow
from tests import verbs
from tests.companies import make_present_company, noon
from tests.interfaces.api.conftest import ALL, Caller

PEOPLE, COURSES = 7, 2
# Read once: the same question may be asked before and after midnight.
ASKED_FROM, ASKED_UNTIL = (noon(days).isoformat().replace("+00:00", "Z") for days in (95, 0))
REGISTERS = {listing.register.path or listing.register.name: listing.register for listing in LISTINGS.values()}


def _address(alias):
    values = connections[alias].settings_dict
    return f"postgresql://{values['USER']}:{values['PASSWORD']}@{values['HOST']}:{values['PORT']}/{values['NAME']}"


def _copy_schema(of, to):
    """The suite's tables, and the rows that the service expects in them, without the companies of other tests."""
    programs = binaries.postgresql_tree(binaries.NEWEST_POSTGRESQL) / "bin"
    for choice in (["--schema-only"], ["--data-only", "--table=django_migrations", "--table=tenancy_deployment"]):
        dumped = subprocess.run(
            [programs / "pg_dump", "--no-sync", *choice, of], capture_output=True, check=True, timeout=60
        )
        subprocess.run(
            [programs / "psql", "--quiet", "--set=ON_ERROR_STOP=1", to], input=dumped.stdout, check=True,
            stdout=subprocess.DEVNULL, timeout=60,
        )  # fmt: skip


@pytest.fixture(scope="module")
def on_cluster() -> bool:
    """Whether the suite runs on a cluster."""
    return bool(settings.CLUSTER)


@pytest.fixture(scope="module")
def one_server() -> Iterator[None]:
    """If the suite runs on a cluster, this module nevertheless uses the servers and settings of one PostgreSQL."""
    with pytest.MonkeyPatch.context() as patch, override_settings(CLUSTER=False):
        patch.delenv("CITUS", raising=False)
        yield


@pytest.fixture(scope="module")
def primary(tmp_path_factory, django_db_setup, django_db_blocker, on_cluster, one_server):
    """A primary that standbys can follow, with the suite's tables; for this module it is Django's database."""
    folder = tmp_path_factory.mktemp("primary")
    folder.chmod(0o755)
    values = servers.start(folder, durable=False)
    kept = {alias: dict(connections[alias].settings_dict) for alias in ("default", "owner")}
    try:
        superuser = values["DATABASE_SUPERUSER_URL"]
        let_follow(folder, superuser, synchronous_commit="on")
        suite = os.environ["DATABASE_SUPERUSER_URL"].rpartition("/")[0]
        if not on_cluster:
            _copy_schema(f"{suite}/{connections['default'].settings_dict['NAME']}", superuser)
        with django_db_blocker.unblock():
            for alias, name in (("default", "DATABASE_URL"), ("owner", "DATABASE_OWNER_URL")):
                connections[alias].close()
                parts = psycopg.conninfo.conninfo_to_dict(values[name])
                connections[alias].settings_dict.update(
                    NAME=parts["dbname"], HOST=parts["host"], PORT=parts["port"], PASSWORD=parts["password"]
                )
            if on_cluster:  # its tables cannot be copied to one server
                call_command("migrate", database="owner", verbosity=0)
        yield superuser
    finally:
        with django_db_blocker.unblock():
            for alias, settings_dict in kept.items():
                connections[alias].close()
                connections[alias].settings_dict.update(settings_dict)
        servers.stop(folder)
        shutil.rmtree(postgresql.data_folder(folder), ignore_errors=True)


@pytest.fixture(scope="module")
def standby(primary, tmp_path_factory):
    made = Standby(tmp_path_factory.mktemp("standby") / "followed", primary)
    yield made
    made.remove()


@pytest.fixture
def company(primary, committed):
    """A company with more rows than a page of the tests, captured."""
    made = make_present_company("Standby")
    courses = [made.course(f"Course {number}", at=noon(90)) for number in range(COURSES)]
    for course in courses:
        made.share(course, at=noon(80), days=30)
    for number in range(PEOPLE):
        person = made.join(f"Person {number}", at=noon(70))
        if number % 2:
            made.complete(person, courses[0], at=noon(60))
    capture_all(made.organization_id, made.now)
    return made


@pytest.fixture
def person(company):
    """Another person of the company."""
    joined = company.join("Wilhelmina Featherstonehaugh", at=noon(50))
    capture_all(company.organization_id, company.now)
    return joined


@pytest.fixture
def call(company):
    return Caller(
        issue_key(
            organization_id=company.organization_id, scopes=ALL, environment="test", at=company.now, actor="a test"
        )[0]
    )


@pytest.fixture
def followed(standby, company, settings):
    """The standby as the web process sees it once it is healthy and has caught up."""
    yield from _followed(standby, settings)


def _followed(standby, settings):
    standby.catch_up()
    settings.READ_DATABASE_URLS = [standby.url(_address("default"))]
    try:
        (seen,) = standbys.of_process()
        _wait_until(lambda: seen.seen is not None)
        yield seen
    finally:
        settings.READ_DATABASE_URLS = []
        assert standbys.of_process() == ()


def _wait_until(holds, seconds=20.0):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it never came to hold"
        time.sleep(0.005)


def _pull(call, register):
    """All pages of a register, without what is sealed anew for each."""
    window = REGISTERS[register].window
    moments = {window.end: ASKED_UNTIL, window.start: ASKED_FROM}
    target = f"/v1/{register}?limit=3" + "".join(f"&{name}={each}" for name, each in moments.items() if name)
    pages, cursor = [], ""
    while True:
        answer = call(target + cursor)
        assert answer.status_code == 200, answer.content
        page = answer.json()
        following = page.pop("next_cursor")
        if window.end is None:
            page["snapshot"].pop("as_at")  # when it was asked
        pages.append(page)
        if following is None:
            return pages
        cursor = f"&cursor={following}"


def _everything(call):
    found = {register: _pull(call, register) for register in REGISTERS}
    feed: list[dict[str, Any]] = []
    cursor = ""
    while not feed or not feed[-1]["at_end"]:
        page = call(f"/feed/v1/changes?limit=5{cursor}").json()
        cursor = f"&cursor={page.pop('next_cursor')}"
        page["snapshot"].pop("as_at")
        feed.append(page)
    return found | {"feed": feed}


def _from_primary(call, settings):
    kept, settings.READ_DATABASE_URLS = settings.READ_DATABASE_URLS, []
    standby, standbys._standbys, standbys._addresses = standbys._standbys, (), ()
    try:
        return _everything(call)
    finally:
        standbys._standbys, standbys._addresses = standby, tuple(kept)
        settings.READ_DATABASE_URLS = kept


def _wait_until_it_answers(call, followed):
    """Calls until the standby answers a page: it is healthy, connected, and has replayed what was written."""
    before = followed.outcomes["answered"]

    def answers():
        assert call("/v1/training-records?limit=1").status_code == 200
        return followed.outcomes["answered"] > before

    _wait_until(answers)


def test_every_register_and_the_feed_have_the_primarys_bytes_and_the_standby_read_them(call, followed, settings):
    _wait_until_it_answers(call, followed)
    before = followed.outcomes["answered"]
    there = _everything(call)
    assert followed.outcomes["answered"] - before >= 15
    assert followed.outcomes["failed"] == 0
    assert there == _from_primary(call, settings)


@pytest.fixture
def held_back(standby, followed):
    """The standby replays nothing, as one that is an hour behind."""
    standby.execute("SELECT pg_wal_replay_pause()")
    _wait_until(lambda: standby.execute("SELECT pg_get_wal_replay_pause_state()") == ("paused",))
    yield
    standby.execute("SELECT pg_wal_replay_resume()")


def _names(call):
    return json.dumps(_pull(call, "people"))


def _total(call):
    return call("/v1/training-records?limit=1").json()["total"]


def test_no_page_is_behind_its_pin_nor_shows_whom_the_primary_has_erased(
    company, person, call, followed, standby, settings, request, tmp_path
):
    settings.ERASURE_LIST = str(tmp_path / "erasures.jsonl")
    _wait_until_it_answers(call, followed)
    assert "Featherstonehaugh" in _names(call)
    before = call("/v1/snapshot").json()["snapshot"]["sequence"]
    standby.catch_up()
    request.getfixturevalue("held_back")
    answered = followed.outcomes["answered"]

    verbs.change_person(
        organization_id=company.organization_id, learner_profile_id=person.learner_profile_id,
        at=datetime.now(UTC), now=datetime.now(UTC), person_name="Somebody Else",
    )  # fmt: skip
    assert "Somebody Else" in _names(call)  # before any capture saw it
    erase_person(
        organization_id=company.organization_id, learner_profile_id=person.learner_profile_id, at=datetime.now(UTC)
    )
    names = _names(call)
    assert "Featherstonehaugh" not in names
    assert "Somebody Else" not in names

    capture_all(company.organization_id, datetime.now(UTC))
    total = _total(call)
    company.join("Newcomer", at=noon(40))
    capture_all(company.organization_id, datetime.now(UTC))
    assert _total(call) == total + COURSES
    assert call("/v1/training-records?limit=1").json()["snapshot"]["sequence"] > before
    assert followed.outcomes["answered"] == answered
    assert followed.outcomes["behind"] > 0


def test_a_standby_that_was_behind_answers_again_when_it_has_caught_up(company, call, followed, standby, request):
    _wait_until_it_answers(call, followed)
    request.getfixturevalue("held_back")
    company.join("Newcomer", at=noon(40))
    capture_all(company.organization_id, datetime.now(UTC))
    assert _total(call) == (PEOPLE + 1) * COURSES
    standby.execute("SELECT pg_wal_replay_resume()")
    _wait_until_it_answers(call, followed)
    assert _total(call) == (PEOPLE + 1) * COURSES


def test_a_standby_an_hour_behind_is_reported_and_the_primary_answers(company, call, followed, standby, monkeypatch):
    monkeypatch.setattr(standbys, "LAGGING_SECONDS", 0.5)
    standby.execute("ALTER SYSTEM SET recovery_min_apply_delay = '1h'")
    standby.execute("SELECT pg_reload_conf()")
    try:
        _wait_until(lambda: standby.execute("SHOW recovery_min_apply_delay") == ("1h",))
        company.join("Newcomer", at=noon(40))
        capture_all(company.organization_id, datetime.now(UTC))
        assert _total(call) == (PEOPLE + 1) * COURSES
        _wait_until(lambda: (followed.seen or standby).seconds > standbys.LAGGING_SECONDS)
        ready = call("/readyz")
        (reported,) = ready.json()["standbys"]
        assert ready.status_code in (200, 503)  # for other reasons than the standby, in a database without a beat
        assert reported["state"] == "behind"
        assert reported["lag_bytes"] > 0
        assert reported["lag_seconds"] > standbys.LAGGING_SECONDS
    finally:
        standby.execute("ALTER SYSTEM RESET recovery_min_apply_delay")
        standby.execute("SELECT pg_reload_conf()")


def test_health_and_metrics_name_the_standby_and_its_lag(call, followed, standby, settings):
    _wait_until_it_answers(call, followed)
    _wait_until(lambda: followed.seen is not None)
    ready = call("/readyz").json()
    assert ready["standbys"] == [
        {"standby": f"127.0.0.1:{standby.port}", "state": "ok", "lag_bytes": ANY, "lag_seconds": ANY}
    ]
    text = generate_latest(metrics.registry(lambda: datetime.now(UTC))).decode()
    assert f'svc_standby_ok{{standby="127.0.0.1:{standby.port}"}} 1.0' in text
    assert f'svc_standby_lag_bytes{{standby="127.0.0.1:{standby.port}"}}' in text
    settings.READ_DATABASE_URLS = []
    assert "standbys" not in call("/readyz").json()


def test_a_frozen_standby_holds_no_request_for_two_seconds_and_comes_back_by_itself(call, followed, standby, settings):
    _wait_until_it_answers(call, followed)
    before = _everything(call)
    with standby.frozen():
        longest = 0.0
        end = time.monotonic() + standbys.FRESH_SECONDS + standbys.LOOK_SECONDS
        while time.monotonic() < end:
            began = time.monotonic()
            assert call("/v1/training-records?limit=3").status_code == 200
            longest = max(longest, time.monotonic() - began)
        assert longest < standbys.FRESH_SECONDS + standbys.LOOK_SECONDS + 1  # a busy machine takes its time besides
        answered = followed.outcomes["answered"]
        assert _everything(call) == before
        assert followed.outcomes["answered"] == answered
        assert followed.state(0, 0, "0/0").state == "unreachable"
    _wait_until_it_answers(call, followed)
    assert _everything(call) == before


def test_a_killed_standby_is_left_out_and_comes_back_by_itself(call, followed, standby, settings):
    _wait_until_it_answers(call, followed)
    before = _everything(call)
    standby.kill()
    try:
        assert _everything(call) == before
        _wait_until(lambda: followed.seen is None)
        began = time.monotonic()
        assert _everything(call) == before
        assert time.monotonic() - began < 20
    finally:
        standby.start()
    _wait_until_it_answers(call, followed)
    assert _everything(call) == before


@pytest.fixture
def written(call, followed):
    """How far the primary had written when a key of the company was looked up."""
    caller = callers.caller(tokens.digest(call.token))
    assert caller is not None
    return caller


def _read(caller):
    return reading.company(caller.organization_id, timeout_milliseconds=10_000, written=caller.written)


WHERE = "SELECT pg_is_in_recovery()"


def test_what_a_standby_cancels_or_ends_is_asked_of_the_primary(written, followed, standby, monkeypatch):
    def begin():
        def begun():
            with _read(written):
                return reading.fetch(WHERE) == [(True,)]

        _wait_until(begun)

    begin()
    monkeypatch.setattr(standbys, "STATEMENT_MILLISECONDS", 50)
    with _read(written):
        assert reading.fetch(WHERE) == [(True,)]
        assert reading.fetch("SELECT pg_is_in_recovery(), pg_sleep(0.2)::text") == [(False, "")]  # 57014
        assert reading.fetch(WHERE) == [(False,)]
    monkeypatch.undo()
    begin()
    standby.execute("ALTER SYSTEM SET max_standby_streaming_delay = 0")
    standby.execute("SELECT pg_reload_conf()")
    _wait_until(lambda: standby.execute("SHOW max_standby_streaming_delay") == ("0",))
    with _read(written):  # a lock that the primary takes is replayed: whoever reads the table on the standby has to go
        assert reading.fetch(WHERE) == [(True,)]
        reading.fetch("SELECT name FROM people_team")
        with connections["owner"].cursor() as cursor:
            cursor.execute("ALTER TABLE people_team ALTER COLUMN name DROP DEFAULT")
        standby.catch_up()
        assert reading.fetch(WHERE) == [(False,)]
    begin()
    with _read(written):
        assert reading.fetch(WHERE) == [(True,)]
        standby.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'")
        assert reading.fetch(WHERE) == [(False,)]
    begin()


def test_a_standby_shows_one_company_and_writes_nothing(written, followed):
    def there():
        with _read(written):
            return reading.fetch(WHERE) == [(True,)]

    _wait_until(there)
    with _read(written):
        assert reading.fetch(WHERE) == [(True,)]
        assert reading.fetch("SELECT current_user::text, current_setting('transaction_read_only')") == [("app", "on")]
        companies = "SELECT DISTINCT organization_id FROM history_capture"
        assert reading.fetch(companies) == [(written.organization_id,)]
        assert reading.fetch(WHERE, at_primary=True) == [(False,)]
        reading.use_primary()  # for what goes through Django
        assert sql.fetch(f"{companies} WHERE NOT pg_is_in_recovery()") == [(written.organization_id,)]
        assert reading.fetch(WHERE) == [(True,)]
    assert reading.fetch(companies) == []
    with pytest.raises(InternalError, match="read-only"), _read(written):
        reading.fetch("DELETE FROM people_team RETURNING name")


@pytest.mark.parametrize(
    "other", [{"system_identifier": 1}, {"timeline": 2}, {"position": "FFFF/0"}, {"holds": "false"}],
    ids=["another cluster", "another timeline", "a later position", "another history"],
)  # fmt: skip
def test_a_standby_of_something_else_is_refused(written, followed, standby, other):
    _wait_until(lambda: _lent(written.written, followed))
    assert written.written.holds.endswith(f"chain_hash = '{written.pin.chain_hash}')")
    needed = written.written._replace(**other)
    assert standby.execute(f"SELECT {written.written.condition}") == (True,)
    assert standby.execute(f"SELECT {needed.condition}") == (False,)
    with _read(written._replace(written=needed)):
        assert reading.fetch(WHERE) == [(False,)]
    assert followed.state(1, 1, "0/0").state == "other_database"
    seen = followed.seen
    assert followed.state(seen.system_identifier, 2, "0/0").state == "other_timeline"


def _lent(needed, followed):
    loan = followed.borrow(needed)
    if loan is not None:
        loan.end()
    return loan is not None


def test_a_refused_request_leaves_the_connection_as_it_was(call, followed):
    _wait_until_it_answers(call, followed)
    failed = followed.outcomes["failed"]
    for _ in range(3):
        assert call("/v1/training-records?cursor=x").status_code == 400
    with followed._lock:
        assert followed._loans == set()
    _wait_until_it_answers(call, followed)  # not always at the first call: what was written meanwhile is replayed first
    assert followed.outcomes["failed"] == failed


def test_a_key_that_is_revoked_opens_nothing_however_far_behind_the_standby_is(company, call, followed, held_back):
    assert call("/v1/training-records?limit=1").status_code == 200
    key = callers.caller(tokens.digest(call.token))
    revoke_key(key_id=key.key_id, at=datetime.now(UTC), actor="a test", reason="a test")
    assert call("/v1/training-records?limit=1").status_code == 401


def test_a_standby_promoted_by_accident_answers_nothing(primary, company, call, settings, tmp_path_factory):
    promoted = Standby(tmp_path_factory.mktemp("promoted") / "promoted", primary)
    try:
        for followed in _followed(promoted, settings):
            _wait_until_it_answers(call, followed)
            promoted.promote()
            answered = followed.outcomes["answered"]
            assert _total(call) == PEOPLE * COURSES
            _wait_until(lambda followed=followed: followed.seen is not None and not followed.seen.in_recovery)
            assert _total(call) == PEOPLE * COURSES
            assert followed.outcomes["answered"] == answered
            (reported,) = call("/readyz").json()["standbys"]
            assert reported["state"] == "not_a_standby"
    finally:
        promoted.remove()
