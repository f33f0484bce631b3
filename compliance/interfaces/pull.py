"""The reference client: pulls every register of one company to JSON Lines, and checks what it gets.

    SVC_KEY=svc_live_… python -m compliance.interfaces.pull --base-url https://svc.example --key-env SVC_KEY DIR

Small on purpose: httpx and the standard library, `compliance.catalogue` for what the registers are, `compliance.proofs`
to recompute digests; rich draws the bar; `pulled` keeps what has come on disk.
What it shows to whoever writes another client:

- compare `sequence` and `capture_sequence` of /v1/snapshot with the last complete pull; equal: nothing to do;
- follow `next_cursor` until it is null, and keep each page with its cursor before asking for the next, so that a
  pull that was killed goes on where it stopped (a cursor never expires);
- ask for compressed pages, and for the next one while this one is written: never for more, so memory stays that of two;
- hold every page to the pin of the first, every register to the same pin, and the rows to `total`;
- wait as long as `RateLimit` and `Retry-After` say; act on `code`, never on `detail`.

DIR holds one `<register>.jsonl` a register and `state.json`; files under `DIR/pulling` are a pull under way. With
`--prove N`, proofs of N rows taken at random are kept under `DIR/proofs`, and `--log-key LINE` verifies them.

With `--follow` it reads the feed of changes instead, and keeps a copy right under `DIR/followed` (`pull_follow`): every
60 seconds until it is stopped, or as `--every SECONDS` says; 0: once.
"""

import argparse
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from compliance.catalogue.declaration import Window
from compliance.catalogue.policies import ACKNOWLEDGEMENTS
from compliance.interfaces.pull_follow import follow
from compliance.interfaces.pull_proofs import prove
from compliance.interfaces.pull_service import ACCEPTED, FaultError, PullError, Service, StaleCursorError
from compliance.interfaces.pulled import REGISTERS, Folder, Json, RegisterProgress
from compliance.proofs.errors import NoteMalformed
from compliance.proofs.log_trust import log_trust
from compliance.proofs.pages import page_of
from compliance.proofs.verifier import verify

PERIOD = timedelta(days=400)
FRESH = timedelta(days=1)
"""Outcomes depend on the clock too, so for a moment a day away a pull is repeated although no fact has changed."""

ROUNDS = 5
DONE, AT_FAULT, FAILED = 0, 1, 2


def pull(
    service: Service,
    folder: Folder,
    now: datetime,
    say: Callable[[str], None],
    bar: Progress | None = None,
    limit: int = 200,
    exactly: bool = False,
) -> bool:
    """Brings the folder up to the company's latest snapshot; returns whether anything had to be done.

    `exactly`: the rows must be those at `now`; otherwise rows of less than a day ago, and the moment of a pull under
    way, will do. Raises PullError when the service refuses or fails, FaultError when the data breaks the contract;
    after that the next pull begins anew.
    """
    folder.finish()
    latest = service.get("/v1/snapshot")["snapshot"]
    last = folder.state
    if last and not folder.plan and _unchanged(last, latest, now, exactly):
        say("Nothing has changed since the last pull.")
        return False
    if folder.plan and folder.plan["organization_id"] != latest["organization_id"]:
        raise PullError("The pull under way is of another company. Use another folder.")
    if last and last["organization_id"] != latest["organization_id"]:
        raise PullError("The folder holds another company. Use another folder.")
    if not folder.plan or (exactly and folder.plan["as_at"] != _text(now)):
        start = max(now - PERIOD, _instant(latest["history_complete_from"]))
        folder.begin(
            {"organization_id": latest["organization_id"], "as_at": _text(now), "from": _text(min(start, now))}
        )
    plan = folder.plan
    try:
        parts = _pull_to_one_pin(service, folder, plan, limit, bar)
        _check(folder, parts, last, plan)
    except FaultError:
        folder.give_up()  # what is on disk would be found faulty for ever, even once the service is mended
        raise
    whole = [part for part in parts if not part.skipped]
    pins = {part.pin for part in whole}
    for part in parts:
        if part.skipped:
            say(f"{part.register}: the key lacks the scope.")
    if not whole:
        raise PullError("The key opens no register.")
    snapshot = whole[0].snapshot
    folder.publish(
        {
            "organization_id": snapshot["organization_id"],
            "deployment_id": snapshot["deployment_id"],
            "as_at": plan["as_at"],
            "sequence": snapshot["sequence"],
            "capture_sequence": snapshot["capture_sequence"],
            "chain_hash": snapshot["chain_hash"],
            "rows": {part.register: part.rows for part in whole},
            "receipts": _tail(folder, whole, last),
        }
    )
    say(f"Pulled {sum(part.rows for part in whole)} rows up to sequence {min(pins)[0]}.")
    return True


