"""How much a standby that answers reads relieves its primary: `python -m benchmarks.standbys` as one row of the table."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.scale.table import Row
from development.embedded.errors import ServerDidNotStartError

SECONDS = 20.0


def measure(times: int) -> list[Row]:
    """Reads pages from the primary alone and with a standby, `times` in turn, while a writer changes their content."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        environment = {name: value for name, value in os.environ.items() if name != "CITUS"}  # plain PostgreSQL
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.standbys", "--rounds", str(times), "--seconds", str(SECONDS),
             "--json", str(file)], env=environment, stdout=sys.stderr, check=False,
        )  # fmt: skip
        if not file.exists():
            raise ServerDidNotStartError(f"python -m benchmarks.standbys ended with {done.returncode}.")
        measured: list[tuple[str, dict[str, Any]]] = json.loads(file.read_text())
    behind = sum(figures["behind"] for _, figures in measured)
    found = f"{behind} behind of {sum(figures['pages'] for _, figures in measured):,} pages"
    for name in ("primary alone", "with a standby"):
        of_this = [figures for each, figures in measured if each == name]
        pages, seconds = (sum(figures[what] for figures in of_this) for what in ("pages", "seconds"))
        primary, standby = (
            sum(figures[what] for figures in of_this) / max(pages, 1) * 1000 for what in ("primary", "standby")
        )
        found += (
            f"; {name}: {pages / seconds:.0f} pages a second,"
            f" processor {primary:.2f} ms a page at the primary, {standby:.2f} at the standby"
        )
    faults = (f"{behind} pages behind their pin",) if behind else ()
    return [Row("reads while the standby follows", times, found, "0 behind", faults)]
