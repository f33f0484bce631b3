"""Kills the reference client ten times at random points; restarted, it ends with the bytes of an undisturbed one."""

import os
import random
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

KILLS = 10
LIMIT = "7"
ROOT = Path(__file__).parents[2]


def main(folder: Path) -> int:
    """Pulls once undisturbed and once disturbed, and compares."""
    alone, disturbed = folder / "alone", folder / "disturbed"
    as_at = datetime.now(UTC).isoformat()
    if _start(alone, as_at).wait() != 0:
        return 1
    found = _bytes(alone)
    chance = random.Random(6)
    kills = 0
    while kills < KILLS:
        before = _pulled(disturbed)
        process = _start(disturbed, as_at)
        while process.poll() is None and _pulled(disturbed) <= before:
            time.sleep(0.001)
        time.sleep(chance.random() / 20)
        if process.poll() is not None:
            sys.stdout.write(f"It ended by itself after {kills} kills.\n")
            return 1
        process.kill()
        process.wait()
        kills += 1
        sys.stdout.write(f"kill {kills}: {_pulled(disturbed)} bytes pulled\n")
    if _start(disturbed, as_at).wait() != 0:
        return 1
    if _bytes(disturbed) != found:
        sys.stdout.write("The bytes differ.\n")
        return 1
    for name, content in found.items():
        lines = content.count(b"\n")
        sys.stdout.write(f"{name}: {len(content)} bytes, {lines} lines, the same\n")
    return 0


def _start(folder: Path, as_at: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "compliance.interfaces.pull", "--base-url", os.environ["BASE_URL"],
         "--key-env", "SVC_KEY", "--as-at", as_at, "--limit", LIMIT, str(folder)],
        cwd=ROOT,
    )  # fmt: skip


def _pulled(folder: Path) -> int:
    return sum(part.stat().st_size for part in (folder / "pulling").glob("*.jsonl"))


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.json*"))}


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
