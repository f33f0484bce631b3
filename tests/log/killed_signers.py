"""Signers that are killed: `python -m tests.log.killed_signers lines|times ORG ...`, on the environment's database.

Each signer is a fork of this process that signs until SIGKILL ends it: with `lines`, once before each line of the room
that a signing executes, until one signer survives; with `times`, 25 times at random moments while a writer captures.
After each, its state is checked as by a starting web process. Prints one line of JSON: how many signers were killed,
and every checkpoint that anybody could have seen, as size and root.
"""

import json
import os
import random
import signal
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402 - these need the settings

from compliance import log  # noqa: E402
from compliance.history import actions  # noqa: E402
from compliance.history import queries as history  # noqa: E402
from compliance.log import folder, keys, queries, refusals, signing  # noqa: E402
from tests.companies import NOW, Company  # noqa: E402

ROOM = str(Path(log.__file__).parent)
TIMES = 25


def forked(work: Callable[[], object]) -> int:
    """Starts `work` in a process of its own, with connections of its own. Returns its id."""
    connection.close()
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return child


def grow(company: Company) -> None:
    company.join(f"Person {uuid.uuid4()}")
    actions.capture_all(company.organization_id, NOW)


def dying_at(line: int) -> Callable[[], None]:
    """A signing that is killed before the `line`th line that it executes in the room."""

    def work() -> None:
        left = line

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal left
            if not frame.f_code.co_filename.startswith(ROOM):
                return None
            if event == "line":
                left -= 1
                if left <= 0:
                    os.kill(os.getpid(), signal.SIGKILL)
            return trace

        sys.settrace(trace)
        signing.sign_new(datetime.now(UTC))
        sys.settrace(None)

    return work


def signing_once() -> None:
    signing.sign_new(datetime.now(UTC))


def signing_on() -> None:
    while True:
        signing.sign_new(datetime.now(UTC))


def killed_at_lines(companies: list[Company], step: int) -> Iterator[None]:
    line = 1
    while True:
        for company in companies:
            if queries.leaf_of(company.organization_id, history.head(company.organization_id).capture_sequence):
                grow(company)
        _, status = os.waitpid(forked(dying_at(line)), 0)
        yield
        if status == 0:
            return
        if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
            raise SystemExit(f"The signer ended with {status}.")
        line += step


def killed_at_times(companies: list[Company]) -> Iterator[None]:
    def write() -> None:
        while True:
            for company in companies:
                grow(company)

    # How long a signer takes to begin and to sign depends on the machine's other work, so kills are timed by that.
    began = time.monotonic()
    os.waitpid(forked(signing_once), 0)
    one = max(time.monotonic() - began, 0.05)
    writer = forked(write)
    try:
        for _ in range(TIMES):
            signer = forked(signing_on)
            time.sleep(random.uniform(one / 3, 5 * one))
            os.kill(signer, signal.SIGKILL)
            os.waitpid(signer, 0)
            yield
    finally:
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)


def seen() -> Iterator[tuple[int, str]]:
    """The checkpoints that readers of the folder and of the database see."""
    newest = queries.newest_checkpoint()
    for note in (folder.read(folder.CHECKPOINT), newest.note if newest else None):
        if note is not None:
            stated = keys.checked_checkpoint(note)
            yield stated.size, stated.root.hex()


def main(how: str, *organizations: str) -> None:
    companies = [Company(uuid.UUID(each)) for each in organizations]
    checkpoints: set[tuple[int, str]] = set()
    killed = 0
    deaths = killed_at_lines(companies, step=4) if how == "lines" else killed_at_times(companies)
    for _ in deaths:
        killed += 1
        refusals.refuse_other_log()
        checkpoints.update(seen())
    signing.sign_new(datetime.now(UTC))
    checkpoints.update(seen())
    json.dump({"killed": killed, "checkpoints": sorted(checkpoints)}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
