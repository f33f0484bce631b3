"""Modules are short, documented, and named for their subject."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    path.relative_to(ROOT) for path in (ROOT / "compliance").rglob("*.py") if "migrations" not in path.parts
)
LONGEST = 400
DJANGOS = {"Meta", "add_arguments", "handle"}
"""What Django names and documents itself: the options of a model, and the two methods of every command."""
ERRORS_NAMED = (
    "access", "catalogue", "facts", "files", "history", "learning", "letters", "log", "provisioning", "registers",
    "rules", "webhooks",
)  # fmt: skip
"""Rooms in which the docstring of a public function names each error that the function raises itself."""
SAY_NOTHING = re.compile(r"(^|_)(utils?|helpers?|misc|common)(_|$)")
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def _public(tree: ast.AST) -> Iterator[Definition]:
    """The public classes and functions of a module, and the public methods of its public classes."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Definition) and not node.name.startswith("_") and node.name not in DJANGOS:
            yield node
            if isinstance(node, ast.ClassDef):
                yield from _public(node)


def _fault(documented: ast.Module | Definition) -> str | None:
    """What is wrong with a docstring, or None."""
    text = ast.get_docstring(documented)
    if text is None:
        return "has no docstring"
    if len(text.split()) < 3:
        return f"says too little: {text!r}"
    return None if re.search(r"""[.!?:]["'`)]*$""", text) else "does not end as a sentence does"


def test_every_public_thing_says_what_it_is_for() -> None:
    faults = []
    for path in MODULES:
        tree = ast.parse((ROOT / path).read_text())
        if not tree.body:
            continue  # a package that only contains other modules
        documented: list[ast.Module | Definition] = [tree, *_public(tree)]
        for node in documented:
            if fault := _fault(node):
                name, line = ("the module", 1) if isinstance(node, ast.Module) else (node.name, node.lineno)
                faults.append(f"{path}:{line}: {name} {fault}")
    assert not faults, "\n".join(faults)


def _raised(function: ast.FunctionDef) -> set[str]:
    """The classes of errors that a function raises itself: not in functions within it, or that it calls."""
    found, waiting = set(), list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Raise):
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            name = raised.id if isinstance(raised, ast.Name) else getattr(raised, "attr", "")
            found |= {name} if name[:1].isupper() else set()
        elif not isinstance(node, Definition):
            waiting += ast.iter_child_nodes(node)
    return found


@pytest.mark.parametrize("room", ERRORS_NAMED)
def test_public_functions_name_the_errors_that_they_raise(room: str) -> None:
    faults = []
    for path in MODULES:
        if path.parts[1] != room:
            continue
        for node in _public(ast.parse((ROOT / path).read_text())):
            if isinstance(node, ast.FunctionDef):
                unnamed = {name for name in _raised(node) if name not in (ast.get_docstring(node) or "")}
                faults += [f"{path}:{node.lineno}: {node.name} raises {name}" for name in sorted(unnamed)]
    assert not faults, "\n".join(faults)


def test_no_module_is_long() -> None:
    lengths = {str(path): (ROOT / path).read_text().count("\n") for path in MODULES}
    assert {name for name, lines in lengths.items() if lines > LONGEST} == set()


def test_names_say_the_subject() -> None:
    assert [str(path) for path in MODULES if any(SAY_NOTHING.search(part) for part in path.with_suffix("").parts)] == []
