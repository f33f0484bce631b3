"""The contract as a document: it is current and valid, and the answers of the suite conform to it."""

import html
import json
import re
from pathlib import Path

import jsonschema
import pytest
from django.conf import settings
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from compliance.interfaces.api.openapi import document, document_bytes
from compliance.interfaces.api.problems import Code
from compliance.interfaces.api.urls import urlpatterns
from compliance.interfaces.commands.management.commands.openapi import EXAMPLE_URL
from tests.interfaces.api.conftest import ALL, Caller

KEPT = Path(settings.ROOT) / "docs" / "openapi.json"
# The contract, written out: the document, and the catalogue that it is made from, are both compared with it.
SCOPES = {
    "/v1/training-records": "training:read",
    "/v1/training-records/period": "training:read",
    "/v1/courses": "training:read",
    "/v1/certificates": "certificates:read",
    "/v1/people": "people:read",
    "/v1/policies": "acknowledgements:read",
    "/v1/policy-records": "acknowledgements:read",
    "/v1/acknowledgements": "acknowledgements:read",
}
WITHOUT_SCOPE = {"/v1/snapshot", "/v1/openapi.json"}
PERIOD = "?from=2026-01-01&to=2026-02-01"
STATUSES = {"200", "400", "401", "403", "404", "405", "422", "429", "502", "503", "504"}


@pytest.fixture(scope="module")
def contract():
    return document(EXAMPLE_URL)


def _validator(contract, name):
    registry = Registry().with_resource("urn:contract", Resource.from_contents(contract, DRAFT202012))
    return Draft202012Validator(
        {"$ref": f"urn:contract#/components/schemas/{name}"},
        registry=registry,
        format_checker=Draft202012Validator.FORMAT_CHECKER,
    )


def test_the_kept_document_is_current():
    assert KEPT.read_bytes() == document_bytes(EXAMPLE_URL), "manage.py openapi --file docs/openapi.json"


def test_every_endpoint_of_the_contract_is_described_with_get_and_head(contract):
    assert contract["info"]["version"] == "1.2.0"
    assert contract["openapi"].startswith("3.1")
    assert set(contract["paths"]) == {*SCOPES, *WITHOUT_SCOPE} == {f"/{each.pattern}" for each in urlpatterns}
    ids = [operation["operationId"] for path in contract["paths"].values() for operation in path.values()]
    assert len(set(ids)) == len(ids) == 20
    for path in contract["paths"].values():
        assert set(path) == {"get", "head"}
        for operation in path.values():
            assert set(operation["responses"]) == STATUSES
            assert {"description", "summary", "tags"} <= set(operation)


def test_the_parameters_are_the_contract_s(contract):
    names = {
        path: [parameter["name"] for parameter in contract["paths"][path]["get"].get("parameters", [])]
        for path in contract["paths"]
    }
    assert names == {
        "/v1/training-records": ["as_at", "course", "cursor", "limit"],
        "/v1/training-records/period": ["from", "to", "course", "cursor", "limit"],
        "/v1/certificates": ["as_at", "cursor", "limit"],
        "/v1/people": ["from", "to", "cursor", "limit"],
        "/v1/courses": ["cursor", "limit"],
        "/v1/policies": ["as_at", "cursor", "limit"],
        "/v1/policy-records": ["as_at", "cursor", "limit"],
        "/v1/acknowledgements": ["as_at", "from", "cursor", "limit"],
        "/v1/snapshot": [],
        "/v1/openapi.json": [],
    }


def test_every_field_has_a_type_and_a_meaning_and_every_reference_leads_somewhere(contract):
    for name, schema in contract["components"]["schemas"].items():
        assert schema.get("description"), name
        for field, member in schema.get("properties", {}).items():
            assert member.get("description"), (name, field)
            assert {"type", "$ref", "anyOf"} & set(member), (name, field)
    text = json.dumps(contract)
    for reference in set(re.findall(r'"#/([^"]+)"', text)):
        place = contract
        for step in reference.split("/"):
            place = place[step]


def test_personal_fields_are_optional_and_clock_dependent_ones_are_marked(contract):
    schemas = contract["components"]["schemas"]
    personal = {"person_name", "work_email", "account_email", "check_code"}
    for name in ("TrainingRecord", "Person", "Certificate", "PolicyRecord", "Receipt"):
        fields = set(schemas[name]["properties"])
        assert fields - set(schemas[name]["required"]) == fields & personal
    marked = {
        (name, field)
        for name, schema in schemas.items()
        for field, member in schema.get("properties", {}).items()
        if member.get("x-clock-dependent")
    }
    assert marked == {
        ("TrainingRecord", "outcome"), ("TrainingRecord", "days_late"), ("Person", "invitation_status"),
        ("Certificate", "status"), ("PolicyRecord", "state"),
    }  # fmt: skip


def _members(schema):
    """All schemas within a schema."""
    yield schema
    for part in schema.values():
        for each in part if isinstance(part, list) else [part]:
            if isinstance(each, dict):
                yield from _members(each)


