"""Validates a pack with the verifier that auditors run, in a separate process, with the log's key.

A run on our own machine proves nothing to others; it lets us find a fault before an auditor does. The page with the
result explains how to run it elsewhere.
"""

import logging
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from compliance.log import keys
from compliance.proofs.single_file import single_file

log = logging.getLogger(__name__)
SECONDS = 2 * 3600
LONGEST = 4000
"""How many characters of the verifier's output are kept."""


class Verdict(NamedTuple):
    """Whether the pack verified, None if the verifier did not run to its end; and what it printed."""

    holds: bool | None
    words: str


def validate(pack: Path) -> Verdict:
    """Runs the verifier on a pack, with each of the log's keys until it holds, the newest first.

    It raises nothing: a failure to run is a verdict too. The verdict of the newest key counts when none holds.
    """
    verdicts = []
    for key in keys.verifier_keys() or [""]:
        verdicts.append(_with_key(pack, key))
        if verdicts[-1].holds:
            return verdicts[-1]
    return verdicts[0]


def _with_key(pack: Path, key: str) -> Verdict:
    with tempfile.TemporaryDirectory(prefix="evidence-validated-", dir=pack.parent) as folder:
        program = Path(folder, "verify.py")
        program.write_text(single_file("verify"), encoding="utf-8", newline="")
        command = [sys.executable, "-I", "-S", str(program), str(pack), "--log-key", key]
        try:
            ended = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False, text=True)
        except (OSError, subprocess.TimeoutExpired) as error:
            log.warning("pack_not_verified", extra={"error": type(error).__name__})
            return Verdict(None, "")
    words = (ended.stdout + ended.stderr).replace(f"{pack.parent}/", "")
    return Verdict({0: True, 1: False}.get(ended.returncode), words[:LONGEST])
