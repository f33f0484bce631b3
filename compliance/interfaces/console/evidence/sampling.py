"""The sample of a pack: records that nobody can choose, drawn with the root of the signed log (docs/sample.md).

The rule needs nothing but the pack: records are sorted by the SHA-256 of the log's root, their register and their
identifier. So the sample of ten is the beginning of the sample of a hundred, and everybody who has the pack draws the
same sample.
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
"""How many records of each register are drawn; a smaller sample consists of the first ones."""

SAMPLED: tuple[Register, ...] = tuple(register for register in REGISTERS.values() if register.of_person)
"""The registers from which a sample is drawn: those whose rows are about a person."""


def place_of(root: str, register: str, record_id: str) -> str:
    """The sort key of a record in the sample: a digest; the smallest comes first."""
    return hashlib.sha256(f"{CONSTANT}\n{root}\n{register}\n{record_id}\n".encode()).hexdigest()


def draw(folder: Path) -> dict[str, Any]:
    """The sample of the pack whose files are in `folder`: the log's root and number of entries, and the records."""
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
    """The identifiers of a register's rows, read one line of its file at a time."""
    with (folder / "registers" / f"{register.file}.jsonl").open("rb") as lines:
        for line in lines:
            yield orjson.loads(line)[register.identity]
