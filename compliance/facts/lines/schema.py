"""JSON Schema of a line of the facts file, made from the classes that read it (`docs/schemas/facts.json`).

`python -m compliance.facts.lines.schema > docs/schemas/facts.json` writes it anew.
"""

import json
import sys
from typing import Any

from compliance.facts.lines.kinds import adapter


def facts_schema() -> dict[str, Any]:
    """The schema of one line; a file is UTF-8 with one such object on each line."""
    schema = adapter.json_schema(mode="validation")
    for name, definition in schema["$defs"].items():
        if "fact" in definition.get("properties", {}):
            # The classes give the kind a default, so that Python code need not repeat it; in a file it is required.
            definition["properties"]["fact"].pop("default", None)
            definition["required"] = ["fact", *definition.get("required", ())]
        elif name in ("FixedDeadline", "DaysAfterAdded", "NoDeadline"):
            definition["properties"]["basis"].pop("default", None)
            definition["required"] = ["basis", *definition.get("required", ())]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "svc.facts/1: one line of a facts file",
        "description": "What the form of a line demands. References, moments and rules are judged with the whole file.",
        **schema,
    }


def facts_schema_text() -> str:
    """The schema as the text of the file."""
    return json.dumps(facts_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(facts_schema_text())
