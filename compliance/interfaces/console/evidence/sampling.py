"""The sample of a pack: records that nobody chose, drawn by the root of the signed log (docs/sample.md).

The rule needs the pack and nothing else: records go by the SHA-256 of the log's root, their register and their own
identifier, the smallest first. So the sample of ten is the beginning of the sample of a hundred, and whoever has the
pack draws the same.
"""

import hashlib
import heapq
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from compliance.catalogue import REGISTERS
from compliance.catalogue.declaration import Register

CONSTANT = "svc.sample/1"
DRAWN = 100
"""How many records of each register are drawn; a smaller sample is the first of them."""

SAMPLED: tuple[Register, ...] = tuple(register for register in REGISTERS.values() if register.of_person)
"""The registers of which a sample is drawn: those whose rows are about a person."""


def place_of(root: str, register: str, record_id: str) -> str:
    """The place of a record in the order of the sample: a digest, the smallest first."""
    return hashlib.sha256(f"{CONSTANT}\n{root}\n{register}\n{record_id}\n".encode()).hexdigest()


def draw(folder: Path) -> dict[str, Any]:
    """The sample of the pack whose files are in `folder`: the root, how many entries the log had, and the records."""
    checkpoint = orjson.loads((folder / "log.json").read_bytes())["checkpoint"].split("\n")
    root = checkpoint[2]
    return {
        "root": root,
        "size": int(checkpoint[1]),
        "records": {register.name: _first(folder, register, root) for register in SAMPLED},
    }


def _first(folder: Path, register: Register, root: str) -> list[str]:
    drawn = heapq.nsmallest(DRAWN, ((place_of(root, register.name, each), each) for each in _records(folder, register)))
    return [record_id for _, record_id in drawn]


def _records(folder: Path, register: Register) -> Iterator[str]:
    """The identifiers of a register's rows, one line of its file held at a time."""
    with (folder / "registers" / f"{register.file}.jsonl").open("rb") as lines:
        for line in lines:
            yield orjson.loads(line)[register.identity]
