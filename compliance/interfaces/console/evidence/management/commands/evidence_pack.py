"""Builds an evidence pack.

`evidence_pack --organization ORG --from DATE --to DATE --output FILE [--capture N] [--json]` builds one.
"""

import json
import uuid
from argparse import ArgumentParser
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from compliance.errors import ComplianceError
from compliance.interfaces.console.evidence.building import build
from compliance.interfaces.console.evidence.subject import subject


class Command(BaseCommand):
    """Builds the pack in this process, without a worker."""

    help = "Writes a ZIP of one company and period that an auditor can verify with nothing but Python."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", type=uuid.UUID, required=True)
        parser.add_argument("--from", dest="first", type=date.fromisoformat, required=True, metavar="DATE")
        parser.add_argument("--to", dest="last", type=date.fromisoformat, required=True, metavar="DATE")
        parser.add_argument("--output", type=Path, required=True, metavar="FILE")
        parser.add_argument("--capture", type=int, help="As known at this capture; at the newest without.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        output: Path = options["output"].resolve()
        if not output.parent.is_dir():
            raise CommandError(f"There is no folder {output.parent}.")
        try:
            about = subject(
                options["organization"],
                options["first"],
                options["last"],
                now=datetime.now(UTC),
                capture_sequence=options["capture"],
            )
            built = build(about, output)
        except ComplianceError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(
                json.dumps({"file": str(output), "capture": about.pin.capture_sequence} | built._asdict())
            )
            return
        rows = sum(built.registers.values())
        self.stdout.write(
            f"{output}: {rows} rows as known at capture {about.pin.capture_sequence}, {built.size} bytes."
        )
        self.stdout.write(f"SHA-256 of its SHA256SUMS, to be told to whoever verifies it: {built.list_sha256}")
