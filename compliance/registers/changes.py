"""`/feed/v1/changes`: every version of the registers in the order in which they were written, as JSON text.

Each register is included through its declaration and its listing: `fields` is the stored text, `personal` and `basis`
of the listing add the personal members and the basis. As in `pages`, no stored text is parsed.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import repeat
from operator import add
from typing import NamedTuple

from compliance.catalogue import REGISTERS
from compliance.catalogue.stored import stored_shape
from compliance.history import in_sequence
from compliance.registers import splicing
from compliance.registers.errors import OtherHistoryError, RecordTooLargeError
from compliance.registers.listings import LISTINGS
from compliance.registers.pages import Record
from compliance.registers.questions import Question
from compliance.registers.splicing import Rows
from compliance.rules.limits import MAXIMUM_ROW_BYTES
from compliance.tenancy import arrays, reading


class Place(NamedTuple):
    """The version after which a page begins, and the first bytes of its digest; by default the start of the history."""

    sequence: int = 0
    digest: bytes = b""


class Changes(NamedTuple):
    """Versions as JSON text; `end` is the place of the last of them. `last`: no more follow."""

    rows: Rows
    end: Place
    last: bool


DIGEST_BYTES = 12
_WANTED = (
    f"v.sequence, v.register, v.birth, v.state, v.state_before_end, v.lesson_share_id, {in_sequence.RECORD_OF_REMOVED},"
    " v.capture_sequence, v.valid_from, v.recorded_at, v.cause, v.logic_version, v.row_sha256"
)
_SEQUENCE, _REGISTER, _DIGEST, _BODY = 0, 1, 12, 13
_PLAIN = {register.number: f'{{"{next(iter(stored_shape(register).model_fields))}"' for register in REGISTERS.values()}
"""How a stored text without hidden members begins, as nearly all do; for these the slower search is left out."""
_IDENTITY = {register.number: f'"{register.identity}":"' for register in REGISTERS.values()}
_UUID_LENGTH = 36
_EVERY = frozenset(REGISTERS)


def page(question: Question, registers: Collection[int], after: Place, limit: int) -> Changes:
    """The versions of these registers after `after`, at most `limit`, up to the pin, within the size of a page.

    Raises OtherHistoryError when the history does not hold the version of `after`, and RecordTooLargeError.
    """
    versions = _following(question, registers, after, limit)
    if after.sequence:
        if not versions or versions[0][_SEQUENCE] != after.sequence or not _is_at(after, versions[0]):
            raise OtherHistoryError("The version at which the cursor stands is not in the company's history.")
        del versions[0]
    rows = splicing.whole(_rows(question, versions[:limit]))
    kept = splicing.within(rows, MAXIMUM_ROW_BYTES)
    held = len(kept.fronts)
    if not rows.fronts:
        return Changes(rows, after, True)
    if not held:
        raise RecordTooLargeError("One version alone is larger than a page may be (3 MiB).")
    end = versions[held - 1]
    return Changes(kept, Place(end[_SEQUENCE], end[_DIGEST][:DIGEST_BYTES]), held == len(versions))


def _is_at(place: Place, version: Record) -> bool:
    return bytes(version[_DIGEST][:DIGEST_BYTES]) == place.digest


def _following(question: Question, registers: Collection[int], after: Place, limit: int) -> list[Record]:
    """The version of the place, those of the page and one more, or fewer if their texts exceed a page."""
    most = limit + 1 + (after.sequence > 0)
    values = {
        "organization": question.company.organization_id,
        "after": after.sequence,
        "sequence": question.pin.sequence,
        "most": most,
        "share": MAXIMUM_ROW_BYTES // most,
        "bytes": MAXIMUM_ROW_BYTES,
        "register": min(registers),
    }
    number = None if set(registers) >= _EVERY else len(registers)
    if number is not None:
        values["registers"] = arrays.smallints(sorted(registers))
    found = reading.fetch(in_sequence.following(_WANTED, registers=number), values, raw=True)
    if any(version[_BODY] is None for version in found):
        return reading.fetch(in_sequence.following_within(_WANTED, registers=number), values, raw=True)
    return found


def _rows(question: Question, versions: Sequence[Record]) -> list[str]:
    endings = _endings(question, versions)
    instant, members = splicing.instant, splicing.members
    rows = []
    for (
        sequence, register, _, _, _, _, record_id, capture_sequence, valid_from, recorded_at, cause, logic_version,
        _, body,
    ) in versions:  # fmt: skip
        if body:
            named = body.index(_IDENTITY[register]) + len(_IDENTITY[register])
            record_id = body[named : named + _UUID_LENGTH]
            removed, ending = "false", next(endings[register])
            fields = body[1:-1] if body.startswith(_PLAIN[register]) else members(body)
        else:
            removed, fields, ending = "true", "", "}}"
        rows.append(
            f'{{"register":"{_NAMES[register]}","id":"{record_id}","sequence":{sequence}'
            f',"capture_sequence":{capture_sequence},"valid_from":"{instant(valid_from)}"'
            f',"recorded_at":"{instant(recorded_at)}","cause":"{cause}","logic_version":{logic_version}'
            f',"removed":{removed},"fields":{{{fields}{ending}'
        )
    return rows


def _endings(question: Question, versions: Sequence[Record]) -> dict[int, Iterator[str]]:
    """By register, the end of each of its versions that is not removed: its personal members, then its basis."""
    endings: dict[int, Iterator[str]] = {}
    present = [version for version in versions if version[_BODY]]
    for number in {version[_REGISTER] for version in present}:
        listing = _LISTINGS[number]
        own = [version for version in present if version[_REGISTER] == number]
        texts: Iterable[str] = repeat("}}")
        if listing.basis is not None:
            texts = [f'}},"basis":{each}}}' for each in listing.basis(question, own)]
        if listing.personal is not None and question.personal:
            texts = map(add, listing.personal(question, own), texts)
        endings[number] = iter(texts)
    return endings


_NAMES = {number: register.name for number, register in REGISTERS.items()}
_LISTINGS = {number: LISTINGS[register.page] for number, register in REGISTERS.items()}
