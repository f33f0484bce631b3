"""Writes a register, or all of them: `export REGISTER|all ORG --format F [--as-at INSTANT] [--to PATH]`."""

import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from compliance.interfaces.commands.management.commands.create_key import instant
from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.interfaces.console.exports import keeping
from compliance.interfaces.console.exports.extract import EVERY, NAMES, Extract, extract, registers
from compliance.interfaces.console.exports.writing import FORMATS, check, write
from compliance.tenancy import queries


class Command(OperatorCommand):
    """Writes files that all read the same capture at one moment."""

    help = "Writes a register as at a moment to a file: to --to, or to where exports are kept for --days."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("register", help=", ".join((*NAMES, EVERY)))
        parser.add_argument("organization", type=uuid.UUID)
        parser.add_argument("--format", required=True, choices=list(FORMATS), dest="written_as")
        parser.add_argument("--as-at", metavar="INSTANT", help="RFC 3339 instant with offset; now without.")
        parser.add_argument(
            "--to",
            type=Path,
            metavar="PATH",
            help="A file, or a folder for a file of each register. An erasure does not reach files there: delete them.",
        )
        parser.add_argument("--without-names", action="store_true", help="Leaves names and e-mail addresses out.")
        parser.add_argument("--days", type=int, default=keeping.DAYS_KEPT, help="How long it is kept without --to.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        now = datetime.now(UTC)
        if not 1 <= options["days"] <= 366:
            raise CommandError("--days lies between 1 and 366.")
        wanted, written_as = registers(options["register"]), options["written_as"]
        check(written_as)
        as_at = instant(options["as_at"]) if options["as_at"] else now
        organization = queries.organization(options["organization"])
        about = extract(organization, as_at, now, personal=not options["without_names"])
        if options["to"] is None:
            expires_at = now + timedelta(days=options["days"])
            files = keeping.store(about, wanted, written_as, now=now, expires_at=expires_at)
            found = [{"register": each.register, "file": each.kept_as, "rows": each.rows} for each in files]
        else:
            found = [
                {"register": register.name, "file": str(path), "rows": self._write(path, about, register, written_as)}
                for register in wanted
                for path in [_path(options["to"], register.name, written_as, several=len(wanted) > 1)]
            ]
        pin = {"as_at": as_at, "capture_sequence": about.pin.capture_sequence, "sequence": about.pin.sequence}
        lines = [f"{each['file']}: {each['rows']} rows" for each in found]
        self.show(pin | {"files": found}, "\n".join(lines), as_json=options["json"])

    def _write(self, path: Path, about: Extract, register: Any, written_as: str) -> int:
        """Writes a temporary file and renames it, so that a reader never finds half of the content.

        Only the owner may read it, as it may hold names.
        """
        beside = path.with_name(f".{path.name}.writing")
        erased = keeping.known_erasures(about.organization_id)
        try:
            beside.unlink(missing_ok=True)
            beside.touch(mode=0o600, exist_ok=False)
            rows = write(beside, about, register, written_as, lambda rows: None)
            if about.personal and keeping.known_erasures(about.organization_id) != erased:
                raise CommandError("A person was erased while the export was written. Nothing was kept: start again.")
            beside.replace(path)
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
        finally:
            beside.unlink(missing_ok=True)
        return rows


def _path(to: Path, register: str, written_as: str, *, several: bool) -> Path:
    if to.is_dir():
        return to / f"{register}.{written_as}"
    if several:
        raise CommandError(f"{to} is no folder, and there is a file of each register.")
    if not to.parent.is_dir():
        raise CommandError(f"There is no folder {to.parent}.")
    return to
