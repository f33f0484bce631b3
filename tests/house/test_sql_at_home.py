"""SQL stays at home: a statement names only tables of models that the app of its own folder declares."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps

ROOT = Path(__file__).parents[2]
PRODUCT = ROOT / "compliance"


def _homes() -> dict[str, Path]:
    """The folder of the app that declares each table; tables of libraries have folders outside of the product."""
    models = apps.get_models(include_auto_created=True)
    return {model._meta.db_table: Path(model._meta.app_config.path) for model in models}


def _statements(tree: ast.Module) -> Iterator[str]:
    """Every string in which a table may be named: any of more than one word, and the first argument of a call.

    So a table is found in `sql.insert("people_team", ...)` and in `append` and `update` of `facts/rows.py` too.
    """
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            if " " in node.value.strip():
                yield node.value
        elif isinstance(node, ast.Call):
            yield from (str(each.value) for each in node.args[:1] if isinstance(each, ast.Constant))


def _foreign_tables(path: Path, homes: dict[str, Path]) -> set[str]:
    text = path.read_text()
    named = {word for each in _statements(ast.parse(text)) for word in re.findall(r"\w+", each) if word in homes}
    return {table for table in named if not path.is_relative_to(homes[table])}


def _found() -> dict[str, set[str]]:
    homes = _homes()
    files = [path for path in PRODUCT.rglob("*.py") if "migrations" not in path.parts]
    found = {str(path.relative_to(PRODUCT)): _foreign_tables(path, homes) for path in sorted(files)}
    return {name: tables for name, tables in found.items() if tables}


def test_no_statement_names_a_table_of_another_room():
    foreign = [f"{name}: {table}" for name, tables in _found().items() for table in tables]
    assert not foreign, f"Ask the room that owns the table, by its queries.py: {sorted(foreign)}"


@pytest.mark.parametrize(
    ("source", "tables"),
    [
        ('fetch("SELECT 1 FROM history_historyrow v")', {"history_historyrow"}),
        (
            'fetch(f"SELECT {columns} FROM history_historyrow v JOIN people_profile p")',
            {"history_historyrow", "people_profile"},
        ),
        ('sql.insert("people_profile", {})', {"people_profile"}),
        ('append("people_profile", organization_id, {}, [])', {"people_profile"}),
        ('"""Reads people_profile and more."""', set()),
    ],
)
def test_a_statement_is_recognized_wherever_it_is_written(source, tables, tmp_path):
    path = tmp_path / "module.py"
    path.write_text(source)
    assert _foreign_tables(path, _homes()) == tables
