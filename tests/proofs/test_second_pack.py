"""Both verifiers accept the small pack of the vectors, and name what its operator forged and signed again."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.proofs.pack_mutations import files, product_on_pack, second_on_pack
from tests.vectors.log.pack import PACK, seal, with_log, zipped


def test_both_take_the_genuine_pack() -> None:
    assert product_on_pack(PACK.read_bytes()) is None
    assert second_on_pack(PACK.read_bytes()) is None


def test_the_pack_of_the_vectors_is_sealed_as_its_writer_seals() -> None:
    assert zipped(seal(with_log(files()))) == PACK.read_bytes()


def test_both_take_the_members_of_a_capture_in_any_order() -> None:
    content = dict(files())
    lines = [json.loads(line) for line in content["history/captures.jsonl"].splitlines()]
    content["history/captures.jsonl"] = "".join(f"{json.dumps(line, sort_keys=True)}\n" for line in lines).encode()
    changed = zipped(seal(content))
    assert product_on_pack(changed) is None
    assert second_on_pack(changed) is None


def text(name: str, old: str, new: str) -> Callable[[dict[str, bytes]], None]:
    def change(content: dict[str, bytes]) -> None:
        changed = content[name].replace(old.encode(), new.encode(), 1)
        assert changed != content[name]
        content[name] = changed

    return change


def about(**members: Any) -> Callable[[dict[str, bytes]], None]:
    def change(content: dict[str, bytes]) -> None:
        found = json.loads(content["pack.json"])
        for member, values in members.items():
            found[member] = {**found[member], **values}
        content["pack.json"] = json.dumps(found).encode()

    return change


FORGERIES: list[tuple[str, Callable[[dict[str, bytes]], None], str]] = [
    (
        "an outcome in a register",
        text("registers/training-records.jsonl", '"overdue"', '"excused"'),
        "training-records",
    ),
    ("a moment in a stored text", text("history/people.jsonl", "2025-01-06T", "2025-01-07T"), "history/"),
    ("a digest in place of a text that the period needs", lambda content: _bared(content), "history/people.jsonl"),
    ("the last row of a history", lambda content: _shorter(content, "history/people.jsonl"), "history"),
    ("the last capture", lambda content: _shorter(content, "history/captures.jsonl"), "captures.jsonl"),
    ("the last row of a register", lambda content: _shorter(content, "registers/people.jsonl"), "people"),
    ("the log's path", text("log.json", '"path":["', '"path":["AAAA'), "log.json"),
    (
        "a checkpoint of another size",
        text("log.json", "records.example/log\\n5", "records.example/log\\n6"),
        "log.json",
    ),
    ("another pin", about(pin={"sequence": 52}, snapshot={"sequence": 52}), "history"),
    ("a snapshot of another pin", about(snapshot={"chain_hash": "0" * 64}), "snapshot"),
    ("a policy's text", text("registers/policies.jsonl", '"html":"', '"html":"x'), "polic"),
]


def _shorter(content: dict[str, bytes], name: str) -> None:
    content[name] = b"".join(content[name].splitlines(keepends=True)[:-1])


def _bared(content: dict[str, bytes]) -> None:

    lines = []
    for line in content["history/people.jsonl"].splitlines():
        row = json.loads(line)
        if row.get("content"):
            row["content_sha256"] = hashlib.sha256(row.pop("content").encode()).hexdigest()
        lines.append(json.dumps(row).encode() + b"\n")
    content["history/people.jsonl"] = b"".join(lines)


@pytest.mark.parametrize("change,named", [each[1:] for each in FORGERIES], ids=[each[0] for each in FORGERIES])
def test_both_name_what_is_forged_and_sealed_anew(change: Callable[[dict[str, bytes]], None], named: str) -> None:
    content = dict(files())
    change(content)
    forged = zipped(seal(content))
    for found in (product_on_pack(forged), second_on_pack(forged)):
        assert found is not None
        assert named in found


@pytest.mark.parametrize(
    "name", ["../registers/people.jsonl", "/etc/passwd", "registers//people.jsonl", "C:/x", "a\\b"]
)
def test_both_refuse_names_that_lead_elsewhere(name: str) -> None:
    forged = zipped(seal({**files(), name: b"x"}))
    assert product_on_pack(forged)
    assert second_on_pack(forged)
