"""What a pull keeps on disk: each register's rows as they arrive, and its progress."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from compliance import catalogue

REGISTERS = {register.name: register for register in reversed(catalogue.REGISTERS.values())}
"""By name; the largest come last, so that little has to be pulled again when the history moves on."""

Json = dict[str, Any]


@dataclass
class RegisterProgress:
    """The progress of one register's pull; written after each page, once its rows are on disk."""

    register: str
    rows: int = 0
    bytes: int = 0
    total: int = -1
    cursor: str | None = None
    snapshot: Json = field(default_factory=dict)
    done: bool = False
    skipped: bool = False

    @property
    def pin(self) -> tuple[int, int]:
        """The two sequences (`sequence`, `capture_sequence`) to which all pages of a pull belong."""
        return self.snapshot["sequence"], self.snapshot["capture_sequence"]


class Folder:
    """The last complete pull and the pull in progress; every change is complete on disk before the next begins."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pulling = folder / "pulling"
        self.pulling.mkdir(parents=True, exist_ok=True)

    @property
    def state(self) -> Json:
        """The last complete pull; empty before the first."""
        return self._read(self.folder / "state.json")

    @property
    def plan(self) -> Json:
        """The moments of the pull in progress; empty when there is none."""
        return self._read(self.pulling / "plan.json")

    def begin(self, plan: Json) -> None:
        """Begins a new pull and deletes what an earlier one left."""
        self.give_up()  # first: a plan whose files are half deleted would be gone on with
        for left in self.pulling.iterdir():
            left.unlink()
        self._write(self.pulling / "plan.json", plan)

    def give_up(self) -> None:
        """Ends the pull in progress, so that the next one begins anew; what came stays until then."""
        (self.pulling / "plan.json").unlink(missing_ok=True)

    def part(self, register: str) -> RegisterProgress:
        """The progress of a register, with its file cut back to the rows that are known to be complete."""
        kept = self._read(self.pulling / f"{register}.json")
        part = RegisterProgress(**kept) if kept else RegisterProgress(register)
        with (self.pulling / f"{register}.jsonl").open("ab") as file:
            file.truncate(part.bytes)
        return part

    def restart(self, register: str) -> RegisterProgress:
        """Deletes what was pulled of a register."""
        part = RegisterProgress(register)
        self._write(self.pulling / f"{register}.json", asdict(part))
        return self.part(register)

    def append(self, part: RegisterProgress, rows: list[Json]) -> None:
        """Writes the rows of a page, then the progress."""
        content = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows).encode()
        with (self.pulling / f"{part.register}.jsonl").open("ab") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.bytes += len(content)
        part.rows += len(rows)
        self.keep(part)

    def keep(self, part: RegisterProgress) -> None:
        """Writes the progress of a register."""
        self._write(self.pulling / f"{part.register}.json", asdict(part))

    def rows(self, register: str, *, pulled: bool = False) -> Iterator[Json]:
        """The rows of a register, of the pull in progress or of the last complete one."""
        place = (self.folder if pulled else self.pulling) / f"{register}.jsonl"
        if not place.exists():
            return
        with place.open(encoding="utf-8") as file:
            for line in file:
                yield json.loads(line)

    def keep_proof(self, name: str, content: bytes) -> None:
        """Keeps a proof beside the registers; proofs of other versions of the row stay."""
        folder = self.folder / "proofs"
        folder.mkdir(exist_ok=True)
        self._replace(folder / f"{name}.json", content)

    def publish(self, state: Json) -> None:
        """Moves the files of the registers that `state` counts into place. Repeated after a crash, it ends the same."""
        self._write(self.pulling / "publish.json", state)
        self.finish()

    def finish(self) -> bool:
        """Completes a publication that a crash interrupted; returns whether there was one."""
        state = self._read(self.pulling / "publish.json")
        if not state:
            return False
        for register in REGISTERS:
            part, place = self.pulling / f"{register}.jsonl", self.folder / f"{register}.jsonl"
            if register not in state["rows"]:
                place.unlink(missing_ok=True)  # not opened by the key: an empty or older file would be misread
            elif part.exists():
                part.replace(place)
        self._write(self.folder / "state.json", state)
        for left in sorted(self.pulling.iterdir(), key=lambda each: each.name == "publish.json"):
            left.unlink()
        return True

    def _read(self, path: Path) -> Json:
        try:
            found: Json = json.loads(path.read_bytes())
        except FileNotFoundError:
            return {}
        return found

    def _write(self, path: Path, content: Json) -> None:
        self._replace(path, json.dumps(content, indent=1).encode())

    def _replace(self, path: Path, content: bytes) -> None:
        temporary = path.with_name(path.name + ".new")
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
