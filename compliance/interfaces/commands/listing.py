"""What `list_keys` and `list_sources` share: the rows that still grant access, by company, as lines or as JSON."""

import json
import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any, ClassVar, Generic

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.interfaces.console import issuers
from compliance.interfaces.console.issuers import Issued, Row
from compliance.tenancy.queries import organization


class ListIssued(OperatorCommand, Generic[Row]):
    """Prints a line for each key or source that still grants access."""

    model: type[Row]
    noun: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    """The columns in the JSON of a row, besides its issuer."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organization", type=uuid.UUID, nargs="?", help="One company; all of them without.")
        parser.add_argument("--issuer-left", action="store_true", help=f"Only {self.noun} whose issuer has left.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        if options["organization"]:
            organization(options["organization"])
        found = issuers.still_open(self.model, datetime.now(UTC), options["organization"])
        if options["issuer_left"]:
            found = [each for each in found if each.issuer_left]
        if options["json"]:
            self.stdout.write(json.dumps([self._described(each) for each in found], default=str))
            return
        for each in found:
            left = " (has left)" if each.issuer_left else ""
            self.stdout.write(f"{self.line(each.row)}; issued by {each.issuer or 'unknown'}{left}")
        self.stdout.write(f"{len(found)} {self.noun}.")

    def line(self, row: Row) -> str:
        """The line printed for a row, up to its end."""
        raise NotImplementedError

    def _described(self, each: Issued[Row]) -> dict[str, Any]:
        described = {column: getattr(each.row, column) for column in self.columns}
        return described | {"issued_by": each.issuer, "issuer_left": each.issuer_left}
