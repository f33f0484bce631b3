"""The folder of a witness: its key, and the checkpoint of each log that it cosigned last.

A cosigned checkpoint is committed and flushed to disk before anyone gets the cosignature, and one transaction reads the
last one and stores the new one. So neither a kill nor a second request nor a second process with the same folder makes
a witness go back or cosign two histories. Only a folder that was restored from a copy or emptied could, so a key whose
memory is gone is not used again.
"""

import base64
import binascii
import hashlib
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from . import ed25519
from .cosignature import witness_key
from .errors import WitnessFolderRefused
from .signed_note import ED25519_COSIGNATURE, format_note, one_for_each_key, parse_note

LOCK_SECONDS = 10.0
_PRIVATE = "PRIVATE+KEY"


class WitnessMemory:
    """The folder of one witness. Safe in several threads and processes at once."""

    def __init__(self, folder: Path, key_name: str) -> None:
        """Open the folder, or make it with a new key at the first start.

        Raises WitnessFolderRefused for a folder that is incomplete or belongs to another name, and OSError and
        sqlite3.Error for one that cannot be read or written.
        """
        self.folder = folder
        self.key_name = key_name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        key_file = folder / "key"
        begun = key_file.exists()
        if begun and not self._database.exists():
            raise self._memory_lost()
        with self.exclusive() as state:
            known = state.execute("SELECT 1 FROM sqlite_master WHERE name = 'cosigned'").fetchone()
            if begun and not known:
                raise self._memory_lost()
            state.execute("CREATE TABLE IF NOT EXISTS cosigned (origin TEXT PRIMARY KEY, note TEXT NOT NULL)")
        with self.exclusive() as state:
            if not key_file.exists():
                if state.execute("SELECT 1 FROM cosigned").fetchone():
                    raise WitnessFolderRefused(f"The key of {folder} is missing: {key_file.name}.")
                self._write_new("key", _private_line(key_name, secrets.token_bytes(ed25519.SEED_BYTES)))
        self.seed = _seed(key_file.read_text(encoding="utf-8"), key_name, folder)

    @property
    def _database(self) -> Path:
        return self.folder / "cosigned.sqlite3"

    @contextmanager
    def exclusive(self) -> Iterator[sqlite3.Connection]:
        """Lock the memory; what was written is durable when the block ends, and rolled back when it raises.

        Raises sqlite3.Error, also when another process holds the lock for more than LOCK_SECONDS.
        """
        with closing(sqlite3.connect(self._database, timeout=LOCK_SECONDS, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = EXTRA")
            connection.execute("PRAGMA fullfsync = ON")  # macOS flushes to the disk itself only when asked to
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")

    def latest(self, origin: str, state: sqlite3.Connection | None = None) -> str | None:
        """Return the note that was cosigned last for a log, or None.

        It has one signature of each key, whatever the file holds: readers take no note with many. Raises NoteMalformed
        when the file holds something else than a note.
        """
        if state is None:
            with closing(sqlite3.connect(self._database, timeout=LOCK_SECONDS)) as connection:
                return self.latest(origin, connection)
        row = state.execute("SELECT note FROM cosigned WHERE origin = ?", (origin,)).fetchone()
        if row is None:
            return None
        kept = parse_note(str(row[0]), most=None)
        return format_note(kept.text, one_for_each_key(kept.signatures))

    def keep(self, origin: str, note: str, state: sqlite3.Connection) -> None:
        """Keep the note as the one that was cosigned last for its log."""
        state.execute("INSERT OR REPLACE INTO cosigned (origin, note) VALUES (?, ?)", (origin, note))

    def keep_evidence(self, origin: str, cosigned: str, other: str) -> Path | None:
        """Store two notes of one size with different roots, once per log; return the new file or None."""
        name = f"fork-{hashlib.sha256(origin.encode()).hexdigest()[:16]}.txt"
        if (self.folder / name).exists():
            return None
        return self._write_new(name, f"{cosigned}\n{other}")

    def _memory_lost(self) -> WitnessFolderRefused:
        return WitnessFolderRefused(
            f"{self.folder} has a key but not what was cosigned with it. Restore {self._database.name}, or begin with "
            "a new folder, a new key and a new name."
        )

    def _write_new(self, name: str, content: str) -> Path:
        """Write a file that only its owner may read; after a crash it is complete or does not exist."""
        new, path = self.folder / f"{name}.new", self.folder / name
        new.unlink(missing_ok=True)
        with open(
            os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8", newline="\n"
        ) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        if os.name == "posix":  # elsewhere a folder cannot be opened, and a rename is durable by itself
            directory = os.open(self.folder, os.O_RDONLY)
            try:
                os.fsync(directory)
            finally:
                os.close(directory)
        return path


def _private_line(key_name: str, seed: bytes) -> str:
    """A private key in the form of Go's note package: name, key hash, and type and seed."""
    encoded = base64.b64encode(ED25519_COSIGNATURE + seed).decode()
    return f"{_PRIVATE}+{key_name}+{witness_key(key_name, seed).key_hash().hex()}+{encoded}\n"


def _seed(line: str, key_name: str, folder: Path) -> bytes:
    """The seed of a private key. Raises WitnessFolderRefused when it is not one of this name."""
    try:
        seed = base64.b64decode(line.strip().split("+", 4)[-1], validate=True)[1:]
    except (binascii.Error, ValueError):
        seed = b""
    if len(seed) != ed25519.SEED_BYTES or line != _private_line(key_name, seed):
        raise WitnessFolderRefused(f"The key in {folder} is not one of the witness {key_name}.")
    return seed