def _unchanged(last: Json, latest: Json, now: datetime, exactly: bool) -> bool:
    moved = (last["sequence"], last["capture_sequence"]) != (latest["sequence"], latest["capture_sequence"])
    away = abs(now - _instant(last["as_at"]))
    return not moved and (not away if exactly else away < FRESH)


def _pull_to_one_pin(
    service: Service, folder: Folder, plan: Json, limit: int, bar: Progress | None
) -> list[RegisterProgress]:
    """Pulls every register; registers with an older pin than the newest are pulled again, so that all share one pin."""
    for _ in range(ROUNDS):
        parts = [_pull_register(service, folder, register, plan, limit, bar) for register in REGISTERS]
        whole = [part for part in parts if not part.skipped]
        newest = max((part.pin for part in whole), default=(0, 0))
        behind = [part for part in whole if part.pin != newest]
        if not behind:
            return parts
        for part in behind:
            folder.restart(part.register)
    folder.give_up()  # the newest pin may be one that a restored history does not have
    raise PullError(f"The company's history moved during each of {ROUNDS} rounds. Try again.")


def _pull_register(
    service: Service, folder: Folder, register: str, plan: Json, limit: int, bar: Progress | None
) -> RegisterProgress:
    part = folder.part(register)
    task = None if bar is None else bar.add_task(register, total=None, completed=part.rows)
    path, following = f"/v1/{register}", None
    while not (part.done or part.skipped):
        parameters = _parameters(register, plan) if part.cursor is None else {"cursor": part.cursor}
        try:
            page = following.result() if following else service.get(path, parameters | {"limit": str(limit)})
        except StaleCursorError:
            part, following = folder.restart(register), None
            continue
        except PullError as error:
            if error.code != "insufficient_scope":
                raise
            part.skipped = True  # not kept: a pull that goes on may do so with a key that opens it
            break
        _accept(part, page)
        following = service.ahead(path, {"cursor": part.cursor, "limit": str(limit)}) if part.cursor else None
        folder.append(part, page["data"])
        if bar is not None and task is not None:
            bar.update(task, total=part.total, completed=part.rows)
    return part


def _parameters(register: str, plan: Json) -> dict[str, str]:
    window = REGISTERS[register].window
    parameters = {} if window.end is None else {window.end: plan["as_at"]}
    return parameters | ({"from": plan["from"]} if window is Window.PERIOD else {})


def _accept(part: RegisterProgress, page: Json) -> None:
    """Compares a page with the ones before it and records the progress."""
    if part.total < 0:
        part.total, part.snapshot = page["total"], page["snapshot"]
    elif (page["total"], _pinned(page["snapshot"])) != (part.total, _pinned(part.snapshot)):
        raise FaultError(f"{part.register}: a page has another total or pin than the first.")
    part.cursor = page["next_cursor"]
    part.done = part.cursor is None
    pulled = part.rows + len(page["data"])
    if pulled > part.total or (part.done and pulled != part.total):
        raise FaultError(f"{part.register}: {pulled} rows came, but total says {part.total}.")


def _pinned(snapshot: Json) -> Json:
    """What the pages of a pull have in common; while a release is rolled out, they may date its logic differently."""
    return snapshot | {"logic": snapshot["logic"]["version"]}


def _check(folder: Folder, parts: list[RegisterProgress], last: Json, plan: Json) -> None:
    """Checks all that can be checked without the service. Raises FaultError."""
    for part in parts:
        if part.skipped:
            continue
        seen: set[str] = set()
        for row in folder.rows(part.register):
            identity = row[REGISTERS[part.register].identity]
            if identity in seen:
                raise FaultError(f"{part.register}: {identity} came twice.")
            seen.add(identity)
            if row.get("sequence", 0) > part.snapshot["sequence"]:
                raise FaultError(f"{part.register}: {identity} lies behind the pin.")
            if row.get("organization_id", part.snapshot["organization_id"]) != part.snapshot["organization_id"]:
                raise FaultError(f"{part.register}: {identity} is another company's.")
        if len(seen) != part.total:
            raise FaultError(f"{part.register}: {len(seen)} rows were kept, but total says {part.total}.")
    pages = [
        page_of(
            f"{part.register}.jsonl",
            {"data": list(folder.rows(part.register)), "total": part.total, "snapshot": part.snapshot},
        )
        for part in parts
        if REGISTERS[part.register].signed and not part.skipped
    ]
    faults = verify(pages).faults
    if faults:
        raise FaultError("\n".join(str(fault) for fault in faults[:20]))
    _check_prefix(folder, parts, last, plan)


def _check_prefix(folder: Folder, parts: list[RegisterProgress], last: Json, plan: Json) -> None:
    """The receipts of the last pull must still be the beginning of the chain, as far as the key still opens it.

    There may be fewer only if this pull is of an earlier moment.
    """
    number, digest = (last.get("receipts") or [0, ""])[:2]
    if number == 0 or not _has_receipts(parts):
        return
    for position, row in enumerate(folder.rows(ACKNOWLEDGEMENTS.name), start=1):
        if position == number:
            if row["receipt_sha256"] != digest:
                break
            return
    else:
        if _instant(plan["as_at"]) < _instant(last["as_at"]):
            return
    raise FaultError(f"{ACKNOWLEDGEMENTS.name}: the chain no longer begins with the receipts of the last pull.")


