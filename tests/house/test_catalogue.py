"""Each register, and each field of its rows, is declared once: how many files name it, counted from the code."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from compliance.catalogue import READINGS, REGISTERS
from compliance.catalogue.policies import POLICY_RECORDS
from compliance.catalogue.training import TRAINING_RECORDS
from compliance.registers.listings import LISTINGS

ROOT = Path(__file__).parents[2]
OFFLINE = Path("compliance/proofs/pack_registers.py")
"""What an auditor's verifier recomputes of every register: one module that imports nothing of the service, so
it names registers and fields again. `tests/proofs/test_pack_registers.py` compares it with the declarations.
"""

FILES = sorted(
    path.relative_to(ROOT)
    for folder in ("compliance", "config", "templates")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".html", ".typ", ".js", ".css")
    and "migrations" not in path.parts
    and path.relative_to(ROOT) != OFFLINE
)

NAMED_BY = {
    "policy-records": 3,
    "policies": 4,
    "courses": 5,
    "acknowledgements": 5,
    "people": 7,
    "certificates": 11,
    "training-records": 15,
}
"""The most Python files in which each register's declaration may be named, or its name written with a hyphen.

A new register is declared, projected and listed, as in the first entry. Others are named more often: for who owes, for
the certificates that result, for the chain of receipts, and for what staff do to each.
"""
WORDING = "compliance/interfaces/console/wording.py"
"""The one file with the words of every field and state for people; `tests/interfaces/console` requires them."""

NEW_REGISTER = 6
NEW_FIELD = 4
FIELDS = ("days_late", "reminders_sent", "waiver_reason_code", "due_time_zone", "waiver_actor_id")
LONGER_FIELDS = {"due_basis": 6, "ended_reason": 5}
"""Fields that the rules decide in more than one module; learners read `due_basis` as the reason for a deadline."""


@cache
def _text(path: Path) -> str:
    return (ROOT / path).read_text()


@cache
def _names(path: Path) -> frozenset[str]:
    """The names that a module uses and the complete strings that it contains."""
    found = set()
    for node in ast.walk(ast.parse(_text(path))):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        elif isinstance(node, ast.alias):
            found.add(node.name)
    return frozenset(found)


def _matching(pattern: str) -> list[str]:
    """The files in which a pattern occurs."""
    return [str(path) for path in FILES if re.search(pattern, _text(path), re.IGNORECASE)]


def test_a_new_register_touches_few_files():
    """Policy records represent all: no other thing has their name, so it is searched in any spelling."""
    found = _matching("policy[-_ ]?records?")
    assert len(found) <= NEW_REGISTER, found


@pytest.mark.parametrize("register", REGISTERS.values(), ids=lambda register: register.name)
def test_a_register_s_declaration_is_named_where_its_own_subject_is(register):
    constant = register.name.upper().replace("-", "_")
    wanted = {constant, register.name} if "-" in register.name else {constant}
    found = [str(path) for path in FILES if path.suffix == ".py" and wanted & _names(path)]
    assert len(found) <= NAMED_BY[register.name], found


@pytest.mark.parametrize("field", [*FIELDS, *LONGER_FIELDS])
def test_a_new_field_of_a_training_record_touches_few_files(field):
    assert field in TRAINING_RECORDS.row.model_fields
    found = [each for each in _matching(rf"\b{field}\b") if each != WORDING]
    assert len(found) <= LONGER_FIELDS.get(field, NEW_FIELD), found


def test_every_way_of_reading_a_register_has_one_listing_and_its_own_address_and_operation():
    assert [listing.register for listing in LISTINGS.values()] == list(READINGS)
    for name in ("page", "path", "file", "operation"):
        assert len({getattr(register, name) for register in READINGS}) == len(READINGS), name


@pytest.mark.parametrize("register", READINGS, ids=lambda register: register.page)
def test_what_a_declaration_names_are_fields_of_its_rows(register):
    fields = set(register.row.model_fields)
    assert {register.identity, *register.columns.values()} <= fields
    assert {column.name for column in register.listed} <= fields


def test_what_people_owe_is_found_by_what_it_is_of():
    assert [register.name for register in READINGS if register.owed == "policy"] == [POLICY_RECORDS.name]
