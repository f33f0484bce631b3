"""The reference client against a real server: killed and restarted, it ends with the bytes of an undisturbed one.

PULL_KILLS: how often it is killed (10 in full).
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from contextlib import nullcontext
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import pytest

from compliance.access.actions import issue_key
from compliance.history import actions
from compliance.interfaces import pull
from compliance.interfaces.pull_service import ACCEPTED, FaultError, PullError, Service
from compliance.interfaces.pulled import REGISTERS, Folder
from compliance.rules.vocabulary import Scope
from development.embedded import ports
from tests.facts.story import BEGIN, Story

ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("PULL_KILLS", "3"))
LIMIT = "7"
PEOPLE = 40
AS_AT = "2026-06-01T12:00:00+00:00"


def _story(now):
    story = Story(now)
    people = story.employees([f"Person {number}" for number in range(PEOPLE)])
    _, release = story.shared_course()
    for number in range(8):
        story.completed(people[number], release, BEGIN + timedelta(days=20 + number))
    version, share_id = story.shared_policy()
    story.tell(
        story.signed(version, share_id, people[number], at=BEGIN + timedelta(days=10 + number)) for number in range(12)
    )
    actions.capture_all(story.organization_id, now)
    return story


@pytest.fixture
def served(committed, process_environment, now):
    """The story, a key for it, and the address of a server of its own."""
    story = _story(now)
    key, _ = issue_key(
        organization_id=story.organization_id, scopes=tuple(Scope), environment="test", at=now, actor="a test"
    )
    port = ports.free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "granian", "--interface", "asginl", "--loop", "uvloop", "--host", "127.0.0.1",
         "--port", str(port),
         "--workers", "1", "--log-level", "error", "config.asgi:application"],
        cwd=ROOT, env=process_environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address)
        yield story, key, address
    finally:
        os.killpg(server.pid, signal.SIGKILL)  # with its workers: one that is left would keep the suite's database open
        server.wait()


def _wait_for(address):
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"{address}/livez", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


def _start(served, folder):
    _, key, address = served
    return subprocess.Popen(
        [sys.executable, "-m", "compliance.interfaces.pull", "--base-url", address, "--key-env", "PULL_KEY",
         "--as-at", AS_AT, "--limit", LIMIT, str(folder)],
        cwd=ROOT, env=os.environ | {"PULL_KEY": key}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def _run(served, folder):
    process = _start(served, folder)
    _, errors = process.communicate(timeout=120)
    return process.returncode, errors


def _pulled(folder):
    return sum(part.stat().st_size for part in (folder / "pulling").glob("*.jsonl"))


def _bytes(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.json*"))}


@pytest.mark.timeout(300)
def test_a_pull_that_is_killed_again_and_again_ends_with_the_bytes_of_one_left_alone(served, tmp_path):
    alone, killed = tmp_path / "alone", tmp_path / "killed"
    status, said = _run(served, alone)
    assert status == pull.DONE, said
    found = _bytes(alone)
    rows = {name: content.count(b"\n") for name, content in found.items() if name.endswith(".jsonl")}
    assert rows == {
        "acknowledgements.jsonl": 12, "certificates.jsonl": 8, "courses.jsonl": 1, "people.jsonl": PEOPLE,
        "policies.jsonl": 1, "policy-records.jsonl": PEOPLE, "training-records.jsonl": PEOPLE,
    }  # fmt: skip
    chance = random.Random(6)
    for _ in range(KILLS):
        before = _pulled(killed)
        process = _start(served, killed)
        while process.poll() is None and _pulled(killed) <= before:
            time.sleep(0.001)
        time.sleep(chance.random() / 50)
        process.kill()
        process.communicate()
    status, said = _run(served, killed)
    assert status == pull.DONE, said
    assert _bytes(killed) == found
    assert not list((killed / "pulling").iterdir())

    _test_that_pages_come_compressed(served, tmp_path, found)
    _test_what_follows(served, killed, found)


def _test_that_pages_come_compressed(served, folder, found):
    _, key, address = served
    for coding in ACCEPTED.split(", "):
        seen: set[tuple[str, str | None]] = set()
        headers = {"Authorization": f"Bearer {key}", "Accept-Encoding": coding}
        hooks = {
            "response": [lambda answer, to=seen: to.add((answer.url.path, answer.headers.get("Content-Encoding")))]
        }
        with httpx.Client(base_url=address, headers=headers, event_hooks=hooks, timeout=60) as client:
            pull.pull(Service(client), Folder(folder / coding), datetime.fromisoformat(AS_AT), lambda line: None)
        assert ("/v1/people", coding) in seen
        assert _bytes(folder / coding) == found


def _test_what_follows(served, folder, found):
    story, key, address = served
    said: list[str] = []
    with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {key}"}, timeout=60) as client:

        def again():
            return pull.pull(Service(client), Folder(folder), datetime.fromisoformat(AS_AT), said.append)

        # Without a change nothing is done. After a new fact it is pulled again.
        assert not again()
        assert said == ["Nothing has changed since the last pull."]
        assert _bytes(folder) == found
        story.employee("Late Comer", BEGIN + timedelta(days=30))
        actions.capture_all(story.organization_id, story.now)
        assert again()
        assert (folder / "people.jsonl").read_bytes().count(b"\n") == PEOPLE + 1
        # At an earlier moment there are fewer receipts, which is no fault of the chain.
        earlier = BEGIN + timedelta(days=15)
        assert pull.pull(Service(client), Folder(folder), earlier, said.append)
        assert (folder / "acknowledgements.jsonl").read_bytes().count(b"\n") == 6
        assert again()
        # The chain of the last pull must still be the beginning.
        state = json.loads((folder / "state.json").read_text())
        (folder / "state.json").write_text(json.dumps(state | {"sequence": 0, "receipts": [12, "0" * 64]}))
        with pytest.raises(FaultError, match="chain no longer begins"):
            again()


SNAPSHOT = {
    "organization_id": str(uuid.uuid4()), "deployment_id": str(uuid.uuid4()), "as_at": AS_AT, "from": None,
    "known_at": AS_AT, "sequence": 5, "capture_sequence": 2, "chain_hash": "0" * 64,
    "logic": {"version": 1, "date": "2026-01-01"}, "history_complete_from": "2024-01-01T00:00:00.000000Z",
    "available": True,
}  # fmt: skip


def _service(answers, waits):
    """A service whose answers a test gives, by a transport of httpx."""

    def answer(request):
        return answers(request)

    client = httpx.Client(transport=httpx.MockTransport(answer), base_url="http://svc.example")
    return Service(client, waits.append)


def test_it_waits_as_long_as_it_is_told_and_repeats_what_may_pass():
    given = iter(
        [
            httpx.Response(429, json={"code": "rate_limited"}, headers={"Retry-After": "17"}),
            httpx.Response(503, json={"code": "writer_unavailable"}),
            httpx.Response(200, json={"snapshot": {}}, headers={"RateLimit": '"key";r=0;t=42, "company";r=9;t=50'}),
        ]
    )
    waits: list[float] = []
    assert _service(lambda request: next(given), waits).get("/v1/snapshot") == {"snapshot": {}}
    assert waits == [17.0, 1.0, 42.0]


def test_a_proxy_may_state_a_moment_or_cut_off_what_is_packed():
    given = iter(
        [
            httpx.Response(503, headers={"Retry-After": "Mon, 30 Nov 2026 03:00:00 GMT"}),
            httpx.Response(200, stream=httpx.ByteStream(b"no gzip"), headers={"Content-Encoding": "gzip"}),
            httpx.Response(200, json={"snapshot": {}}),
        ]
    )
    waits: list[float] = []
    assert _service(lambda request: next(given), waits).get("/v1/snapshot") == {"snapshot": {}}
    assert waits == [0.5, 1.0]


def test_what_is_no_json_is_not_the_service():
    with pytest.raises(PullError, match="is not the service"):
        _service(lambda request: httpx.Response(200, text="<p>Sign in</p>"), []).get("/v1/snapshot")


def test_a_folder_that_cannot_be_written_is_no_fault_of_the_data(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PULL_KEY", "svc_test_")
    (tmp_path / "file").touch()
    for more in ([], ["--follow"]):
        arguments = ["--base-url", "http://127.0.0.1:9", "--key-env", "PULL_KEY", *more, str(tmp_path / "file")]
        assert pull.main(arguments) == pull.FAILED
        assert "file" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["http://[::1", "records.example.com", "ftp://records.example.com", "https://"])
def test_an_address_that_is_none_of_the_web_is_refused_at_once(tmp_path, monkeypatch, capsys, address):
    monkeypatch.setenv("PULL_KEY", "svc_test_")
    with pytest.raises(SystemExit) as ended:
        pull.main(["--base-url", address, "--key-env", "PULL_KEY", str(tmp_path)])
    assert ended.value.code == pull.FAILED
    assert "--base-url" in capsys.readouterr().err


@pytest.mark.parametrize("key", ["", " \n", "svc_test_é", "svc_test_\nx"])
def test_a_variable_that_holds_no_key_is_named_at_once(tmp_path, monkeypatch, capsys, key):
    monkeypatch.setenv("PULL_KEY", key)
    assert pull.main(["--base-url", "http://127.0.0.1:9", "--key-env", "PULL_KEY", str(tmp_path)]) == pull.FAILED
    assert "PULL_KEY" in capsys.readouterr().err


def test_another_moment_is_pulled_although_nothing_was_recorded(tmp_path, now):
    asked = []

    def answers(request):
        asked.append(request.url.params.get("as_at"))
        if request.url.path == "/v1/snapshot":
            return httpx.Response(200, json={"snapshot": SNAPSHOT})
        return httpx.Response(200, json={"data": [], "total": 0, "snapshot": SNAPSHOT, "next_cursor": None})

    folder = Folder(tmp_path)
    for moment, pulled in ((now, True), (now, False), (now - timedelta(days=90), True)):
        assert pull.pull(_service(answers, []), folder, moment, lambda line: None) is pulled
    assert pull._text(now - timedelta(days=90)) in asked


def _empty(request):
    """Answers every register without rows."""
    if request.url.path == "/v1/snapshot":
        return httpx.Response(200, json={"snapshot": SNAPSHOT})
    return httpx.Response(200, json={"data": [], "total": 0, "snapshot": SNAPSHOT, "next_cursor": None})


def test_the_moment_that_somebody_asks_for_is_pulled_and_no_other_one(tmp_path, now):
    folder, hour = Folder(tmp_path), timedelta(hours=1)

    def pulled(moment, *, exactly):
        return pull.pull(_service(_empty, []), folder, moment, lambda line: None, exactly=exactly)

    assert pulled(now, exactly=False)
    assert not pulled(now - hour, exactly=False)
    assert not pulled(now, exactly=True)
    assert pulled(now - hour, exactly=True)
    assert folder.state["as_at"] == pull._text(now - hour)
    # A pull of another moment that was interrupted is not the one that is asked for.
    folder.begin({"organization_id": SNAPSHOT["organization_id"], "as_at": pull._text(now), "from": pull._text(now)})
    assert pulled(now - 2 * hour, exactly=True)
    assert folder.state["as_at"] == pull._text(now - 2 * hour)
    folder.begin({"organization_id": SNAPSHOT["organization_id"], "as_at": pull._text(now), "from": pull._text(now)})
    assert pulled(now + hour, exactly=False)
    assert folder.state["as_at"] == pull._text(now)


def test_a_register_that_the_key_no_longer_opens_has_no_file(tmp_path, now):
    opened, sequence = {"people", "certificates"}, iter(range(5, 9))

    def answers(request):
        if request.url.path == "/v1/snapshot":
            return httpx.Response(200, json={"snapshot": SNAPSHOT | {"sequence": next(sequence)}})
        register = request.url.path.rsplit("/", 1)[1]
        if register not in opened:
            return httpx.Response(403, json={"code": "insufficient_scope"})
        rows = [{REGISTERS[register].identity: "a", "sequence": 5}]
        return httpx.Response(200, json={"data": rows, "total": 1, "snapshot": SNAPSHOT, "next_cursor": None})

    def files():
        pull.pull(_service(answers, []), Folder(tmp_path), now, lambda line: None)
        return {path.name: path.read_bytes().count(b"\n") for path in tmp_path.glob("*.jsonl")}

    assert files() == {"people.jsonl": 1, "certificates.jsonl": 1}
    opened.remove("certificates")
    assert files() == {"people.jsonl": 1}


def test_a_pull_that_goes_on_with_a_key_that_opens_more_pulls_that_too(tmp_path, now):
    refusals = {"certificates": (403, "insufficient_scope"), "people": (401, "invalid_token")}

    def answers(request):
        if request.url.path.endswith(tuple(refusals)):
            status, code = refusals[request.url.path.rsplit("/", 1)[1]]
            return httpx.Response(status, json={"code": code})
        return _empty(request)

    with pytest.raises(PullError, match="invalid_token"):
        pull.pull(_service(answers, []), Folder(tmp_path), now, lambda line: None)
    refusals.clear()
    said: list[str] = []
    pull.pull(_service(answers, []), Folder(tmp_path), now, said.append)
    assert said == ["Pulled 0 rows up to sequence 5."]
    assert (tmp_path / "certificates.jsonl").exists()


def test_a_history_that_was_restored_amid_a_pull_is_pulled_anew_in_the_end(tmp_path, now):
    restored = False

    def answers(request):
        if request.url.path.endswith("/people") and not restored:
            return httpx.Response(401, json={"code": "invalid_token"})
        page = {"data": [], "total": 0, "snapshot": SNAPSHOT | {"sequence": 5 if restored else 9}, "next_cursor": None}
        return httpx.Response(200, json=page)  # of /v1/snapshot, the same member counts

    def pulled():
        return pull.pull(_service(answers, []), Folder(tmp_path), now, lambda line: None)

    with pytest.raises(PullError, match="invalid_token"):
        pulled()
    restored = True
    with pytest.raises(PullError, match="Try again"):
        pulled()
    assert pulled()
    assert Folder(tmp_path).state["sequence"] == 5


@pytest.mark.parametrize("moment", ["2026-06-01", "0001-02-03T00:00:00Z", "9999-12-31T23:59:59-14:00"])
def test_a_moment_has_an_offset_and_is_not_at_the_ends_of_the_calendar(tmp_path, capsys, moment):
    with pytest.raises(SystemExit):
        pull.main(["--base-url", "http://127.0.0.1:9", "--key-env", "PULL_KEY", "--as-at", moment, str(tmp_path)])
    assert "--as-at" in capsys.readouterr().err


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "often"])
def test_a_pause_is_a_number_of_seconds_that_can_be_waited(tmp_path, capsys, seconds):
    with pytest.raises(SystemExit):
        pull.main(["--base-url", "http://127.0.0.1:9", "--key-env", "PULL_KEY", f"--every={seconds}", str(tmp_path)])
    assert "--every" in capsys.readouterr().err


def test_a_key_that_no_longer_opens_the_receipts_does_not_accuse_their_chain(tmp_path, now):
    opened = {"people"}

    def answers(request):
        if request.url.path == "/v1/snapshot":
            return httpx.Response(200, json={"snapshot": SNAPSHOT | {"sequence": 5 + len(opened)}})
        if request.url.path.rsplit("/", 1)[1] not in opened:
            return httpx.Response(403, json={"code": "insufficient_scope"})
        return httpx.Response(200, json={"data": [], "total": 0, "snapshot": SNAPSHOT, "next_cursor": None})

    folder = Folder(tmp_path)
    receipts = [12, "0" * 64]
    for _ in range(2):
        pull.pull(_service(answers, []), folder, now, lambda line: None)
        (tmp_path / "state.json").write_text(json.dumps(folder.state | {"sequence": 0, "receipts": receipts}))
    pull.pull(_service(answers, []), folder, now, lambda line: None)
    assert folder.state["receipts"] == receipts
    opened.add("acknowledgements")
    with pytest.raises(FaultError, match="chain no longer begins"):
        pull.pull(_service(answers, []), folder, now, lambda line: None)


def test_what_will_not_pass_is_not_repeated():
    waits: list[float] = []
    with pytest.raises(PullError, match="invalid_token"):
        _service(lambda request: httpx.Response(401, json={"code": "invalid_token"}), waits).get("/v1/snapshot")
    assert waits == []


@pytest.mark.parametrize(
    "spoil, complaint",
    [
        (lambda page: page | {"total": 3}, "total says 3"),
        (lambda page: page | {"data": page["data"] * 2, "total": 2}, "came twice"),
        (lambda page: page | {"data": [page["data"][0] | {"sequence": 6}]}, "behind the pin"),
        (lambda page: page | {"data": [page["data"][0] | {"organization_id": "x"}]}, "another company"),
    ],
)
def test_rows_that_are_not_what_the_envelope_says_are_a_fault(tmp_path, now, spoil, complaint):
    def answers(request):
        if request.url.path == "/v1/snapshot":
            return httpx.Response(200, json={"snapshot": SNAPSHOT})
        register = request.url.path.rsplit("/", 1)[1]
        if register != "people":
            return httpx.Response(200, json={"data": [], "total": 0, "snapshot": SNAPSHOT, "next_cursor": None})
        page = {"data": [{"person_id": "a", "sequence": 5}], "total": 1, "snapshot": SNAPSHOT, "next_cursor": None}
        return httpx.Response(200, json=spoil(page))

    with pytest.raises(FaultError, match=complaint):
        pull.pull(_service(answers, []), Folder(tmp_path), now, lambda line: None)
    # What came is not taken for what the service would answer now.
    assert pull.pull(_service(_empty, []), Folder(tmp_path), now, lambda line: None)


@pytest.mark.parametrize("changed, faulty", [
    ({"logic": {"version": 1, "date": "2025-12-31"}}, False), ({"logic": {"version": 2, "date": "2026-01-01"}}, True),
    ({"chain_hash": "1" * 64}, True), ({"capture_sequence": 3}, True), ({"as_at": "2026-06-02T12:00:00+00:00"}, True),
])  # fmt: skip
def test_the_pages_of_a_register_have_one_pin_whatever_date_their_process_knows_of_the_logic(
    tmp_path, now, changed, faulty
):
    def answers(request):
        if not request.url.path.endswith("/people"):
            return _empty(request)
        second = "cursor" in request.url.params
        snapshot = SNAPSHOT | (changed if second else {})
        rows = [{"person_id": "b" if second else "a", "sequence": 5}]
        page = {"data": rows, "total": 2, "snapshot": snapshot, "next_cursor": None if second else "c"}
        return httpx.Response(200, json=page)

    with pytest.raises(FaultError, match="another total or pin") if faulty else nullcontext():
        assert pull.pull(_service(answers, []), Folder(tmp_path), now, lambda line: None)


class WatchedFolder(Folder):
    """Waits, when it stores a page, until the next one is asked for."""

    def __init__(self, folder, asked):
        super().__init__(folder)
        self.asked = asked
        self.most_ahead = 0
        self.pages = 0

    def append(self, part, rows):
        self.pages += bool(rows)
        if part.cursor is not None:
            assert self.asked.acquire(timeout=30), "nobody asked for the next page"
            self.most_ahead = max(self.most_ahead, len(self.asked.seen) - self.pages)
        super().append(part, rows)


class Asking(threading.Semaphore):
    """How many pages after the first of a register were asked for and not yet awaited; `seen`: all these numbers."""

    def __init__(self):
        super().__init__(0)
        self.seen = []


def test_the_next_page_is_asked_for_while_one_is_kept_and_no_further_one(tmp_path, now):
    asked, pages = Asking(), 6

    def answers(request):
        if request.url.path == "/v1/snapshot":
            return httpx.Response(200, json={"snapshot": SNAPSHOT})
        if not request.url.path.endswith("/people"):
            return httpx.Response(200, json={"data": [], "total": 0, "snapshot": SNAPSHOT, "next_cursor": None})
        number = int(request.url.params.get("cursor", 0))
        asked.seen.append(number)
        if number:
            asked.release()
        rows = [{"person_id": f"{number}", "sequence": 5}]
        following = f"{number + 1}" if number + 1 < pages else None
        page = {"data": rows, "total": pages, "snapshot": SNAPSHOT, "next_cursor": following}
        return httpx.Response(200, json=page)

    folder = WatchedFolder(tmp_path, asked)
    assert pull.pull(_service(answers, []), folder, now, lambda line: None)
    assert asked.seen == list(range(pages))
    assert folder.most_ahead == 1
