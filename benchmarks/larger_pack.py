"""Makes a pack larger by repeating its records and people, to measure how much memory its verification takes.

Importing a company of millions of versions takes an hour, and the verifier's memory depends only on the numbers of
versions, records and people. So the records of a real pack are repeated with other identifiers and sequences, under one
capture, a log of one entry and a manifest, signed with a key of this program. Policy versions, receipts and courses are
not repeated. Run: python -m benchmarks.larger_pack PACK.zip TIMES OUTPUT.zip; it prints the log's key.
"""

import hashlib
import json
import re
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from compliance.interfaces.console.evidence import packing
from compliance.proofs import cells
from compliance.proofs.history import TREE_CAPTURE_CONSTANT, tree_capture_digest, tree_capture_lines
from compliance.proofs.log import LogCheckpoint
from compliance.proofs.merkle import CompactRange, leaf_hash
from compliance.proofs.note_keys import NoteSigner
from compliance.proofs.pack_archive import Archive
from compliance.proofs.pack_captures import KEY_SUFFIX, manifest_text
from compliance.proofs.pack_history import Leaves, read_versions
from compliance.proofs.pack_registers import READINGS, REGISTERS, Role

ORIGIN = "larger.example.com/log"
SEED = hashlib.sha256(b"larger pack").digest()
ONCE = tuple(
    register for register, readings in READINGS.items() if readings[0].role in (Role.COURSE, Role.POLICY, Role.RECEIPT)
)
ANEW = ("SHA256SUMS", "manifest.txt", "log.json", "log-key.txt", "pack.json", "history/captures.jsonl")
_UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SEQUENCE = re.compile(rb'"sequence":([0-9]+)')
_RECORDED_AT = re.compile(rb'"recorded_at":"[^"]+"')


