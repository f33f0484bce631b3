"""The tools of `make clients`, pinned, under `var/clients`: a virtual environment and npm packages."""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOLDER = ROOT / "var" / "clients"
PYTHON = FOLDER / "venv" / "bin" / "python"
PYTHON_PROGRAMS = FOLDER / "venv" / "bin"
NODE_PROGRAMS = FOLDER / "node_modules" / ".bin"


def install() -> None:
    """Installs what has changed since the last time."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    _once("python", ["requirements.txt"], _install_python)
    _once("node", ["package.json", "package-lock.json"], _install_node)


def _once(name: str, inputs: list[str], work: Callable[[], None]) -> None:
    digest = hashlib.sha256(b"".join((HERE / each).read_bytes() for each in inputs)).hexdigest()
    stamp = FOLDER / f"{name}.installed"
    if stamp.exists() and stamp.read_text() == digest:
        return
    sys.stdout.write(f"Installing the {name} tools under {FOLDER.relative_to(ROOT)} ...\n")
    sys.stdout.flush()
    work()
    stamp.write_text(digest)


def _install_python() -> None:
    subprocess.run([sys.executable, "-m", "venv", "--clear", FOLDER / "venv"], check=True)
    subprocess.run(
        [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--no-deps",
         "--require-hashes", "-r", HERE / "requirements.txt"],
        check=True,
    )  # fmt: skip


def _install_node() -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, FOLDER / name)
    subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=FOLDER, check=True)