def _tail(folder: Folder, parts: list[RegisterProgress], last: Json) -> list[Any]:
    """How many receipts there are, and the digest of the last one; as they were where the key does not open them."""
    number, digest = 0, ""
    if not _has_receipts(parts):
        return list(last.get("receipts") or [number, digest])
    for row in folder.rows(ACKNOWLEDGEMENTS.name):
        number, digest = number + 1, row["receipt_sha256"]
    return [number, digest]


def _has_receipts(parts: list[RegisterProgress]) -> bool:
    return any(part.register == ACKNOWLEDGEMENTS.name and not part.skipped for part in parts)


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _with_offset(text: str) -> datetime:
    found = _instant(text)
    if found.tzinfo is None:
        raise ValueError
    try:
        _text(found), _text(found - PERIOD)
    except OverflowError as error:  # at the ends of the calendar
        raise ValueError from error
    return found


def _seconds(text: str) -> float:
    found = float(text)
    if not 0 <= found <= threading.TIMEOUT_MAX:  # what is not a number compares as false
        raise ValueError
    return found


def _base_url(text: str) -> httpx.URL:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL as error:
        raise ValueError from error
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError
    return url


def main(arguments: list[str] | None = None) -> int:
    """The command. Exit status: 0 done or nothing to do, 1 faulty data, 2 the pull could not go on."""
    parser = argparse.ArgumentParser(prog="python -m compliance.interfaces.pull", description=__doc__.split("\n")[0])
    parser.add_argument("--base-url", type=_base_url, required=True)
    parser.add_argument("--key-env", required=True, help="Name of the environment variable that holds the API key.")
    parser.add_argument("--as-at", type=_with_offset, help="RFC 3339 instant; now, unless said otherwise.")
    parser.add_argument(
        "--limit", type=int, default=1000, help="Rows a page. The service gives at most 200, with --follow 1,000."
    )
    parser.add_argument("--prove", type=int, default=0, metavar="N", help="Fetch and keep proofs of N rows, at random.")
    parser.add_argument("--log-key", metavar="LINE", help="The verifier key of the log, which the proofs must bear.")
    parser.add_argument("--follow", action="store_true", help="Keep a copy right by the feed, under DIR/followed.")
    parser.add_argument("--every", type=_seconds, default=60, metavar="SECONDS", help="How often to look; 0: once.")
    parser.add_argument("folder", type=Path, metavar="DIR")
    chosen = parser.parse_args(arguments)
    console = Console(stderr=True, soft_wrap=True)  # a line of a log or a path is not cut in two

    def say(line: str) -> None:
        console.print(line, markup=False, highlight=False)

    key = os.environ.get(chosen.key_env, "").strip()
    if not (key and key.isascii() and key.isprintable()):
        console.print(f"The environment variable {chosen.key_env} holds no key.", markup=False)
        return FAILED
    try:
        trust = log_trust(chosen.log_key)
    except NoteMalformed as error:
        console.print(str(error), markup=False)
        return FAILED
    headers = {"Authorization": f"Bearer {key}", "User-Agent": "svc-pull/1", "Accept-Encoding": ACCEPTED}
    try:
        with ExitStack() as stack:
            client = stack.enter_context(httpx.Client(base_url=chosen.base_url, headers=headers, timeout=60))
            if chosen.follow:
                follow(Service(client), chosen.folder, say, limit=chosen.limit, wait=lambda: _wait(chosen.every))
                return DONE
            bar = None
            if console.is_terminal:
                columns = (
                    TextColumn("{task.description:<18}"),
                    BarColumn(),
                    MofNCompleteColumn(),
                    TimeRemainingColumn(),
                )
                bar = stack.enter_context(Progress(*columns, console=console))
            service, folder = Service(client), Folder(chosen.folder)
            moment = chosen.as_at or datetime.now(UTC)
            pull(service, folder, moment, say, bar, chosen.limit, exactly=chosen.as_at is not None)
            if chosen.prove > 0:
                prove(service, folder, chosen.prove, trust, say)
    except FaultError as error:
        console.print(str(error), markup=False)
        return AT_FAULT
    except (PullError, OSError, sqlite3.Error) as error:  # a full disk, a folder that another run uses
        console.print(str(error), markup=False)
        return FAILED
    except KeyboardInterrupt:  # whatever was read is kept
        return DONE
    return DONE


def _wait(seconds: float) -> bool:
    """Whether to look again, after this many seconds."""
    if seconds == 0:
        return False
    time.sleep(seconds)
    return True


if __name__ == "__main__":
    sys.exit(main())
