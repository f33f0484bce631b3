"""The contract as a document: current, valid, and what the answers of the suite keep to."""

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

from compliance.interfaces.api import views
from compliance.interfaces.api.described import OF_PATH
from compliance.interfaces.api.openapi import document, document_bytes
from compliance.interfaces.api.problems import Code
from compliance.interfaces.commands.management.commands.openapi import EXAMPLE_URL

KEPT = Path(settings.ROOT) / "docs" / "openapi.json"


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
    assert set(contract["paths"]) == {*OF_PATH, "/v1/snapshot", "/v1/openapi.json"}
    ids = [operation["operationId"] for path in contract["paths"].values() for operation in path.values()]
    assert len(set(ids)) == len(ids) == 20
    statuses = {str(code.status) for code in Code}
    for path in contract["paths"].values():
        assert set(path) == {"get", "head"}
        for operation in path.values():
            assert set(operation["responses"]) == statuses | {"200"}
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
    targets = {path: path for path in OF_PATH} | {
        path: f"{path}?from=2026-01-01&to=2026-02-01" for path in ("/v1/people", "/v1/training-records/period")
    }
    for path, target in targets.items():
        _validator(contract, OF_PATH[path].model.__name__).validate(call(target).json())
        assert contract["paths"][path]["get"]["x-scope"] == OF_PATH[path].scope
    _validator(contract, "SnapshotAnswer").validate(call("/v1/snapshot").json())
    problem = call("/v1/people").json()
    _validator(contract, "ProblemDocument").validate(problem)
    with pytest.raises(jsonschema.ValidationError):
        _validator(contract, "ProblemDocument").validate(problem | {"code": "another"})
    assert call("/v1/openapi.json").json()["servers"] == [{"url": settings.BASE_URL}]


def test_each_view_asks_for_the_scope_that_its_description_names():
    of_view = {
        "/v1/training-records": views.TrainingRecordViewSet, "/v1/training-records/period": views.TrainingRecordViewSet,
        "/v1/certificates": views.CertificateViewSet, "/v1/people": views.PersonViewSet,
        "/v1/courses": views.CourseViewSet, "/v1/policies": views.PolicyViewSet,
        "/v1/policy-records": views.PolicyRecordViewSet, "/v1/acknowledgements": views.AcknowledgementViewSet,
    }  # fmt: skip
    assert {path: view.required_scope for path, view in of_view.items()} == {
        path: described.scope for path, described in OF_PATH.items()
    }


@pytest.mark.django_db
def test_each_problem_type_is_a_page_and_the_docs_load_nothing_from_elsewhere(client):
    for code in Code:
        page = client.get(f"/problems/{code.code}")
        assert page.status_code == 200
        assert code.value.title in html.unescape(page.content.decode())
    assert client.get("/problems/none").status_code == 404
    assert client.get("/problems").status_code == 200
    docs = client.get("/docs").content.decode()
    assert "swagger-ui-bundle.js" in docs
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', docs)
    assert client.get("/docs/openapi.json").json()["info"]["version"] == "1.2.0"


@pytest.mark.django_db
def test_health_needs_no_key(client):
    assert client.get("/livez").json() == {"status": "ok"}
    ready = client.get("/readyz")
    checks = ready.json()["checks"]
    assert (checks["database"], checks["redis"], checks["migrations"]) == ("ok", "ok", "ok")
    # Companies of other tests may have left facts waiting: the answer must then say so.
    assert (ready.status_code, checks["writer"]) in ((200, "ok"), (503, "behind"))
