"""Builds a program of this room as one file, which an auditor downloads and runs with only Python.

The file has the unchanged sources of the modules that the program needs, so that a reader can compare them with the
repository, and a few lines that run them. A program is a module with `main(arguments) -> exit status`.
"""

import ast
from pathlib import Path

FOLDER = Path(__file__).parent
PACKAGE = "compliance_proofs"
RULES = "compliance.rules."
"""The only modules outside this folder that a program may need: pure rules, with the standard library alone."""

_HEAD = '''#!/usr/bin/env python3
"""{title}

One file of the standard library; needs Python 3.11 or newer. Made from these modules, whose sources follow unchanged:
{names}.
"""

import sys
import types

if sys.version_info < (3, 11):
    sys.exit("This needs Python 3.11 or newer.")

SOURCES: dict[str, str] = {{}}
'''
_TAIL = '''

def load(package: str) -> types.ModuleType:
    """Run the sources, each as a module of `package`, and return the last one: the program."""
    root = types.ModuleType(package)
    root.__path__ = []
    sys.modules[package] = module = root
    for name, source in SOURCES.items():
        whole = name if "." in name else f"{{package}}.{{name}}"
        for above in (whole[:at] for at, character in enumerate(whole) if character == "."):
            sys.modules.setdefault(above, types.ModuleType(above)).__path__ = []
        module = types.ModuleType(whole)
        module.__package__, module.__file__ = whole.rpartition(".")[0], __file__
        sys.modules[whole] = module
        exec(compile(source, f"{{__file__}}:{{name}}.py", "exec"), module.__dict__)
        setattr(root, name, module)
    return module


if __name__ == "__main__":
    sys.exit(load("{package}").main(sys.argv[1:]))
'''


def single_file(program: str) -> str:
    """Return the source of one file that runs the module `program` of this folder.

    Raises ValueError for a program that is not one of this folder's modules, and for circular imports.
    """
    modules: dict[str, str] = {}
    _collect(program, modules, ())
    title = (ast.get_docstring(ast.parse(modules[program])) or program).splitlines()[0]
    parts = [_HEAD.format(title=title, names=", ".join(modules))]
    for name, source in modules.items():
        parts.append(f'\n# {"-" * 20} {name}.py {"-" * 20}\nSOURCES["{name}"] = {_literal(source)}\n')
    parts.append(_TAIL.format(package=PACKAGE))
    return "".join(parts)


def _collect(name: str, found: dict[str, str], above: tuple[str, ...]) -> None:
    """Add the module and, before it, all that it imports from this folder."""
    if name in found:
        return
    if name in above:
        raise ValueError(f"The imports of {name} lead back to it: {' -> '.join((*above, name))}.")
    path = FOLDER / f"{name}.py"
    if name.startswith(RULES):
        path = FOLDER.parent / f"{name.removeprefix('compliance.').replace('.', '/')}.py"
    elif not name.isidentifier():
        raise ValueError(f"There is no module {name}.")
    if not path.is_file():
        raise ValueError(f"There is no module {name}.")
    source = path.read_text(encoding="utf-8")
    for needed in _imports(source):
        _collect(needed, found, (*above, name))
    found[name] = source


def _imports(source: str) -> list[str]:
    """The modules of this folder and of the rules that a source imports anywhere, in order."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            names += [node.module] if node.module else [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(RULES):
            names.append(node.module)
    return list(dict.fromkeys(names))


def _literal(source: str) -> str:
    """The source as a literal without escapes, if that is possible."""
    if "'''" in source or source.endswith(("'", "\\")) or "\r" in source:
        return repr(source)
    return f"r'''{source}'''"