class Larger:
    """The folder of a pack that has most records of another pack `times` times."""

    def __init__(self, pack: zipfile.ZipFile, times: int, folder: Path) -> None:
        self.pack, self.times, self.folder = pack, times, folder
        self.about: dict[str, Any] = json.loads(pack.read("pack.json"))
        self.size: int = self.about["pin"]["sequence"]
        shared = [name for name in pack.namelist() if name.endswith(("/courses.jsonl", "/policies.jsonl"))]
        self.kept = {found for name in shared for found in _UUID.findall(pack.read(name))}
        self.kept.update(
            self.about[name].encode() for name in ("organization_id", "deployment_id", "learning_space_id")
        )
        once = {
            int(match[1]) for register in ONCE for match in _SEQUENCE.finditer(pack.read(f"history/{register}.jsonl"))
        }
        repeated = [sequence for sequence in range(1, self.size + 1) if sequence not in once]
        self.repeated = len(repeated)
        self.rank = {sequence: number for number, sequence in enumerate(repeated, 1)}
        self.sequence = self.size + (times - 1) * self.repeated

    def write(self) -> str:
        """Writes all files; returns the verifier key of the log."""
        for name in self.pack.namelist():
            target = self.folder / name
            target.parent.mkdir(exist_ok=True)
            if name in ANEW or (name.endswith(".csv") and Path(name).stem not in ONCE):
                continue
            with self.pack.open(name) as lines, target.open("wb") as output:
                output.writelines(map(self._captured, lines) if name.endswith(".jsonl") else lines)
            if name == "identities.jsonl":
                self._repeat_identities(target)
            elif name.endswith(".jsonl") and Path(name).stem not in ONCE:
                self._repeat(name, target)
        return self._state()

    def _repeat(self, name: str, target: Path) -> None:
        with target.open("ab") as output:
            for copy in range(1, self.times):
                with self.pack.open(name) as lines:
                    output.writelines(self._renamed(copy, line) for line in lines)
        if name.startswith("registers/"):
            with self.pack.open(name.replace(".jsonl", ".csv")) as table:
                heading = table.readline()
            columns = heading.decode("utf-8-sig").rstrip().split(",")
            with target.open("rb") as lines, target.with_suffix(".csv").open("wb") as output:
                output.write(heading)
                for row in map(json.loads, lines):
                    output.write(cells.line(row[column] for column in columns).encode())

    def _repeat_identities(self, target: Path) -> None:
        """Writes the names of all copies of one register before those of the next register."""
        content = self.pack.read(target.name).splitlines(keepends=True)
        with target.open("wb") as output:
            for register in REGISTERS:
                own = [line for line in content if json.loads(line)["register"] == register]
                output.writelines(own)
                for copy in range(1, self.times):
                    output.writelines(self._renamed(copy, line) for line in own)

    def _captured(self, line: bytes) -> bytes:
        """A line as it is when all versions are of one capture."""
        return _RECORDED_AT.sub(b'"recorded_at":"%b"' % self.about["snapshot"]["known_at"].encode(), line, count=1)

    def _renamed(self, copy: int, line: bytes) -> bytes:
        """A line as it is in the copy of this number, with other identifiers and later sequences."""

        def other(match: re.Match[bytes]) -> bytes:
            found = match[0]
            return found if found in self.kept else b"%04x%b" % (int(found[:4], 16) ^ copy, found[4:])

        line = _UUID.sub(other, self._captured(line))
        before = self.size + (copy - 1) * self.repeated
        return _SEQUENCE.sub(lambda match: b'"sequence":%d' % (before + self.rank[int(match[1])]), line, count=1)

    def lines(self, name: str) -> Iterator[bytes]:
        """The lines of a written file, as `Archive.lines` would return them."""
        with (self.folder / name).open("rb") as lines:
            for line in lines:
                yield line.rstrip(b"\n")

    def _state(self) -> str:
        """Writes one capture over all row versions, a log of one entry, the list of files and its signature."""
        organization_id, tree = self.about["organization_id"], CompactRange()
        with Leaves(self.sequence) as leaves:
            for register in REGISTERS:
                for _ in read_versions(cast("Archive", self), register, organization_id, leaves):
                    pass
            tree.extend(leaf_hash(leaf.digest) for leaf in leaves.in_order())
        capture = tree_capture_lines(
            organization_id=organization_id,
            capture_sequence=1,
            captured_at=self.about["snapshot"]["known_at"],
            first_sequence=1,
            last_sequence=self.sequence,
            tree_size=self.sequence,
            tree_root=tree.root().hex(),
            ledger_head="0" * 64,
        )
        chain_hash = tree_capture_digest(capture)
        self._write("history/captures.jsonl", {"format": TREE_CAPTURE_CONSTANT, **capture, "chain_hash": chain_hash})
        signer = NoteSigner.from_seed(ORIGIN, SEED)
        checkpoint = signer.sign(LogCheckpoint(ORIGIN, 1, leaf_hash(bytes.fromhex(chain_hash))).text())
        self._write("log.json", {"size": 1, "index": 0, "path": [], "checkpoint": checkpoint})
        (self.folder / "log-key.txt").write_text(f"{signer.verifier_key}\n")
        self.about["pin"] = {"capture_sequence": 1, "sequence": self.sequence, "chain_hash": chain_hash}
        self.about["snapshot"] |= self.about["pin"]
        self.about["completeness"] = {name: count * self.times for name, count in self.about["completeness"].items()}
        for name in self.about["registers"]:
            if name not in ONCE:
                self.about["registers"][name] *= self.times
        self._write("pack.json", self.about)
        packing.write_list(self.folder)
        text = manifest_text(organization_id, chain_hash, (self.folder / packing.LIST).read_text())
        (self.folder / "manifest.txt").write_text(NoteSigner.from_seed(ORIGIN + KEY_SUFFIX, SEED).sign(text))
        return signer.verifier_key

    def _write(self, name: str, value: dict[str, Any]) -> None:
        (self.folder / name).write_text(json.dumps(value) + "\n")


def make(source: Path, times: int, output: Path) -> tuple[str, int]:
    """Writes the pack `source`, made larger, to `output`; returns the log's key and the number of versions."""
    with zipfile.ZipFile(source) as pack, tempfile.TemporaryDirectory(dir=output.parent) as name:
        larger = Larger(pack, times, Path(name))
        key = larger.write()
        packing.write_zip(Path(name), output)
    return key, larger.sequence


def main(arguments: list[str]) -> None:
    """Writes the larger pack, and prints the key to verify it with."""
    key, _ = make(Path(arguments[0]), int(arguments[1]), Path(arguments[2]))
    sys.stdout.write(f"{key}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
