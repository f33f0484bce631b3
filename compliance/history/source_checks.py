"""Compares the sources of training records with the rows that name them; verification does this besides checking rows.

No hash covers a source, and without it the register of course versions does not list the version. A training record of
a lesson that was shared alone does not name the lesson, so the source of such a lesson is not compared.
"""

import uuid

from compliance.catalogue.training import TRAINING_RECORDS
from compliance.history.projections.courses import release_row_id
from compliance.history.row_checks import Content, NotAsCaptured, Row
from compliance.tenancy import sql

_SOURCES = "SELECT row_id, sequence FROM history_recordsource WHERE organization_id = (SELECT %s::uuid)"


class Sources:
    """Collects by `see` the releases that training records name; `check` compares them. Memory grows with releases."""

    def __init__(self, organization_id: uuid.UUID) -> None:
        self._organization_id = organization_id
        self._first: dict[str, Row] = {}

    def see(self, row: Row, content: Content) -> None:
        """Takes a row whose digest and columns are intact, and the members of its body."""
        release = content.get("course_release_id")
        if row.register == TRAINING_RECORDS.number and release is not None:
            self._first.setdefault(str(release), row)

    def check(self) -> None:
        """Raises NotAsCaptured where a release has no source, or one that begins after the first row that names it."""
        stored: dict[uuid.UUID, int] = dict(sql.fetch(_SOURCES, [self._organization_id]))
        for release, row in self._first.items():
            try:
                source = release_row_id(self._organization_id, uuid.UUID(release))
            except ValueError as error:
                raise NotAsCaptured(f"Row {row.sequence} names no course version.", row=row, column="body") from error
            if stored.get(source, row.sequence + 1) > row.sequence:
                raise NotAsCaptured(f"The course version behind row {row.sequence} is not kept as such.", row=row)
