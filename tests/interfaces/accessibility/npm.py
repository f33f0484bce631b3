"""What pages are checked with: pinned by a lock file beside this module, fetched once by `npm ci` into a folder."""

import fcntl
import hashlib
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FOLDER = HERE.parents[2] / "var" / "accessibility"


@lru_cache(maxsize=4)
def script(path: str) -> str:
    """The text of a script of a package. Skips the test where npm is missing; what npm refuses is a failure."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is missing, by which axe-core and HTML_CodeSniffer are fetched: apt-get install -y npm")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests that run beside one another fetch it once
        _fetch(npm)
    return (FOLDER / "node_modules" / path).read_text(encoding="utf-8")


def _fetch(npm: str) -> None:
    stamp = FOLDER / "installed"
    digest = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, FOLDER / name)
    subprocess.run([npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=FOLDER, check=True)
    stamp.write_text(digest)
