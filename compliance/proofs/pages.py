"""Groups pulled pages into pulls.

A page is any JSON object with a `data` array. Pages of one register that were read from the same snapshot are one
pull, in the order given. Pages without a snapshot are one pull per register.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NoReturn

from .errors import NotAPage

MOST_BYTES = 32 * 1024 * 1024
"""The largest size of a page or of a proof of one row."""

MOST_DEPTH = 100
"""How deeply arrays and objects may be nested: what is read of them compares, prints and searches them recursively."""


class Kind(StrEnum):
    """The registers whose rows can be recomputed, and all others."""

    RECEIPT = "policy receipts"
    VERSION = "policy versions"
    OTHER = "other rows"


_RECEIPT_MARKS = frozenset({"receipt_sha256", "previous_sha256", "cycle_id", "signature_sha256"})
_VERSION_MARKS = frozenset({"html", "version_digest", "document_sha256", "statement", "change_kind"})


class JsonObject(dict[str, object]):
    """A JSON object that remembers the keys that it has more than once, of which readers keep different values."""

    repeated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a page and its place; `number` counts from 1 within the page."""

    page: str
    number: int
    fields: JsonObject

    def text(self, name: str) -> str:
        """Return the field as text; empty where it is missing or something else."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else ""

    @property
    def place(self) -> str:
        """The place of the row for a reader: file, number and the row's id."""
        for key, name in (("receipt_id", "receipt"), ("course_release_id", "version")):
            if isinstance(self.fields.get(key), str):
                return f"{self.page} row {self.number} ({name} {printable(self.fields[key])})"
        return f"{self.page} row {self.number}"


@dataclass(frozen=True, slots=True)
class PulledPage:
    """One page. `strangers` are the numbers of the elements of `data` that are not objects."""

    name: str
    rows: tuple[Row, ...]
    strangers: tuple[int, ...]
    envelope: JsonObject


