"""What the OpenAPI documents of all our APIs share: header fields, problems, security, HEAD operations, the frame."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from compliance.catalogue.fields import Shape
from compliance.interfaces.api.envelope import ProblemDocument
from compliance.interfaces.api.problems import Code

HEADERS = {
    "X-Request-Id": {
        "description": "Id of the call.",
        "required": True,
        "schema": {"type": "string", "format": "uuid"},
    },
    "Cache-Control": {
        "description": "Answers are never stored.",
        "required": True,
        "schema": {"type": "string", "const": "no-store"},
    },
    "RateLimit-Policy": {
        "description": "Quotas and windows (draft-ietf-httpapi-ratelimit-headers-10).",
        "required": True,
        "schema": {"type": "string", "examples": ['"key";q=600;w=60, "company";q=1200;w=60']},
    },
    "RateLimit": {
        "description": "What remains of each quota, and in how many seconds it starts anew.",
        "required": True,
        "schema": {"type": "string", "examples": ['"key";r=599;t=42, "company";r=1198;t=42']},
    },
    "Retry-After": {
        "description": "Seconds to wait.",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
    },
    "WWW-Authenticate": {
        "description": "What the key lacks (RFC 6750).",
        "schema": {"type": "string", "examples": ['Bearer realm="svc", error="invalid_token"']},
    },
    "Vary": {
        "description": "An answer depends on what the caller can decompress.",
        "required": True,
        "schema": {"type": "string", "const": "Accept-Encoding"},
    },
    "Content-Encoding": {
        "description": "How the body is compressed, as `Accept-Encoding` prefers. Without this field it is not; a body"
        " of up to 1,024 bytes never is, unless `identity` was refused.",
        "schema": {"type": "string", "enum": ["zstd", "gzip"]},
    },
    "Allow": {"description": "The methods that are allowed.", "required": True, "schema": {"type": "string"}},
}
SECURITY_SCHEMES = {
    "apiKey": {
        "type": "http",
        "scheme": "bearer",
        "description": "A company API key (`svc_live_…` or `svc_test_…`). Send it in the header only: a"
        " key that appears in a URL is revoked.",
    }
}
_EVERYWHERE = ("X-Request-Id", "Cache-Control", "RateLimit-Policy", "RateLimit", "Vary")
MORE: dict[int, tuple[str, ...]] = {
    401: ("WWW-Authenticate",),
    403: ("WWW-Authenticate",),
    405: ("Allow",),
    429: ("Retry-After",),
}


class Problems(NamedTuple):
    """The answers of an API that are problems: what each status means there, and its codes.

    `more` are header fields that a status carries besides those that are the same everywhere.
    """

    titles: dict[int, str]
    codes: tuple[Code, ...]
    more: dict[int, tuple[str, ...]] = MORE

    def components(self) -> dict[str, Any]:
        """The reusable responses, one per status."""
        return {f"Problem{status}": self._response(status) for status in self.titles}

    def operations(self, get: dict[str, Any], success: str, schema: str) -> dict[str, Any]:
        """The operations of a path: GET with its answers added, and HEAD, which answers the same without a body."""
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
        answered = {"description": success, "headers": headers("Content-Encoding")}
        get["responses"] = {"200": {**answered, "content": content}} | {
            str(status): {"$ref": f"#/components/responses/Problem{status}"} for status in self.titles
        }
        head = {key: value for key, value in get.items() if key != "responses"}
        head["operationId"] = get["operationId"].replace("list", "check", 1).replace("get", "check", 1)
        head["summary"] = f"{get['summary']}: headers only"
        head["responses"] = {"200": answered} | {
            str(status): {"description": title, "headers": headers(*self.more.get(status, ()))}
            for status, title in self.titles.items()
        }
        return {"get": get, "head": head}

    def contract(self, accepts: str) -> dict[str, Any]:
        """The operations of the path that serves the document itself; `accepts` describes who may ask for it."""
        get = {"operationId": "getContract", "summary": "This document", "description": accepts}
        return self.operations(get, "The document.", "Document")

    def schemas(self, models: Iterable[type[Shape]]) -> dict[str, Any]:
        """The schemas of `models`, of the problem document with the codes of this API, and of the document itself."""
        found: dict[str, Any] = {}
        for model in models:
            register(model, found)
        register(ProblemDocument, found)
        found["ProblemDocument"]["properties"]["code"]["enum"] = [code.code for code in self.codes]
        for schema in found.values():
            tidy(schema)
        return found | {
            "Document": {"type": "object", "description": "An OpenAPI 3.1 document.", "additionalProperties": True}
        }

    def _response(self, status: int) -> dict[str, Any]:
        codes = [code for code in self.codes if code.status == status]
        examples = {
            code.code: {
                "summary": code.value.title,
                "value": {
                    "type": f"https://svc.example/problems/{code.code}",
                    "title": code.value.title,
                    "status": status,
                    "detail": code.value.what,
                    "instance": "urn:uuid:5f0c8d3a-7b1e-4c52-9d64-0a1b2c3d4e5f",
                    "code": code.code,
                    "request_id": "5f0c8d3a-7b1e-4c52-9d64-0a1b2c3d4e5f",
                },
            }
            for code in codes
        }
        words = ", ".join(f"`{code.code}`" for code in codes)
        problem = {"schema": {"$ref": "#/components/schemas/ProblemDocument"}, "examples": examples}
        return {
            "description": f"{self.titles[status]} Codes: {words}.",
            "headers": headers(*self.more.get(status, ())),
            "content": {"application/problem+json": problem},
        }


def headers(*more: str) -> dict[str, Any]:
    """References to the header fields of every answer, and to `more`."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*_EVERYWHERE, *more)}


def register(model: type[Shape], schemas: dict[str, Any]) -> None:
    """Adds the schema of a class, and the schemas that it refers to, to `schemas`."""
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
    for name, part in schema.pop("$defs", {}).items():
        schemas.setdefault(name, part)
    schemas[model.__name__] = schema


def tidy(schema: dict[str, Any]) -> None:
    """Removes titles that only repeat names, defaults (an omitted member has none), and `additionalProperties: false`.

    A closed schema would break clients when a later version adds a member.
    """
    schema.pop("title", None)
    if schema.get("additionalProperties") is False:
        del schema["additionalProperties"]
    for member in schema.get("properties", {}).values():
        member.pop("title", None)
        member.pop("default", None)


def document(
    base_url: str, info: dict[str, Any], paths: dict[str, Any], schemas: dict[str, Any], responses: dict[str, Any],
    *, response_headers: dict[str, Any] = HEADERS, security: dict[str, Any] = SECURITY_SCHEMES,
) -> dict[str, Any]:  # fmt: skip
    """An OpenAPI document of these parts, for a service at `base_url`; every operation needs one of `security`."""
    return {
        "openapi": "3.1.0",
        "info": info,
        "servers": [{"url": base_url}],
        "security": [{name: []} for name in security],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "headers": response_headers,
            "responses": responses,
            "securitySchemes": security,
        },
    }
