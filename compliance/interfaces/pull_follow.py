"""`--follow` of the reference client: a copy that the feed of changes keeps up to date (docs/feed.md).

DIR/followed/feed.sqlite holds, for every record, its versions by the moment from which each holds, and the cursor. A
page and its cursor are written in one transaction, so a copy that was killed at any point goes on from there. At the
end of a reading, DIR/followed/<register>.jsonl are rewritten where something changed: one line for each present record.

What it shows to whoever writes another consumer:

- a version is stored by register, id and `valid_from`, and the greatest `sequence` wins, so that reading a page
  twice does no harm, a late fact replaces what it changes, and an erasure takes the name out of every version;
- in force is, of each id, the version with the greatest `valid_from`; a record whose version is `removed` is absent;
- `invalid_cursor` means that the company's history is not the one that was read: the copy begins again.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from compliance.interfaces.pull_service import FaultError, PullError, Service, StaleCursorError
from compliance.interfaces.pulled import REGISTERS, Json

_TABLES = """
CREATE TABLE IF NOT EXISTS reading (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS version (
    register TEXT NOT NULL, id TEXT NOT NULL, valid_from TEXT NOT NULL, sequence INTEGER NOT NULL,
    removed INTEGER NOT NULL, content TEXT NOT NULL, PRIMARY KEY (register, id, valid_from)) WITHOUT ROWID;
"""
_PUT = """
INSERT INTO version (register, id, valid_from, sequence, removed, content) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (register, id, valid_from) DO UPDATE
    SET sequence = excluded.sequence, removed = excluded.removed, content = excluded.content
    WHERE excluded.sequence > sequence
"""
_IN_FORCE = """
SELECT content FROM version v WHERE register = ? AND NOT removed AND NOT EXISTS (
    SELECT 1 FROM version later WHERE later.register = v.register AND later.id = v.id
        AND later.valid_from > v.valid_from)
ORDER BY id
"""


class Copy:
    """What was read, in one SQLite file. Overwritten data is erased from the file, because it may be a name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "followed"
        self.folder.mkdir(parents=True, exist_ok=True)
        self._store = sqlite3.connect(self.folder / "feed.sqlite", isolation_level=None)
        self._store.execute("PRAGMA secure_delete = ON")
        self._store.execute("PRAGMA synchronous = FULL")
        self._store.executescript(_TABLES)

    def close(self) -> None:
        """Closes the file."""
        self._store.close()

    def read(self, name: str) -> str | None:
        """A value that is kept beside the versions; null when there is none of that name."""
        found = self._store.execute("SELECT value FROM reading WHERE name = ?", [name]).fetchone()
        return None if found is None else str(found[0])

    def put(self, page: Json) -> None:
        """Stores a page and the cursor after it in one transaction; the registers of `page` are marked as changed."""
        with self._transaction():
            self._store.executemany(
                _PUT,
                (
                    (each["register"], each["id"], each["valid_from"], each["sequence"], each["removed"], _row(each))
                    for each in page["data"]
                ),
            )
            changed = set(self.changed) | {each["register"] for each in page["data"]}
            self._keep("changed", ",".join(sorted(changed)))
            self._keep("organization_id", page["snapshot"]["organization_id"])
            if page["data"]:
                self._keep("sequence", str(page["data"][-1]["sequence"]))
            self._keep("cursor", page["next_cursor"])

    def empty(self) -> None:
        """Removes all versions; the written files stay until a new reading is complete."""
        with self._transaction():
            self._store.execute("DELETE FROM version")
            self._store.execute("DELETE FROM reading")
            self._keep("changed", ",".join(sorted(REGISTERS)))

    @property
    def changed(self) -> list[str]:
        """The registers that have changed since they were written out."""
        return [each for each in (self.read("changed") or "").split(",") if each]

    def write_out(self) -> dict[str, int]:
        """Writes the registers that have changed, a line for each record; returns how many lines each has."""
        written = {}
        for register in self.changed:
            path = self.folder / f"{register}.jsonl"
            new = path.with_name(path.name + ".new")
            with new.open("w", encoding="utf-8") as file:
                written[register] = 0
                for (content,) in self._store.execute(_IN_FORCE, [register]):
                    file.write(f"{content}\n")
                    written[register] += 1
                file.flush()
                os.fsync(file.fileno())
            new.replace(path)
        with self._transaction():
            self._keep("changed", "")
        return written

    def _keep(self, name: str, value: str) -> None:
        self._store.execute("INSERT OR REPLACE INTO reading (name, value) VALUES (?, ?)", [name, value])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._store.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._store.execute("ROLLBACK")
            raise
        self._store.execute("COMMIT")


def follow(
    service: Service,
    folder: Path,
    say: Callable[[str], None],
    *,
    limit: int = 1000,
    wait: Callable[[], bool] = lambda: False,
) -> int:
    """Reads the feed to its end, again while `wait` returns true; returns how many versions came in all.

    Raises PullError when the service refuses or fails, FaultError when the data breaks what the feed promises.
    """
    came = 0
    with closing(Copy(folder)) as copy:
        while True:
            new = _read_to_the_end(service, copy, say, limit)
            if new or copy.changed:
                written = copy.write_out()
                rows = ", ".join(f"{register}: {number}" for register, number in written.items())
                say(f"{new} versions up to sequence {copy.read('sequence') or 0}. {rows}")
            came += new
            if not wait():
                return came


def _read_to_the_end(service: Service, copy: Copy, say: Callable[[str], None], limit: int) -> int:
    came = 0
    while True:
        cursor = copy.read("cursor")
        parameters = {"limit": str(limit)} | ({} if cursor is None else {"cursor": cursor})
        try:
            page = service.get("/feed/v1/changes", parameters)
        except StaleCursorError:
            _check_company(service.get("/v1/snapshot"), copy)
            say("The company's history is another one than was read: the copy begins anew.")
            copy.empty()
            came = 0
            continue
        except PullError as error:
            if error.code == "insufficient_scope":
                hint = "The key does not open all that the copy holds. Give it the scope again, or use another folder."
                raise PullError(f"{error} {hint}", error.code) from None
            raise
        _check(page, copy)
        if page["data"] or cursor is None:
            copy.put(page)
        came += len(page["data"])
        if page["at_end"]:
            return came


def _check(page: Json, copy: Copy) -> None:
    """Compares a page with what the feed promises. Raises FaultError."""
    _check_company(page, copy)
    before = int(copy.read("sequence") or 0)
    for each in page["data"]:
        if each["sequence"] <= before:
            raise FaultError(f"The version {each['sequence']} comes behind {before}.")
        before = each["sequence"]
    if before > page["snapshot"]["sequence"]:
        raise FaultError(f"The version {before} lies behind the snapshot.")
    if not page["next_cursor"]:
        raise FaultError("A page has no cursor.")


def _check_company(answer: Json, copy: Copy) -> None:
    """Raises PullError for an answer about another company than the copy holds."""
    if copy.read("organization_id") not in (None, answer["snapshot"]["organization_id"]):
        raise PullError("The folder holds another company. Use another folder.")


def _row(change: Json) -> str:
    """A version as a line: its own members, then the stored fields and the basis."""
    own = {name: value for name, value in change.items() if name not in ("fields", "basis")}
    row = own | change["fields"] | change.get("basis", {})
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))
