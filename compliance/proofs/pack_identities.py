"""Compares the names of a pack with the commitments of the history: `svc.identity/1`."""

from collections.abc import Iterable, Mapping
from typing import cast
from uuid import UUID

from .errors import PackMalformed
from .findings import Check, Report
from .forms import Form, is_uuid
from .identity import identity_sha256
from .pack_archive import Archive
from .pack_json import number, parse_line, text
from .pack_registers import FILES, Frame, Listed, Reading, Role
from .pages import JsonObject
from .partitions import Partitions
from .row_proof import MEMBERS

ERASED_PERSON = "Erased person"
"""Replaces the name of a person who was erased; then the salt is gone too."""

_FORMS = {
    Role.PERSON: MEMBERS["identity"],
    Role.CERTIFICATE: MEMBERS["identity"] | {"work_email": Form("null", lambda value: value is None)},
}
"""The form of what opens a commitment: with other salts or addresses, one digest could be that of several names."""

_MEMBERS = frozenset({"register", "record_id", "sequence", *MEMBERS["identity"]})
_ERASED, _NAMELESS = 0, 1


class Identities:
    """The lines of the file, in the order of the rows that they belong to. Used as a context manager.

    That somebody is erased is taken from the history, never from a row's own label: an erasure appends every version of
    a person's records in the people register again, without their commitments.
    """

    def __init__(self, archive: Archive, name: str) -> None:
        self.proved = 0
        self.unproved = 0
        self.erased = 0
        self._name = name
        self._lines = enumerate(archive.lines(name), 1)
        self._next: tuple[str, JsonObject] | None = None
        self._read()
        self._people = Partitions(22)

    def __enter__(self) -> "Identities":
        return self

    def __exit__(self, *fault: object) -> None:
        self._people.__exit__(None, None, None)

    def person(self, record_id: str, frames: Iterable[Frame]) -> None:
        """Notes a record of the people register, and whose it is, if one of its texts says that they are erased."""
        for _, _, fields, hidden in frames:
            if fields is not None and _says_erased(fields, hidden):
                for each in (record_id, fields.get("learner_profile_id")):
                    if isinstance(each, str) and is_uuid(each):
                        self._people.add(UUID(each).bytes, bytes([_ERASED]) + bytes(5))
                return

    def check(self, reading: Reading, listed: Listed, row: Mapping[str, object], count: int, report: Report) -> None:
        """Opens the commitment of a listed row, the `count`th of its file, and compares its names with it."""
        if reading.role not in _FORMS:
            return
        place = _place(FILES.index(reading.file), count)
        committed = listed.hidden.get("identity_sha256")
        opened = self._take(reading.register, listed)
        if opened is not None and not committed:
            report.fault(Check.IDENTITY, opened[0], (), "The history commits to no name in this row.")
        elif opened is not None:
            self._open(reading, listed, row, opened, place, report)
        elif _says_erased(listed.fields, listed.hidden):
            self.erased += 1
            if row.get("person_name") != ERASED_PERSON or row.get("work_email") is not None:
                sentence = "The row names somebody of whom the history says that they are erased."
                report.fault(Check.IDENTITY, place, ("person_name", "work_email"), sentence)
        elif committed is None:
            self.unproved += 1
        elif row.get("person_name") != ERASED_PERSON:
            sentence = "The history commits to a name here, and nothing opens the commitment."
            report.fault(Check.IDENTITY, place, ("person_name",), sentence)
        else:
            person = listed.version.record_id
            if reading.role is Role.CERTIFICATE:
                person = text(listed.version.place, listed.fields, "learner_profile_id")
                if not is_uuid(person):
                    raise PackMalformed(listed.version.place, "The content of a certificate does not say whose it is.")
            file = bytes([_NAMELESS, FILES.index(reading.file)])
            self._people.add(UUID(person).bytes, file + count.to_bytes(4, "big"))

    def check_erased(self, report: Report) -> None:
        """Reports rows that call somebody erased of whom no text in the pack says so."""
        for part in self._people:
            erased: set[bytes] = set()
            nameless: list[bytes] = []
            for entry in part:
                if entry[16] == _ERASED:
                    erased.add(entry[:16])
                else:
                    nameless.append(entry)
            for entry in nameless:
                if entry[:16] in erased:
                    self.erased += 1
                    continue
                sentence = "The history commits to a name here, and nothing in it shows that the person was erased."
                place = _place(entry[17], int.from_bytes(entry[18:], "big"))
                report.fault(Check.IDENTITY, place, ("person_name",), sentence)

    def _open(
        self,
        reading: Reading,
        listed: Listed,
        row: Mapping[str, object],
        opened: tuple[str, JsonObject],
        place: str,
        report: Report,
    ) -> None:
        at, found = opened
        forms = _FORMS[reading.role]
        for name, form in forms.items():
            if not form.holds(found[name]):
                report.fault(Check.IDENTITY, at, (name,), f"{name} is not {form.words}.")
                return
        if identity_sha256(**{name: cast("str", found[name]) for name in forms}) != listed.hidden["identity_sha256"]:
            report.fault(Check.IDENTITY, at, (), f"This is not the name that {listed.version.place} commits to.")
            return
        for name in ("person_name", "work_email"):  # certificates have no address, in neither place
            if row.get(name) != found[name]:
                sentence = "The row names somebody else than the history commits to."
                report.fault(Check.IDENTITY, place, (name,), sentence)
        self.proved += 1

    def end(self, report: Report) -> None:
        """Reports a line that belongs to no row."""
        if self._next is not None:
            report.fault(
                Check.IDENTITY, self._next[0], (), "The line belongs to no row of people or certificates here."
            )

    def _take(self, register: str, listed: Listed) -> tuple[str, JsonObject] | None:
        """The line of a listed row; None if the next line belongs to another row."""
        if self._next is None:
            return None
        place, found = self._next
        of = (text(place, found, "register"), text(place, found, "record_id"), number(place, found, "sequence"))
        if of != (register, listed.version.record_id, listed.version.sequence):
            return None
        taken = self._next
        self._read()
        return taken

    def _read(self) -> None:
        at, line = next(self._lines, (0, b""))
        place = f"{self._name} line {at}"
        self._next = (place, parse_line(place, line)) if at else None
        if self._next is not None and self._next[1].keys() != _MEMBERS:
            raise PackMalformed(place, "The line does not have the members of an identity.")


def _says_erased(fields: Mapping[str, object], hidden: Mapping[str, str]) -> bool:
    """Whether a text says that its person is erased: its commitment is null, which `content_of` gives as no text."""
    return hidden.get("identity_sha256") == "" or fields.get("access_state") == "erased"


def _place(file: int, count: int) -> str:
    return f"registers/{FILES[file]}.jsonl row {count}"