def test_signed_at_reaches_clients_as_the_text_that_is_hashed(contract):
    found = []
    for name, schema in contract["components"]["schemas"].items():
        member = schema.get("properties", {}).get("signed_at")
        if member is None:
            continue
        found.append(name)
        (text,) = [each for each in _members(member) if each.get("type") == "string"]
        assert text["pattern"].startswith("^[0-9]{4}-")
        assert all("format" not in each for each in _members(member))
    assert found == ["PolicyRecord", "Receipt"]


def test_a_member_that_a_later_version_adds_breaks_no_client(contract):
    for name, schema in contract["components"]["schemas"].items():
        assert all(each.get("additionalProperties") is not False for each in _members(schema)), name
    media = contract["paths"]["/v1/acknowledgements"]["get"]["responses"]["200"]["content"]["application/json"]
    page = media["example"]
    page = page | {"later": 1, "data": [page["data"][0] | {"later": 1}], "snapshot": page["snapshot"] | {"later": 1}}
    _validator(contract, "ReceiptPage").validate(page)


def test_the_document_is_valid_and_so_are_its_examples(contract):
    for name in contract["components"]["schemas"]:
        Draft202012Validator.check_schema(contract["components"]["schemas"][name])
    for path in contract["paths"].values():
        media = path["get"]["responses"]["200"]["content"]["application/json"]
        if "example" in media:
            _validator(contract, media["schema"]["$ref"].rsplit("/", 1)[1]).validate(media["example"])
    for response in contract["components"]["responses"].values():
        for example in response["content"]["application/problem+json"]["examples"].values():
            _validator(contract, "ProblemDocument").validate(example["value"])


@pytest.mark.django_db
def test_answers_keep_to_the_document(contract, call):
    for path in SCOPES:
        answer = contract["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        _validator(contract, answer["$ref"].rsplit("/", 1)[1]).validate(call(_target(path)).json())
    _validator(contract, "SnapshotAnswer").validate(call("/v1/snapshot").json())
    problem = call("/v1/people").json()
    _validator(contract, "ProblemDocument").validate(problem)
    with pytest.raises(jsonschema.ValidationError):
        _validator(contract, "ProblemDocument").validate(problem | {"code": "another"})
    assert call("/v1/openapi.json").json()["servers"] == [{"url": settings.BASE_URL}]


def _target(path):
    return path + PERIOD if path in ("/v1/people", "/v1/training-records/period") else path


@pytest.mark.django_db
@pytest.mark.parametrize("path", SCOPES)
def test_an_endpoint_opens_with_the_scope_that_the_document_names_and_with_no_other(path, contract, stored, key_of):
    scope = contract["paths"][path]["get"]["x-scope"]
    assert scope == SCOPES[path]
    assert Caller(key_of(stored, (scope,)))(_target(path)).status_code == 200
    refused = Caller(key_of(stored, tuple(set(ALL) - {scope})))(_target(path))
    assert (refused.status_code, refused.json()["code"]) == (403, "insufficient_scope")


@pytest.mark.django_db
def test_each_problem_type_is_a_page_and_the_docs_load_nothing_from_elsewhere(client):
    for code in Code:
        page = client.get(f"/problems/{code.code}")
        assert page.status_code == 200
        assert code.value.title in html.unescape(page.content.decode())
    assert client.get("/problems/none").status_code == 404
    assert client.get("/problems").status_code == 200
    docs = client.get("/docs").content.decode()
    assert "<script" not in docs
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', docs)
    assert client.get("/docs/openapi.json").json()["info"]["version"] == "1.2.0"


@pytest.mark.django_db
def test_the_docs_show_every_operation_parameter_and_member_of_the_document(client):
    """The page for people is rendered from the document for machines, so neither can lack anything."""
    document = client.get("/docs/openapi.json").json()
    html_page = html.unescape(client.get("/docs").content.decode())
    for path, methods in document["paths"].items():
        assert f"<code>{path}</code>" in html_page
        assert methods["get"]["summary"] in html_page
        for parameter in methods["get"].get("parameters", ()):
            assert f"<code>{parameter['name']}</code>" in html_page
    for name, schema in document["components"]["schemas"].items():
        assert name == "Document" or f'id="schema-{name}"' in html_page
        for member in schema.get("properties", {}):
            assert f"<code>{member}</code>" in html_page
        for word in schema.get("enum", ()):
            assert f"<code>{word}</code>" in html_page
    targets = set(re.findall(r'href="#([^"]+)"', html_page))
    assert targets <= set(re.findall(r'id="([^"]+)"', html_page))
    assert 'from=2026-01-01&to=2026-03-31"' in html_page


@pytest.mark.django_db
def test_health_needs_no_key(client):
    assert client.get("/livez").json() == {"status": "ok"}
    ready = client.get("/readyz")
    checks = ready.json()["checks"]
    assert (checks["database"], checks["redis"], checks["migrations"]) == ("ok", "ok", "ok")
    # Companies of other tests may have left facts waiting: the answer must then state it.
    assert (ready.status_code, checks["writer"]) in ((200, "ok"), (503, "behind"))
