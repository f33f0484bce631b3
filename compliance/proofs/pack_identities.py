"""Compares the names of a pack with the commitments of the history: `svc.identity/1`."""

from collections.abc import Mapping

from .errors import PackMalformed
from .findings import Check, Report
from .identity import identity_sha256
from .pack_archive import Archive
from .pack_json import number, parse_line, text
from .pack_registers import Listed, Reading, Role
from .pages import JsonObject

ERASED_PERSON = "Erased person"
"""Replaces the name of a person who was erased; then the salt is gone too."""

_MEMBERS = frozenset({"register", "record_id", "sequence", "salt", "person_name", "work_email"})
_ROLES = (Role.PERSON, Role.CERTIFICATE)


class Identities:
    """The lines of the file, in the order of the rows that they belong to."""

    def __init__(self, archive: Archive, name: str) -> None:
        self.proved = 0
        self.unproved = 0
        self._name = name
        self._lines = enumerate(archive.lines(name), 1)
        self._next: tuple[str, JsonObject] | None = None
        self._read()

    def check(self, reading: Reading, listed: Listed, row: Mapping[str, object], place: str, report: Report) -> None:
        """Opens the commitment of a listed row, and compares the names in the row with it."""
        if reading.role not in _ROLES:
            return
        committed = listed.hidden.get("identity_sha256") or None
        opened = self._take(reading.register, listed)
        if committed is None or opened is None:
            if opened is not None:
                report.fault(Check.IDENTITY, opened[0], (), "The history commits to no name in this row.")
            elif committed is not None and row.get("person_name") != ERASED_PERSON:
                sentence = "The history commits to a name here, and nothing opens the commitment."
                report.fault(Check.IDENTITY, place, ("person_name",), sentence)
            elif committed is None and row.get("person_name") != ERASED_PERSON:
                self.unproved += 1
            return
        at, found = opened
        person_name, work_email = (_text_or_none(at, found, name) for name in ("person_name", "work_email"))
        if identity_sha256(text(at, found, "salt"), person_name, work_email) != committed:
            report.fault(Check.IDENTITY, at, (), f"This is not the name that {listed.version.place} commits to.")
            return
        names = [("person_name", person_name)] + ([("work_email", work_email)] if reading.role is Role.PERSON else [])
        for name, value in names:
            if row.get(name) != value:
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


def _text_or_none(place: str, found: JsonObject, name: str) -> str | None:
    return None if found.get(name) is None else text(place, found, name)
