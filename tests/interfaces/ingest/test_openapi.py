"""The description of /in/v1: valid OpenAPI, compared with the facts that are read and with the answers."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from compliance.facts.lines.kinds import KINDS
from compliance.facts.refusal_reasons import RefusalReason
from compliance.interfaces.api.problems import Code
from compliance.interfaces.ingest.openapi import PROBLEMS, document
from compliance.interfaces.ingest.refusals import MEANINGS
from compliance.interfaces.ingest.urls import urlpatterns
from tests.facts.files import team
from tests.facts.importing.test_importing import STORY

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = document("https://svc.example")
SCHEMAS = DOCUMENT["components"]["schemas"]
POST = DOCUMENT["paths"]["/in/v1/facts"]["post"]


def validator(name: str) -> Draft202012Validator:
    registry: Any = Registry().with_resource("urn:document", Resource.from_contents(DOCUMENT, DRAFT202012))
    return Draft202012Validator({"$ref": f"urn:document#/components/schemas/{name}"}, registry=registry)


def test_it_describes_every_address_and_refers_to_nothing_that_is_not_there() -> None:
    for name in set(re.findall(r'"#/components/(\w+/\w[\w-]*)"', json.dumps(DOCUMENT))):
        kind, _, member = name.partition("/")
        assert member in DOCUMENT["components"][kind], name
    for schema in SCHEMAS.values():
        Draft202012Validator.check_schema(schema)
    assert {f"/{pattern.pattern}" for pattern in urlpatterns} == set(DOCUMENT["paths"])


def test_it_describes_the_facts_that_are_read() -> None:
    for line in STORY:
        validator("Fact").validate(line)
    kept = json.loads((ROOT / "docs/schemas/facts.json").read_text())["$defs"]
    assert set(kept) <= set(SCHEMAS)
    assert {
        schema["properties"]["fact"]["const"] for schema in SCHEMAS.values() if "fact" in schema.get("properties", {})
    } == set(KINDS)


def test_it_names_every_problem_and_every_code_of_a_line() -> None:
    assert set(POST["responses"]) == {"200", *(str(code.status) for code in PROBLEMS.codes)}
    named = SCHEMAS["ProblemDocument"]["properties"]["code"]["enum"]
    ours = {Code.NOT_SIGNED_YET}
    assert {code.code for code in Code if not code.value.of_v1 and code not in ours} <= set(named)
    never = {RefusalReason.LINE_TOO_LONG, RefusalReason.ACTOR_NOT_ALLOWED}
    assert set(MEANINGS) == set(RefusalReason) - never
    assert SCHEMAS["RefusalReason"]["enum"] == [reason.value for reason in MEANINGS]


def test_the_page_for_people_explains_every_code_of_a_line() -> None:
    page = (ROOT / "docs/facts-api.md").read_text()
    assert [reason for reason in MEANINGS if f"| `{reason}` |" not in page] == []


@pytest.mark.django_db
def test_answers_keep_to_it(post: Any, settings: Any) -> None:
    settings.BASE_URL = "https://svc.example"
    assert post(b"", to="/in/v1/openapi.json", method="GET").json() == DOCUMENT
    head = post(b"", to="/in/v1/openapi.json", method="HEAD")
    assert (head.status_code, head.content) == (200, b"")
    facts = [team("blue"), {"fact": "x"}]
    validator("RecordedFacts").validate(post(facts, HTTP_PREFER="wait=0").json())
    validator("RefusalDocument").validate(post(facts, "strict=true").json())
    problem = post(b"").json()
    validator("ProblemDocument").validate(problem)
    assert problem["code"] in SCHEMAS["ProblemDocument"]["properties"]["code"]["enum"]


def test_the_examples_keep_to_it() -> None:
    validator("RecordedFacts").validate(POST["responses"]["200"]["content"]["application/json"]["example"])
    for response in DOCUMENT["components"]["responses"].values():
        for content in response["content"].values():
            name = content["schema"]["$ref"].rsplit("/", 1)[1]
            for example in content["examples"].values():
                validator(name).validate(example["value"])
