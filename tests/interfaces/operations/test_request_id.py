"""The id of a request follows the work that it started: from a real web process through Redis to a real worker."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
import redis

from compliance.interfaces.pages.links import SigningLink, make_token
from development.embedded import ports
from tests.facts.story import Story

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def environment(committed, process_environment, settings):
    """The environment of processes with a Redis database of their own, so that this worker gets no other tasks."""
    address = urlsplit(settings.REDIS_URL)._replace(path="/15").geturl()
    store = redis.Redis.from_url(address)
    store.flushdb()
    yield process_environment | {"REDIS_URL": address, "LOG_LEVEL": "INFO", "LOG_FORMAT": "json"}
    store.flushdb()
    store.close()


@pytest.fixture
def processes(environment, tmp_path):
    """The address of a web process, and the file in which it and a worker write their logs."""
    port = ports.free_port()
    logs = tmp_path / "worker.log"
    commands = (
        ["granian", "--interface", "asginl", "--loop", "uvloop", "--host", "127.0.0.1", "--port", str(port),
         "--log-level", "error",
         "config.asgi:application"],
        ["celery", "--app", "config", "worker", "--pool", "solo", "--without-gossip", "--without-mingle"],
    )  # fmt: skip
    with logs.open("wb") as log:
        running = [
            subprocess.Popen(
                [sys.executable, "-m", *command], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True,
            )
            for command in commands
        ]  # fmt: skip
    try:
        yield f"http://127.0.0.1:{port}", logs
    finally:
        for process in running:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _when(condition, what):
    """What `condition` answers as soon as it answers anything."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        with suppress(urllib.error.URLError, ConnectionError):
            if found := condition():
                return found
        time.sleep(0.1)
    raise AssertionError(f"waited in vain for {what}")


@pytest.mark.timeout(300)
def test_a_task_logs_the_id_of_the_request_that_sent_it(processes):
    address, logs = processes
    story = Story(datetime.now(UTC) - timedelta(minutes=1))
    version, share_id = story.shared_policy()
    person = story.employee("Ana Reis")
    token = make_token(SigningLink(story.organization_id, share_id, person, story.now + timedelta(days=1)), story.now)
    form = {"release": version.course_release_id, "act": version.act.value, "agree": "yes", "kind": "typed",
            "typed": "Ana Reis"}  # fmt: skip
    _when(lambda: urllib.request.urlopen(f"{address}/livez", timeout=5), "the web process")
    request = urllib.request.Request(f"{address}/sign/{token}", urlencode(form).encode(), {"Origin": address})
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.status == 200

    def lines(event):
        events = [json.loads(line) for line in logs.read_bytes().splitlines() if line.startswith(b"{")]
        return [line for line in events if line.get("event") == event]

    def request_ids():
        return [line["request_id"] for line in lines("request_started") if line["request"].startswith("POST /sign/")]

    (request_id,) = _when(request_ids, "the request's line")

    def finished():
        return [line for line in lines("task_succeeded") if line["request_id"] == request_id]

    (line, *_) = _when(finished, "the task")
    assert line["task_id"] != request_id
    assert "Ana" not in logs.read_text()
    assert token not in logs.read_text()
