"""The machine-readable contract, OpenAPI 3.1, made by drf-spectacular from the views and the row classes.

`finish` adds what holds for every answer: header fields, problems, security, examples. Served at /v1/openapi.json and
kept in the repository as docs/openapi.json.
"""

from functools import lru_cache
from typing import Any

import orjson
from django.conf import settings
from drf_spectacular.generators import SchemaGenerator
from rest_framework.request import Request
from rest_framework.response import Response

from compliance.catalogue import READINGS
from compliance.interfaces.api import described, envelope, parameters, views
from compliance.interfaces.api.described import Problems
from compliance.interfaces.api.problems import Code
from compliance.interfaces.api.schema import parameters_of

REVISION = "1.2.0"
SNAPSHOT_PATH, OPENAPI_PATH = "/v1/snapshot", "/v1/openapi.json"
OF_PATH = {f"/v1/{register.path}": register for register in READINGS}
PROBLEMS = Problems(
    {
        400: "The request, a parameter or the cursor is not valid, or the URL held an API key.",
        401: "The API key is missing or not valid.",
        403: "The key lacks the scope, or the caller's network is not allowed.",
        404: "There is nothing at this address.",
        405: "Only GET and HEAD are allowed.",
        422: "The moment lies before the history, or one row alone is larger than a page.",
        429: "Too many calls in this minute, or at the same time.",
        502: "The read failed.",
        503: "The history, its writer or the database is not available.",
        504: "The read took too long.",
    },
    tuple(code for code in Code if code.value.of_v1),
)
_DESCRIPTION = """Read-only, company-scoped learning-compliance facts. Every call carries a company API key in
`Authorization: Bearer <API_KEY>` and reads from a pinned snapshot of the company's history, so paging is consistent.
Compare `sequence` and `capture_sequence` of `/v1/snapshot` with those of your last complete pull to see whether any
recorded fact has changed; fields marked `x-clock-dependent` can change without."""


class ContractViewSet(views.ApiViewSet):
    """`/v1/openapi.json`, for any valid key."""

    def list(self, request: Request) -> Response:
        """The OpenAPI document as JSON."""
        parameters.parse(views.query_of(request), ())
        return Response(document_bytes(settings.BASE_URL))


@lru_cache(maxsize=2)
def document_bytes(base_url: str) -> bytes:
    """The document as it is served."""
    return orjson.dumps(document(base_url), option=orjson.OPT_INDENT_2) + b"\n"


def document(base_url: str) -> dict[str, Any]:
    """The whole document for a service at `base_url`."""
    generated = SchemaGenerator(urlconf="compliance.interfaces.api.urls", api_version=REVISION).get_schema(
        request=None, public=True
    )
    return finish(orjson.loads(orjson.dumps(generated)), base_url)


def finish(made: dict[str, Any], base_url: str) -> dict[str, Any]:
    """Adds to a generated document what holds for every operation."""
    schemas = made.setdefault("components", {}).setdefault("schemas", {})
    for model in (envelope.ProblemDocument, envelope.SnapshotAnswer):
        described.register(model, schemas)
    schemas["Document"] = {"type": "object", "description": "An OpenAPI 3.1 document.", "additionalProperties": True}
    schemas["ProblemDocument"]["properties"]["code"]["enum"] = [code.code for code in PROBLEMS.codes]
    for schema in schemas.values():
        described.tidy(schema)
    paths = {path: _path(path, made["paths"].get(path, {})) for path in (*OF_PATH, SNAPSHOT_PATH, OPENAPI_PATH)}
    for path in paths.values():
        _exemplify(path["get"], schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Company Compliance Records API",
            "version": REVISION,
            "summary": "Training records, certificates, people, course versions, policies and receipts of a company.",
            "description": _DESCRIPTION,
            "contact": {"name": "The service's operator", "url": f"{base_url}/docs"},
            "license": {"name": "Proprietary", "url": f"{base_url}/docs"},
        },
        "servers": [{"url": base_url}],
        "security": [{"apiKey": []}],
        "tags": [
            {"name": "certificates", "description": "Certificates issued to employees."},
            {"name": "people", "description": "Employees and invitations."},
            {"name": "policies", "description": "Policy versions, who owes them, and receipts."},
            {"name": "service", "description": "Snapshot and contract."},
            {"name": "training", "description": "Training records and course versions."},
        ],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "headers": described.HEADERS,
            "responses": PROBLEMS.components(),
            "securitySchemes": described.SECURITY_SCHEMES,
        },
    }


def _path(path: str, generated: dict[str, Any]) -> dict[str, Any]:
    """The operations of a path: GET as generated, completed, and HEAD, which answers the same without a body."""
    register = OF_PATH.get(path)
    if register is None:
        name = "Snapshot" if path == SNAPSHOT_PATH else "Contract"
        model = "SnapshotAnswer" if path == SNAPSHOT_PATH else "Document"
        get: dict[str, Any] = {
            "operationId": f"get{name}",
            "summary": "The company's latest snapshot" if path == SNAPSHOT_PATH else "This document",
            "description": "Accepts a key with any scope.",
            "tags": ["service"],
        }
        success = "The latest snapshot." if path == SNAPSHOT_PATH else "The machine-readable contract."
    else:
        model = envelope.page_of(register).__name__
        order = [parameter.name for parameter in parameters_of(register)]
        get = {
            "operationId": register.operation,
            "summary": register.summary,
            "description": f"{register.description} Needs the scope `{register.scope}`.",
            "tags": [register.tag],
            "x-scope": register.scope.value,
            "parameters": sorted(generated["get"]["parameters"], key=lambda each: order.index(each["name"])),
        }
        success = "One page from a pinned company snapshot."
    operations = PROBLEMS.operations(get, success, model)
    if register is not None:
        operations["get"]["responses"]["200"]["links"] = _links(register.operation)
    return operations


def _links(operation: str) -> dict[str, Any]:
    """How to go on from a page: to the next one and, from courses, to the records of one."""
    links: dict[str, Any] = {
        "next": {
            "operationId": operation,
            "parameters": {"cursor": "$response.body#/next_cursor"},
            "description": "The next page, while `next_cursor` is not null.",
        }
    }
    if operation == "listCourses":
        links["records"] = {
            "operationId": "listTrainingRecords",
            "parameters": {"course": "$response.body#/data/0/course_id"},
            "description": "The training records of a course, here the first one's.",
        }
    return links


def _exemplify(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
    media = operation["responses"]["200"]["content"]["application/json"]
    if not media["schema"]["$ref"].endswith("/Document"):
        media["example"] = envelope.example_of(media["schema"], schemas)
