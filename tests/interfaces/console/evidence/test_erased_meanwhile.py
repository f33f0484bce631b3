"""Attacks with threads and real connections: an erasure at every moment of the building of a pack.

In every interleaving, no address serves the name once the erasure is committed, and no object holds it once the worker
has removed the pack.
"""

import io
import os
import shutil
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections
from django.urls import reverse
from django.utils import timezone

from compliance.facts.people.erasing import erase_person
from compliance.files import actions, pieces, places
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.evidence import building, keeping, tasks, validating
from compliance.interfaces.console.evidence.errors import OutlivedError
from compliance.interfaces.console.evidence.models import Pack
from compliance.interfaces.console.evidence.subject import Subject, subject
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER
from compliance.tenancy import context
from tests.interfaces.console.companies import Full, full_company
from tests.interfaces.console.conftest import make_staff, signed_in

NAME = b"Person 001"


@pytest.fixture
def full(committed, log_folder, monkeypatch) -> Full:
    """A company whose packs have several parts, with the erased person's name on many pages."""
    monkeypatch.setattr(pieces, "PIECE_BYTES", 20_000)
    monkeypatch.setattr(keeping, "PIECES_A_LOOK", 1)
    return full_company(4, "Erased meanwhile")


class Attack:
    """One company, a pack requested over HTTP, and what can still be read of it."""

    def __init__(self, full: Full) -> None:
        self.organization_id = full.company.organization_id
        self.person = full.people[1].learner_profile_id
        self.client = signed_in(make_staff(f"auditor-{self.organization_id}", AUDITOR))
        self.job_id = ""

    def address(self, name: str, **values: Any) -> str:
        return reverse(f"console:{name}", kwargs={"organization_id": self.organization_id} | values)

    def ask(self) -> None:
        today = timezone.now().date().isoformat()
        first = (timezone.now().date() - timedelta(days=90)).isoformat()
        answer = self.client.post(self.address("evidence-build"), {"from": first, "to": today})
        assert answer.status_code == 302, answer.content
        self.job_id = answer.headers["Location"].rstrip("/").split("/")[-1]

    def build(self) -> None:
        tasks.build(str(self.organization_id), self.job_id)

    def erase(self) -> None:
        erase_person(organization_id=self.organization_id, learner_profile_id=self.person, at=timezone.now())

    def forget(self) -> None:
        """What the worker does after an erasure."""
        tasks.forget_of(str(self.organization_id))

    def served(self) -> bool:
        """Whether the address of the pack serves the name."""
        answer = self.client.get(self.address("evidence-file", job_id=self.job_id))
        if answer.status_code != 200:
            return False
        return holds_name(answer.getvalue())

    def left(self) -> tuple[int, int]:
        with context.company(self.organization_id):
            packs = Pack.objects.filter(organization_id=self.organization_id).count()
        actions.clear(self.organization_id, timezone.now())
        with places.storage("folder") as storage:
            return packs, len(list(storage.found(f"{self.organization_id}/")))

    def state(self) -> str:
        with context.company(self.organization_id):
            return Job.objects.get(organization_id=self.organization_id, job_id=self.job_id).state


@pytest.fixture
def attack(full) -> Attack:
    return Attack(full)


def holds_name(packed: bytes) -> bool:
    with zipfile.ZipFile(io.BytesIO(packed)) as pack:
        return any(NAME in pack.read(name) for name in pack.namelist())


@contextmanager
def beside(work: Callable[[], object]) -> Iterator[threading.Thread]:
    """Runs `work` in a thread with its own connection, and waits for its end."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised again in the waiting thread
            raised.append(error)
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    yield thread
    thread.join(60)
    assert not thread.is_alive()
    assert not raised, raised


def waiting_for_a_lock() -> None:
    """Returns once a statement of another connection waits."""
    for _ in range(600):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                " WHERE NOT l.granted AND d.datname = current_database()"
            )
            if cursor.fetchone()[0]:
                return
        time.sleep(0.05)
    raise AssertionError("Nobody waits.")


def test_a_pack_without_an_erasure_is_served_with_its_names(attack):
    attack.ask()
    attack.build()
    assert attack.served()


def test_an_erasure_that_commits_after_the_pack_was_built_but_bears_an_earlier_moment(attack):
    """The erasure's moment is before the pack was begun, but the names still existed when the pack read them."""
    begun, commit = threading.Event(), threading.Event()

    def erase() -> None:
        with context.company(attack.organization_id):
            attack.erase()
            begun.set()
            assert commit.wait(60)

    with beside(erase):
        assert begun.wait(60)
        attack.ask()
        attack.build()
        commit.set()
    assert not attack.served()
    attack.forget()
    assert attack.left() == (0, 0)


