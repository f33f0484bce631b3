"""docs/schemas/facts.json agrees with the classes that read lines."""

import json
from pathlib import Path

import jsonschema
import pytest

from compliance.facts.lines.kinds import KINDS
from compliance.facts.lines.schema import facts_schema, facts_schema_text
from tests.facts.files import course, joined, shared, waived

PUBLISHED = Path(__file__).parents[3] / "docs" / "schemas" / "facts.json"


def test_the_published_schema_is_current() -> None:
    assert PUBLISHED.read_text() == facts_schema_text(), (
        "run: python -m compliance.facts.lines.schema > docs/schemas/facts.json"
    )


def test_every_kind_of_fact_has_its_schema() -> None:
    told = {
        each["properties"]["fact"]["const"]
        for each in facts_schema()["$defs"].values()
        if "fact" in each.get("properties", ())
    }
    assert told == set(KINDS)


def test_the_schema_takes_what_is_well_formed_and_refuses_what_is_not() -> None:
    validator = jsonschema.Draft202012Validator(json.loads(PUBLISHED.read_text()))
    validator.check_schema(validator.schema)
    for line in (joined("anna"), *course("x"), shared("x"), waived(1, "anna", "x", 2)):
        validator.validate(line)
    for line in (joined("anna", nickname="x"), shared("x", deadline={"basis": "none", "days": 1}), {"fact": "x"}):
        with pytest.raises(jsonschema.ValidationError):
            validator.validate(line)