@dataclass(slots=True)
class Pull:
    """The pages of one register from one snapshot; `snapshot` is None when the pages have none."""

    kind: Kind
    snapshot: dict[str, object] | None
    pages: list[PulledPage] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The files of the pull."""
        names = list(dict.fromkeys(page.name for page in self.pages))
        return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]} ({len(names)} files)"

    @property
    def totals(self) -> list[object]:
        """Every different `total` that the pages state."""
        found: list[object] = []
        for page in self.pages:
            if "total" in page.envelope and page.envelope["total"] not in found:
                found.append(page.envelope["total"])
        return found


def repeated_in(value: object) -> Iterator[str]:
    """Yield the keys that a JSON value, or an object or array within it, has more than once."""
    if isinstance(value, JsonObject):
        yield from value.repeated
    for each in _within(value):
        if isinstance(each, dict | list):
            yield from repeated_in(each)


def printable(value: object) -> str:
    """Return a value in a form that is safe on a terminal: short, in plain ASCII, without control characters."""
    text = value if isinstance(value, str) else json.dumps(value)
    text = text if text.isascii() and text.isprintable() else ascii(text)[1:-1]
    return text if len(text) <= 80 else f"{text[:77]}..."


def parse_json(name: str, content: bytes) -> object:
    """Return the JSON document in `content`; objects in it are `JsonObject`.

    It is UTF-8 without a byte order mark. Raises NotAPage with a sentence that describes what it is instead.
    """
    if len(content) > MOST_BYTES:
        raise NotAPage(f"{name} is larger than {MOST_BYTES} bytes, as no page and no proof is.")
    try:
        # Decoded first: for bytes, `json` would guess the encoding, and accept a byte order mark.
        text = content.decode("utf-8")
        document: object = _DECODER.decode(text)
    except RecursionError as fault:
        raise NotAPage(f"{name} {_TOO_DEEP}") from fault
    except ValueError as fault:
        raise NotAPage(f"{name} is not JSON: {printable(str(fault))}") from fault
    if text.count("[") + text.count("{") > MOST_DEPTH and _is_deep(document):
        raise NotAPage(f"{name} {_TOO_DEEP}")
    return document


def page_in(name: str, document: object) -> PulledPage:
    """Return the page in a JSON document. Raises NotAPage."""
    if not isinstance(document, JsonObject) or not isinstance(document.get("data"), list):
        raise NotAPage(f"{name} is JSON, but not a page: it has no `data` array.")
    return page_of(name, document)


def page_of(name: str, envelope: dict[str, object]) -> PulledPage:
    """Return the page of a parsed envelope; its `data` must be a list."""
    data = envelope["data"]
    assert isinstance(data, list)
    rows = tuple(Row(name, at, _kept(each)) for at, each in enumerate(data, 1) if isinstance(each, dict))
    strangers = tuple(at for at, each in enumerate(data, 1) if not isinstance(each, dict))
    return PulledPage(name, rows, strangers, _kept(envelope))


def pulls_of(pages: Iterable[PulledPage]) -> list[Pull]:
    """Return the pulls that the pages make up, in the order of their first pages."""
    pulls: dict[tuple[str, str, str], Pull] = {}
    empty: list[PulledPage] = []
    for page in pages:
        if not page.rows:
            empty.append(page)
            continue
        snapshot = _snapshot_key(page)
        kinds = [_kind(row) for row in page.rows]
        known = Counter(kind for kind in kinds if kind is not None)
        usual = known.most_common(1)[0][0] if known else Kind.OTHER
        register = _register(page) if usual is Kind.OTHER else ""
        for row, kind in zip(page.rows, kinds, strict=True):
            # A row without the fields that identify its kind is assumed to be of its neighbours' kind.
            _pull(pulls, kind or usual, page, snapshot, register).rows.append(row)
    for page in empty:
        if not any(
            pull.snapshot == _snapshot(page) and pull.totals == [page.envelope.get("total")] for pull in pulls.values()
        ):
            _pull(pulls, Kind.OTHER, page, _snapshot_key(page), page.name)
    return list(pulls.values())


def _pull(
    pulls: dict[tuple[str, str, str], Pull], kind: Kind, page: PulledPage, snapshot_key: str, register: str
) -> Pull:
    pull = pulls.setdefault((kind.value, snapshot_key, register), Pull(kind, _snapshot(page)))
    if page not in pull.pages[-1:]:
        pull.pages.append(page)
    return pull


def _snapshot(page: PulledPage) -> dict[str, object] | None:
    snapshot = page.envelope.get("snapshot")
    return snapshot if isinstance(snapshot, dict) else None


def _snapshot_key(page: PulledPage) -> str:
    """Return the snapshot as one text, the same for the same snapshot; it may be as large as the page."""
    return json.dumps(_snapshot(page), sort_keys=True)


def _register(page: PulledPage) -> str:
    """Return what distinguishes pages of other registers: the fields of their rows."""
    return ",".join(sorted(page.rows[0].fields))


def _kind(row: Row) -> Kind | None:
    if not _RECEIPT_MARKS.isdisjoint(row.fields):
        return Kind.RECEIPT
    if not _VERSION_MARKS.isdisjoint(row.fields):
        return Kind.VERSION
    return None


def _kept(value: dict[str, object]) -> JsonObject:
    return value if isinstance(value, JsonObject) else JsonObject(value)


def _object(pairs: list[tuple[str, object]]) -> JsonObject:
    found = JsonObject(pairs)
    if len(found) != len(pairs):
        found.repeated = tuple(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
    return found


def _is_deep(document: object) -> bool:
    """Tell whether a document is nested more deeply than MOST_DEPTH."""
    level = [document]
    for _ in range(MOST_DEPTH):
        level = [each for found in level for each in _within(found) if isinstance(each, dict | list)]
        if not level:
            return False
    return True


def _within(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON value")


_TOO_DEEP = "is not JSON that can be read: it is nested too deeply."
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant)
"""Made once: a pack has millions of lines."""