def test_an_erasure_before_a_built_pack_is_kept_and_the_forgetting_at_once(attack):
    """Writing its file is blocked while the person is erased and the worker removes the pack."""
    attack.ask()
    with context.company(attack.organization_id):
        with connection.cursor() as cursor:
            cursor.execute("LOCK TABLE files_keptfile IN SHARE MODE")
        builder = beside(attack.build)
        builder.__enter__()
        waiting_for_a_lock()
        attack.erase()
    forgetter = beside(attack.forget)
    forgetter.__enter__()
    forgetter.__exit__(None, None, None)
    builder.__exit__(None, None, None)
    assert not attack.served()
    attack.forget()
    assert attack.left() == (0, 0)
    assert attack.state() == Job.State.FAILED


def test_an_erasure_before_the_worker_begins_ends_the_job_and_says_so(attack):
    attack.ask()
    attack.erase()
    attack.forget()
    attack.build()
    assert attack.state() == Job.State.FAILED
    with context.company(attack.organization_id):
        assert Job.objects.get(job_id=attack.job_id).message.startswith("The pack was forgotten before it was built.")
    assert attack.left() == (0, 0)


def test_an_erasure_while_the_registers_are_read(attack):
    attack.ask()
    with beside(attack.build):
        attack.erase()
    assert not attack.served()
    attack.forget()
    assert attack.left() == (0, 0)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0])
def test_an_erasure_at_any_share_of_the_way(attack, share):
    """At each share of the duration of an earlier build, the person is erased and the worker removes the pack."""
    about = _subject(attack)
    began = time.monotonic()
    building.build(about, Path(tempfile.gettempdir()) / f"{attack.organization_id}.zip").size
    lasts = time.monotonic() - began
    (Path(tempfile.gettempdir()) / f"{attack.organization_id}.zip").unlink()
    attack.ask()
    with beside(attack.build):
        time.sleep(lasts * share)
        attack.erase()
        attack.forget()
        assert not attack.served()
    assert not attack.served()
    attack.forget()
    assert attack.left() == (0, 0)


def test_a_download_under_way_ends_at_the_erasure(attack):
    attack.ask()
    attack.build()
    answer = attack.client.get(attack.address("evidence-file", job_id=attack.job_id))
    taken = iter(answer.streaming_content)
    next(taken)
    attack.erase()  # and the worker has not run yet
    with pytest.raises(NothingThereError):
        list(taken)


def test_the_command_leaves_no_file_when_somebody_is_erased_meanwhile(attack, tmp_path):
    output = tmp_path / "pack.zip"
    output.write_bytes(b"what was there before")

    def progress(done: int, total: int) -> None:
        if done == total:
            with beside(attack.erase):
                pass

    with pytest.raises(OutlivedError):
        building.build(_subject(attack), output, progress)
    assert output.read_bytes() == b"what was there before"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(("evidence-", "pack"))] == ["pack.zip"]


def test_a_draft_that_an_erasure_outlived_cannot_be_confirmed(attack):
    """A draft is removed even if its moment is later than that of the erasure, which commits after it."""
    begun, commit = threading.Event(), threading.Event()
    manager = signed_in(make_staff(f"manager-{attack.organization_id}", COMPLIANCE_MANAGER))
    address = attack.address("act-invite")

    def erase() -> None:
        with context.company(attack.organization_id):
            attack.erase()
            begun.set()
            assert commit.wait(60)

    with beside(erase):
        assert begun.wait(60)
        told = {"work_email": "p@example.org", "person_name": NAME.decode(), "step": "preview"}
        shown = manager.post(address, told)
        with context.company(attack.organization_id):
            draft = Job.objects.get(organization_id=attack.organization_id, state=Job.State.DRAFT)
        assert shown.status_code == 200
        commit.set()
    answer = manager.post(address, told | {"step": "confirm", "job": draft.job_id, "reason": "as asked"})
    assert answer.status_code == 422
    attack.forget()
    with context.company(attack.organization_id):
        assert not Job.objects.filter(organization_id=attack.organization_id, state=Job.State.DRAFT).exists()


def test_what_a_killed_builder_left_on_the_disk_goes_and_what_is_being_built_stays(attack, tmp_path, monkeypatch):
    disk = tmp_path / "disk"
    disk.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(disk))
    attack.ask()
    builder = beside(attack.build)
    with context.company(attack.organization_id):
        with connection.cursor() as cursor:
            cursor.execute("LOCK TABLE files_keptfile IN SHARE MODE")
        builder.__enter__()
        waiting_for_a_lock()
        (under_way,) = disk.iterdir()
        left = Path(shutil.copytree(under_way, f"{under_way}-left"))
        assert any(holds_name(pack.read_bytes()) for pack in left.glob("*.zip"))
        os.utime(left, (0, 0))
        tasks.forget()
        assert list(disk.iterdir()) == [under_way]
    builder.__exit__(None, None, None)
    assert attack.served()


def test_the_verifier_writes_nowhere_but_beside_the_pack(attack, tmp_path, monkeypatch):
    pack = tmp_path / "pack.zip"
    building.build(_subject(attack), pack)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no such folder"))
    assert validating.validate(pack).holds


def _subject(attack: Attack) -> Subject:
    today = timezone.now().date()
    return subject(attack.organization_id, today - timedelta(days=90), today, now=timezone.now())
