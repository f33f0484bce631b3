"""The demo on real processes, in a user's folder: whatever a kill leaves running, the next start ends.

The tests of this module build on one another in one folder, so that the story is recorded once; the suite gives each
file to one worker.
"""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from development.embedded import ports, postgresql, processes
from tests.operations.service import ROOT, wait_for

pytestmark = pytest.mark.timeout(600)
PATIENCE = 200.0
COMMAND = [sys.executable, "-m", "development.demo", "--port"]
THREE = ("granian", "worker", "beat")


class Demo:
    """The folder of a demo, the port it is started on, and every process that belongs to it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, ports.free_port()
        ours = ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_SUPERUSER_URL", "REDIS_URL", "BASE_URL", "PORT")
        self.environment = {name: value for name, value in os.environ.items() if name not in ours}
        self.environment |= {"COMPLIANCE_FOLDER": str(folder)}
        self.log = folder.parent / "demo.log"
        self.started: list[subprocess.Popen[bytes]] = []

    def start(self, *before: str) -> "subprocess.Popen[bytes]":
        """Starts it in the background; `before` is a program that starts it in turn, as make does."""
        with self.log.open("wb") as log:
            started = subprocess.Popen(
                [*before, *COMMAND, str(self.port)], cwd=ROOT, env=self.environment, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        self.started.append(started)
        return started

    def refused(self, **more: str) -> str:
        """The message of a start that must be refused."""
        done = subprocess.run(
            [*COMMAND, str(self.port)], cwd=ROOT, env=self.environment | more, capture_output=True, text=True,
            check=False, timeout=PATIENCE,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (1, "")
        assert len(done.stderr.splitlines()) == 1, done.stderr
        return done.stderr

    def says(self, words: str) -> bool:
        return words in self.log.read_text(errors="replace")

    def serves(self) -> bool:
        """Whether web answers and all three kinds of process run."""
        try:
            ready = httpx.get(f"http://127.0.0.1:{self.port}/readyz", timeout=10).status_code == 200
        except httpx.HTTPError:
            return False
        lines = [processes.description(process) for process in self.processes()]
        return ready and all(any(name in line for line in lines) for name in THREE)

    def processes(self) -> list[psutil.Process]:
        """Every living process that was started with this folder or works in it, including the servers."""
        data = postgresql.data_folder(self.folder)
        found = []
        for process in psutil.process_iter():
            try:
                homes = (data, self.folder / "redis")
                mine = process.environ().get("COMPLIANCE_FOLDER") == str(self.folder) or Path(process.cwd()) in homes
                if mine and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
            except (psutil.Error, OSError):
                continue
        return found

    def gone(self) -> bool:
        return not self.processes()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    folder = tmp_path_factory.mktemp("demo") / "my café" / "var"
    folder.mkdir(parents=True)
    demo = Demo(folder)
    yield demo
    for process in demo.processes():
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    for started in demo.started:
        started.wait()
    shutil.rmtree(postgresql.data_folder(folder), ignore_errors=True)


@pytest.fixture(scope="module")
def neighbour(demo: Demo) -> Iterator[psutil.Process]:
    """A process of the demo in another folder whose name has the same beginning."""
    marks = dict.fromkeys(("COMPLIANCE_FOLDER", "COMPLIANCE_DEMO"), f"{demo.folder}2")
    with subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(900)", "celery", "development.demo"], cwd=ROOT,
        env=os.environ | marks,
    ) as other:  # fmt: skip
        yield psutil.Process(other.pid)
        other.kill()


def _wait(question: Callable[[], object], what: str, demo: Demo) -> None:
    try:
        wait_for(question, PATIENCE, what)
    except TimeoutError:
        sys.stderr.write(demo.log.read_text(errors="replace")[-3000:])
        raise


def test_the_demo_is_not_told_to_a_production(demo: Demo) -> None:
    assert demo.refused(ENVIRONMENT="live").startswith("The demo runs with ENVIRONMENT=test alone")


def test_a_start_on_a_port_that_others_share_is_refused_in_one_line_before_anything_is_started(tmp_path):
    demo = Demo(tmp_path / "var")
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        server.bind(("127.0.0.1", demo.port))
        server.listen()
        assert demo.refused().startswith(f"Port {demo.port} is taken; ")
    assert [file.name for file in demo.folder.iterdir()] == ["demo.lock"]


def test_a_start_after_a_kill_amid_the_first_start_serves_in_a_folder_with_a_space_and_an_accent(demo, neighbour):
    first = demo.start()
    _wait(lambda: demo.says("Telling the story"), "the story", demo)
    first.kill()
    first.wait()
    left = demo.processes()
    assert left  # the process that records the story, and both servers, go on
    second = demo.start()
    _wait(lambda: demo.says("beat.1 "), "beat", demo)
    _wait(demo.serves, "the demo", demo)
    assert [process for process in left if process.is_running()] == []
    assert second.poll() is None


def test_the_demo_tells_learners_links_that_work_many_times_and_where_its_letters_lie(demo):
    found = json.loads((demo.folder / "demo.json").read_text())
    assert [len(each["learners"]) >= 2 for each in found["organizations"]] == [True, True]
    for learner in (each for organization in found["organizations"] for each in organization["learners"]):
        assert set(learner) == {"learner_profile_id", "person_name", "account_email", "link"}
        assert demo.says(learner["link"])
    for _ in range(2):
        with httpx.Client(follow_redirects=True, timeout=20) as browser:
            link = found["organizations"][0]["learners"][0]["link"]
            page = browser.get(link)
            token = re.search('name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
            assert token is not None
            home = browser.post(link, data={"csrfmiddlewaretoken": token[1]}, headers={"Referer": link})
            assert (home.status_code, home.url.path) == (200, "/learn/")
    assert Path(found["mailbox"]).is_dir()
    assert "Letters of the demo" in httpx.get(found["mailbox_url"]).text


def test_a_second_start_in_the_folder_is_refused_in_one_line_and_the_first_goes_on(demo):
    said = demo.refused()
    assert f"runs already, on http://127.0.0.1:{demo.port}." in said
    assert demo.serves()


def test_a_start_after_a_kill_of_the_serving_demo_ends_web_worker_and_beat_of_before(demo, neighbour):
    before = demo.processes()
    (parent,) = [process for process in before if process.pid == demo.started[-1].pid]
    parent.kill()
    demo.started[-1].wait()
    assert len([process for process in before if process.is_running()]) > len(THREE)
    assert demo.serves()  # the processes that were left behind still answer
    demo.start("sh", "-c", '"$@"; exit', "make")
    _wait(lambda: demo.says("beat.1 "), "beat", demo)
    _wait(demo.serves, "the demo", demo)
    assert [process for process in before if process.is_running() and process.status() != psutil.STATUS_ZOMBIE] == []
    assert neighbour.is_running()


def test_a_start_ends_a_demo_whose_terminal_was_killed_and_a_stop_leaves_nothing(demo, neighbour):
    demo.started[-1].kill()
    demo.started[-1].wait()
    with socket.socket(socket.AF_INET) as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        demo.port = server.getsockname()[1]
        assert demo.refused().startswith(f"Port {demo.port} is taken; ")
    assert demo.gone(), demo.processes()
    assert demo.says("Everything is stopped.")
    assert neighbour.is_running()
