"""Each package that the code imports is declared in pyproject.toml, and the lock files agree with what is declared."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
DEPLOYED = PROJECT["project"]["dependencies"] + PROJECT["project"]["optional-dependencies"]["parquet"]
GROUPS = {
    name: [each for each in group if isinstance(each, str)] for name, group in PROJECT["dependency-groups"].items()
}
OURS = {"benchmarks", "clients", "compliance", "config", "development", "tests"}


def _name(requirement: str) -> str:
    """The name of a package as the lock files spell it."""
    return re.split(r"[\[<>=]", requirement)[0].replace("_", "-").replace(".", "-").lower()


def _imported(path: Path) -> set[str]:
    """The modules of other packages that a module imports, without their submodules."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module)
    return {name.partition(".")[0] for name in found} - OURS - sys.stdlib_module_names


@pytest.mark.parametrize(
    ("folders", "declared"),
    [
        (("compliance", "config"), DEPLOYED),
        (("development",), DEPLOYED + GROUPS["development"]),
        (("benchmarks", "clients", "deploy", "docs", "tests"), [*DEPLOYED, *chain(*GROUPS.values())]),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_no_package_is_imported_that_only_another_package_requires(
    folders: tuple[str, ...], declared: list[str]
) -> None:
    names, packages = {_name(each) for each in declared}, packages_distributions()
    undeclared = {
        f"{path.relative_to(ROOT)}: {module}"
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        for module in _imported(path)
        # Not installed here: what the benchmarks and `make clients` install for themselves.
        if module in packages and names.isdisjoint(map(_name, packages[module]))
    }
    assert undeclared == set()


@pytest.mark.parametrize(
    ("lock", "declared"),
    [
        ("base", PROJECT["project"]["dependencies"]),
        ("dev", PROJECT["project"]["dependencies"] + GROUPS["development"] + GROUPS["dev"]),
        ("bench", PROJECT["project"]["dependencies"] + GROUPS["development"] + GROUPS["bench"]),
    ],
    ids=["base", "dev", "bench"],
)
def test_a_lock_file_holds_what_is_declared(lock: str, declared: list[str]) -> None:
    pins = re.split(r"\n(?=\S)", (ROOT / "requirements" / f"{lock}.txt").read_text())
    locked = {_name(pin) for pin in pins if "compliance-records (pyproject.toml" in pin}
    assert locked == {_name(each) for each in declared}
