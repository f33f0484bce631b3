"""The access log's chain, and its verification offline: `python -m compliance.proofs.access_log FILE.jsonl`.

Each line of the log has a digest over its values and the digest of the line before it, so no line can be changed,
removed or slipped in without breaking every digest after it. FILE is an export (JSON Lines), from line 1 on. Lines that
were written before the log was chained have no number, come first, and are not verified.

`digest` is the SHA-256 of the UTF-8 text of a JSON array (RFC 8259, no spaces, nothing escaped that need not be):
`["svc.access/1", chain, number, at, user_id, method, page, organization_id, status, act, everybody,
learner_profile_ids, private_sha256, previous_sha256]`. `private_sha256` is the SHA-256 of such an array too:
`["svc.access.private/1", salt, username, groups, address, subject, reason]`. What may be personal is hashed with
the salt: once salt and values are gone, nothing can be guessed from the digest, and the chain still holds.

Exit status: 0 all lines hold; 1 a line is at fault; 2 the file cannot be read.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast
from uuid import UUID

from .errors import NoteMalformed, PackMalformed
from .pack_json import parse_line

CONSTANT = "svc.access/1"
PRIVATE_CONSTANT = "svc.access.private/1"
HEADS_CONSTANT = "svc.access-heads/1"
ZERO_DIGEST = "0" * 64
"""The digest before the first line of a chain."""

PRIVATE = ("salt", "username", "groups", "address", "subject", "reason")
PUBLIC = (
    "chain", "number", "at", "user_id", "method", "page", "organization_id", "status", "act", "everybody",
    "learner_profile_ids",
)  # fmt: skip
_MEMBERS = {*PUBLIC, *PRIVATE, "previous_sha256", "digest"}

_HEADS = re.compile(HEADS_CONSTANT + r"\n((?:[0-9a-f-]{36} [1-9][0-9]{0,18} [0-9a-f]{64}\n)*)")


class ChainEnd(NamedTuple):
    """The last line of a chain: its number, from 1, and its digest."""

    number: int
    digest: str


def heads_text(ends: Mapping[UUID, ChainEnd]) -> str:
    """Return the text that the signer signs: the end of each chain, by chain."""
    return "".join(
        [f"{HEADS_CONSTANT}\n", *(f"{chain} {end.number} {end.digest}\n" for chain, end in sorted(ends.items()))]
    )


def parse_heads(text: str) -> dict[UUID, ChainEnd]:
    """Return the chain ends in such a text. Raises NoteMalformed for any other text."""
    match = _HEADS.fullmatch(text)
    if match is None:
        raise NoteMalformed(f"The text is no {HEADS_CONSTANT}.")
    lines = (line.split(" ") for line in match[1].splitlines())
    try:
        return {UUID(chain): ChainEnd(int(number), digest) for chain, number, digest in lines}
    except ValueError as fault:
        raise NoteMalformed(f"A chain of {HEADS_CONSTANT} has no identifier.") from fault


def digest(line: Mapping[str, Any]) -> str:
    """The digest of a line with the values of an export."""
    private = _sha256([PRIVATE_CONSTANT, *(line[name] for name in PRIVATE)])
    return _sha256([CONSTANT, *(line[name] for name in PUBLIC), private, line["previous_sha256"]])


def faults(lines: Iterable[Mapping[str, Any]], number: int | None = None, previous: str | None = None) -> Iterator[str]:
    """The faults of lines of one chain in order, each a sentence that names the line.

    The first line must follow line `number` of digest `previous`; it may follow anything where they are None.
    """
    for line in lines:
        if number is not None and line["number"] != number + 1:
            missing = (
                f"line {number + 1}" if line["number"] == number + 2 else f"lines {number + 1} to {line['number'] - 1}"
            )
            yield (
                f"{missing[:1].upper()}{missing[1:]} of the access log: missing."
                if line["number"] > number
                else f"Line {line['number']} of the access log stands after line {number}."
            )
        elif previous is not None and line["previous_sha256"] != previous:
            yield f"Line {line['number']} of the access log does not follow the line before it."
        if digest(line) != line["digest"]:
            yield f"Line {line['number']} of the access log is not what was written: its digest is another."
        number, previous = line["number"], line["digest"]


def _sha256(values: Sequence[Any]) -> str:
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class _Export:
    """An export, read line by line: a log of years does not fit into memory."""

    def __init__(self) -> None:
        self.lines = self.passed_over = 0
        self.last = ChainEnd(0, ZERO_DIGEST)

    def numbered(self, file: Iterable[bytes], found: list[str]) -> Iterator[Mapping[str, Any]]:
        """The lines that have a number, in order. Adds lines without one that come after them to `found`."""
        for at, text in enumerate(file, 1):
            line = parse_line(f"line {at} of the file", text)
            if line.keys() != _MEMBERS:
                raise PackMalformed(f"line {at} of the file", "It does not have the members of an exported line.")
            if line["number"] is not None:
                self.lines += 1
                yield line
                self.last = ChainEnd(cast("int", line["number"]), cast("str", line["digest"]))
            elif self.lines:
                found.append(f"Line {at} of the file has no number, and stands after lines that have one.")
            else:
                self.passed_over += 1


def main(arguments: Sequence[str]) -> int:
    """Verify one export, and return the exit status."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m compliance.proofs.access_log FILE.jsonl\n")
        return 2
    export, found = _Export(), list[str]()
    try:
        with Path(arguments[0]).open("rb") as file:
            for fault in faults(export.numbered(file, found), 0, ZERO_DIGEST):
                found.append(fault)
    except (OSError, ValueError, TypeError, RecursionError) as error:
        sys.stderr.write(f"{arguments[0]} is no export of an access log: {error}\n")
        return 2
    for fault in found:
        sys.stdout.write(f"{fault}\n")
    if found:
        return 1
    sys.stdout.write(f"{export.lines} lines hold.")
    if export.lines:
        sys.stdout.write(f" The last is line {export.last.number}: {export.last.digest}")
    sys.stdout.write("\n")
    if export.passed_over:
        sys.stdout.write(
            f"{export.passed_over} lines from before the log was chained were passed over and are not proved.\n"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
