"""The names of a pack with the openings of the history's commitments to them: `identities.jsonl`.

There is a line for each row of people and certificates in the pack, unless it is from before there were commitments, or
of somebody who was erased.
"""

from collections.abc import Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from compliance.catalogue import REGISTERS
from compliance.catalogue.declaration import Register
from compliance.facts.identities import behind
from compliance.history.text import instant
from compliance.interfaces.console.evidence.errors import CannotBuildError
from compliance.interfaces.console.evidence.subject import Subject
from compliance.rules.vocabulary import ERASED_PERSON
from compliance.tenancy import context

FILE = "identities.jsonl"
_AT_ONCE = 1000
_MEMBER = b"identity_sha256"


class _Committed(NamedTuple):
    """A row of the pack, and the commitment in its version."""

    row: dict[str, Any]
    sequence: int
    identity_sha256: str


def write_identities(subject: Subject, folder: Path) -> None:
    """Writes the file from the files of the registers and their histories, which must exist.

    Raises CannotBuildError if a register has another name for somebody than the history's commitment, or none where
    the history does not show the erasure: registers have current names, so an older name at the pin cannot be proved.
    """
    erased: set[str] = set()
    with (folder / FILE).open("wb") as lines:
        for register in REGISTERS.values():
            found = _committed(register, folder, instant(subject.moment), erased)
            while batch := list(islice(found, _AT_ONCE)):
                with context.company(subject.organization_id):
                    opened = behind(subject.organization_id, [each.identity_sha256 for each in batch])
                for row, sequence, identity_sha256 in batch:
                    of = opened.get(identity_sha256)
                    names = (row["person_name"], row.get("work_email"))
                    if row["person_name"] == ERASED_PERSON and row["learner_profile_id"] in erased:
                        continue
                    if of is None or names != (of.person_name, of.work_email):
                        raise CannotBuildError(
                            f"Somebody was renamed or erased since capture {subject.pin.capture_sequence}, whose names"
                            " alone it can prove. Build a pack of the newest capture, or ask again in a minute."
                        )
                    line = {"register": register.name, "record_id": row[register.identity], "sequence": sequence}
                    lines.write(orjson.dumps(line | of._asdict()) + b"\n")


def _committed(register: Register, folder: Path, end: str, erased: set[str]) -> Iterator[_Committed]:
    """The rows of a register, each with the commitment of the last version in force at `end`.

    Adds the people whom these versions show as erased to `erased`, for the registers after that of people.
    """
    history = folder / "history" / f"{register.name}.jsonl"
    with history.open("rb") as versions:
        if not any(_MEMBER in line for line in versions):
            return
    with (folder / "registers" / f"{register.file}.jsonl").open("rb") as rows, history.open("rb") as versions:
        listed = next(rows, None)
        for record_id, lines in groupby(map(orjson.loads, versions), lambda line: line["record_id"]):
            in_force = [line for line in lines if line["valid_from"] <= end]
            content = orjson.loads(in_force[-1]["content"].partition("\n")[0] or "{}") if in_force else {}
            shows_erasure = content.get("access_state") == "erased" or content.get("identity_sha256", "") is None
            if shows_erasure and content["learner_profile_id"] is not None:
                erased.add(content["learner_profile_id"])
            row = None if listed is None else orjson.loads(listed)
            if row is None or row[register.identity] != record_id:
                continue
            listed = next(rows, None)
            identity = content.get("identity_sha256")
            if identity is not None:
                yield _Committed(row, in_force[-1]["sequence"], identity)
