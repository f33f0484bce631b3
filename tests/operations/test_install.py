"""Installing on a machine that lacks something: one line names it, instead of pages of output."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from development.embedded import ports

ROOT = Path(__file__).resolve().parents[2]
FIND = ROOT / "requirements" / "find_python.sh"
OLD = '#!/bin/sh\n[ "$1" = -V ] && echo Python 3.10.13 || exit 1\n'
NAMES = ("python3", "python3.11", "python3.12", "python3.13", "python3.14")


@pytest.fixture
def machine(tmp_path):
    """A machine whose every Python is too old, in a folder with a space and an accent; more may be put into `bin`."""
    place = tmp_path / "my café"
    programs = place / "bin"
    programs.mkdir(parents=True)
    for name in NAMES:
        _program(programs / name, OLD)
    environment = {
        "PATH": f"{programs}:/usr/bin:/bin", "HOME": str(place), "PYENV_ROOT": str(place / "pyenv"),
        "SYSTEM_PYTHONS": str(place / "system"),
    }  # fmt: skip
    return programs, environment


def _program(file: Path, text: str) -> None:
    file.write_text(text)
    file.chmod(0o755)


def _run(command, environment, folder=ROOT):
    return subprocess.run(
        list(map(str, command)), env=environment, cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_newer_python_is_taken_where_python3_is_too_old(machine, name):
    programs, environment = machine
    _program(programs / name, f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    found = _run(["sh", FIND], environment)
    assert (found.returncode, found.stdout, found.stderr) == (0, f"{name}\n", "")


def test_a_python_of_pyenv_is_taken_although_its_shim_does_not_run(machine):
    programs, environment = machine
    python = programs.parent / "pyenv" / "versions" / "3.12.1" / "bin" / "python"
    python.parent.mkdir(parents=True)
    _program(python, f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    assert _run(["sh", FIND], environment).stdout == f"{python}\n"


@pytest.mark.parametrize("optimised", [True, False])
def test_of_one_version_a_python_built_with_optimisations_is_taken_first(machine, optimised):
    """CI asks for one of each version; a pyenv build without optimisations comes before the system's on PATH."""
    programs, environment = machine
    system = programs.parent / "system"
    system.mkdir()
    name = f"python3.{sys.version_info[1]}"
    quick = "import sys; sys.base_prefix = '/usr'"
    slow = "import sys, sysconfig; sys.base_prefix = ''; sysconfig.get_config_var = lambda name: '--enable-shared'"
    for folder, build in ((programs, slow), (system, quick if optimised else slow)):
        _program(folder / name, f'#!/bin/sh\nexec "{sys.executable}" -c "{build}\n$2"\n')
    found = _run(["sh", FIND, "--all"], environment).stdout
    assert found == f"{system / name if optimised else name}\n"


def test_make_says_in_one_line_which_python_is_needed_and_makes_nothing(machine, tmp_path):
    _, environment = machine
    copy = tmp_path / "my café" / "copy"
    (copy / "requirements").mkdir(parents=True)
    for name in ("Makefile", "requirements/find_python.sh", "requirements/dev.txt"):
        shutil.copy(ROOT / name, copy / name)
    done = _run(["make", "demo"], environment, copy)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("make")]
    assert done.returncode == 2
    assert len(lines) == 1
    assert lines[0].startswith("Python 3.11 or newer with venv is needed")
    assert "python3 is Python 3.10.13." in lines[0]
    assert not (copy / ".venv").exists()


def test_a_command_without_its_packages_or_servers_says_so_in_one_line(tmp_path):
    without_site_packages = _run([sys.executable, "-S", "manage.py", "check"], {})
    assert without_site_packages.returncode == 1
    assert without_site_packages.stderr == (
        "django is not installed for this Python: run `make install`, then .venv/bin/python manage.py\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    without_servers = _run([sys.executable, "manage.py", "check"], environment | {"COMPLIANCE_FOLDER": str(tmp_path)})
    assert without_servers.returncode == 1
    assert without_servers.stderr == (
        "Set DATABASE_URL, REDIS_URL in the environment, or start the embedded servers: make servers.\n"
    )


def test_a_database_that_is_away_is_reported_in_one_line(tmp_path):
    nowhere = f"postgresql://app:secret@127.0.0.1:{ports.free_port()}/compliance"
    environment = os.environ | {"COMPLIANCE_FOLDER": str(tmp_path), "REDIS_URL": "redis://127.0.0.1:1/0"}
    done = _run([sys.executable, "manage.py", "showmigrations"], environment | {"DATABASE_URL": nowhere})
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("The database cannot be reached (embedded servers: make servers). ")
    assert "secret" not in done.stderr
