"""SQL is portable: what works on one PostgreSQL works where companies are spread over several, by `organization_id`.

Keys are read from the system catalogue, statements from the product's source. `KEYS_TO_COME` and `INSERTS_TO_COME`
list the exceptions that are left. They can only shrink: an entry that is no longer needed fails the test.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from inspect import signature
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from compliance.facts import rows
from compliance.tenancy import cluster, expected, sql

ROOT = Path(__file__).parents[2]
PRODUCT = ROOT / "compliance"

KEYS_TO_COME: frozenset[str] = frozenset()
"""Primary and unique keys of company tables, by the name of their index, without `organization_id`."""

INSERTS_TO_COME: dict[str, int] = {}
"""How many statements of a module are INSERT ... SELECT without RETURNING or ON CONFLICT."""

_KEYS = """
SELECT i.relname, array(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = i.oid)
FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
WHERE t.relnamespace = 'public'::regnamespace AND t.relname = ANY(%s) AND (x.indisunique OR x.indisexclusion)
"""
_REFERENCES = """
SELECT conname, conrelid::regclass::text, confrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype = 'f' AND connamespace = 'public'::regnamespace
"""
_INSERT = re.compile(r"\bINSERT\s+INTO\b.*\bSELECT\b", re.DOTALL)
_ANSWERED = re.compile(r"\bRETURNING\b|\bON\s+CONFLICT\b|\{(?:ending|cluster\.ANSWER)\}$")
"""`{ending}` is that of `sql.insert` and `rows.append`: the answer of a cluster unless the caller names a conflict."""


def _company_tables() -> set[str]:
    return {table.name for table in expected.tables() if table.of_companies}


@pytest.mark.django_db
def test_every_key_of_a_company_table_contains_the_company() -> None:
    with connection.cursor() as cursor:
        cursor.execute(_KEYS, [sorted(_company_tables())])
        keys = dict(cursor.fetchall())
    assert len(keys) > 50
    found = {name for name, columns in keys.items() if "organization_id" not in columns}
    assert not found - KEYS_TO_COME, (
        "A primary key gets it by `company_keys` of tenancy/protection.py in a migration, a unique one by its"
        f" constraint: {sorted(found - KEYS_TO_COME)}"
    )
    assert not KEYS_TO_COME - found, f"Take these out of KEYS_TO_COME: {sorted(KEYS_TO_COME - found)}"


@pytest.mark.django_db
def test_every_reference_to_or_from_a_company_table_contains_the_company() -> None:
    tables = _company_tables()
    with connection.cursor() as cursor:
        cursor.execute(_REFERENCES)
        references = [row for row in cursor.fetchall() if {row[1], row[2]} & tables]
    found = [f"{name}: {text}" for name, _, _, text in references if text.count("organization_id") < 2]
    assert not found, f"Name the row in a plain column, as `CompanyRow` names its company: {found}"


@pytest.mark.parametrize("function", [sql.insert, rows.append])
def test_whoever_inserts_without_an_ending_gets_one_that_answers(function: Callable[..., object]) -> None:
    assert signature(function).parameters["ending"].default == cluster.ANSWER
    assert not settings.CLUSTER or _ANSWERED.search(cluster.ANSWER)


def _rendered(node: ast.AST) -> str | None:
    """The text that an expression makes, with braces for what only the running program knows; None if it makes none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_rendered(each) or "" for each in node.values)
    if isinstance(node, ast.FormattedValue):
        return f"{{{ast.unparse(node.value)}}}"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [(_rendered(each), each) for each in (node.left, node.right)]
        if any(text is not None for text, _ in sides):
            return "".join(f"{{{ast.unparse(each)}}}" if text is None else text for text, each in sides)
    return None


def _texts(node: ast.AST) -> Iterator[str]:
    text = _rendered(node)
    if text is not None:
        yield text
        return
    for child in ast.iter_child_nodes(node):
        yield from _texts(child)


def _unanswered(source: str) -> list[str]:
    """The statements that insert the result of a query, and that the cluster would turn into a COPY."""
    return [text for text in _texts(ast.parse(source)) if _INSERT.search(text) and not _ANSWERED.search(text)]


def test_what_inserts_the_rows_of_a_query_returns_something_or_names_a_conflict() -> None:
    found = Counter[str]()
    for path in sorted(PRODUCT.rglob("*.py")):
        if "migrations" not in path.parts:
            found[str(path.relative_to(PRODUCT))] += len(_unanswered(path.read_text()))
    more = {name: number for name, number in found.items() if number > INSERTS_TO_COME.get(name, 0)}
    assert not more, f"A cluster makes a COPY of these, which row-level security refuses: {more}"
    fewer = {name: found[name] for name, number in INSERTS_TO_COME.items() if found[name] < number}
    assert not fewer, f"Write the lower numbers into INSERTS_TO_COME: {fewer}"


@pytest.mark.parametrize(
    ("source", "number"),
    [
        ('"INSERT INTO a (b) VALUES (1)"', 0),
        ('"INSERT INTO a (b)" " SELECT c FROM d"', 1),
        ('f"INSERT INTO {table} (b) SELECT {c} FROM unnest({d})"', 1),
        ('f"INSERT INTO {table} (b) SELECT {c} " + tail', 1),
        ('f"INSERT INTO {table} (b) SELECT {c} " + "RETURNING NULL"', 0),
        ('f"INSERT INTO a (b) SELECT c FROM d {e} RETURNING NULL"', 0),
        ('f"INSERT INTO {table} ({names}) SELECT * FROM unnest({casts}) {ending}"', 0),
        ('"INSERT INTO a (b) SELECT c ON CONFLICT (b) DO NOTHING"', 0),
    ],
)
def test_a_statement_is_recognized_wherever_it_is_put_together(source: str, number: int) -> None:
    assert len(_unanswered(source)) == number
