"""The machine-readable description of /in/v1, served at /in/v1/openapi.json. The contract of /v1 is apart.

The facts are those of docs/schemas/facts.json, made from the same classes that read them.
"""

from typing import Any
from uuid import UUID

import orjson
from pydantic import Field

from compliance.catalogue.fields import Shape
from compliance.facts.lines.schema import facts_schema
from compliance.facts.refusal_reasons import RefusalReason
from compliance.interfaces.api import authentication, described, envelope, views
from compliance.interfaces.api.described import Problems
from compliance.interfaces.api.problems import Code
from compliance.interfaces.ingest import bodies, preferences
from compliance.interfaces.ingest.lines import MAXIMUM_LINES
from compliance.interfaces.ingest.refusals import MEANINGS

REVISION = "1.0.0"
_RECORDING = (
    Code.INVALID_REQUEST, Code.BODY_NOT_READABLE, Code.KEY_IN_URL, Code.INVALID_TOKEN, Code.INSUFFICIENT_SCOPE,
    Code.IP_NOT_ALLOWED, Code.NOT_FOUND, Code.METHOD_NOT_ALLOWED, Code.BODY_TIMED_OUT, Code.BODY_TOO_LARGE,
    Code.UNSUPPORTED_MEDIA_TYPE, Code.UNSUPPORTED_ENCODING, Code.LINES_REFUSED, Code.RATE_LIMITED,
    Code.CONCURRENT_LIMIT, Code.RECORDING_BUSY, Code.RECORDING_FAILED, Code.UPSTREAM_UNAVAILABLE, Code.NOT_RECORDED,
)  # fmt: skip
PROBLEMS = Problems(
    {
        400: "The request, a parameter or the body is not valid, or the URL held a token.",
        401: "The token is missing or not valid, or is none of a source.",
        403: "The source may bring no facts, or the caller's network is not allowed.",
        404: "There is nothing at this address.",
        405: "The address does not answer this method.",
        408: "The body took too long.",
        413: "The body is too large.",
        415: "The body is of a type, or encoded in a way, that the service does not read.",
        422: "Lines were refused, and the call asked for all or nothing.",
        429: "Too many calls in this minute or at the same time, or too much is being recorded.",
        500: "The facts could not be recorded.",
        503: "The database is not available.",
    },
    _RECORDING,
    described.MORE | {415: ("Accept-Post", "Accept-Encoding")},
)
OF_DOCUMENT = Problems(
    {status: PROBLEMS.titles[status] for status in (400, 401, 403, 404, 405, 429, 503)},
    (
        Code.INVALID_REQUEST, Code.KEY_IN_URL, Code.INVALID_TOKEN, Code.IP_NOT_ALLOWED, Code.NOT_FOUND,
        Code.METHOD_NOT_ALLOWED, Code.RATE_LIMITED, Code.CONCURRENT_LIMIT, Code.UPSTREAM_UNAVAILABLE,
    ),
)  # fmt: skip
_HEADERS = described.HEADERS | {
    "Preference-Applied": {
        "description": "`wait=` and the seconds that the call waited for at most (RFC 7240); absent where `Prefer` asks"
        " for nothing, or where too many others wait.",
        "schema": {"type": "string", "examples": ["wait=10"]},
    },
    "Accept-Post": {"description": "The types that are read.", "schema": {"type": "string"}},
    "Accept-Encoding": {"description": "The encodings that are read (RFC 9110, 12.5.3).", "schema": {"type": "string"}},
}
_SECURITY = {
    "sourceToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token of a source (`svc_in_live_…` or `svc_in_test_…`). Send it in the header"
        " only: a token that appears in a URL is revoked.",
    }
}


class CaptureOfLines(Shape):
    """The capture of the company's history that holds the lines; /v1 answers with them from it on."""

    sequence: int = Field(ge=0)
    """As `snapshot.sequence` of /v1."""
    capture_sequence: int = Field(ge=1)
    """As `snapshot.capture_sequence` of /v1."""


class RefusedLine(Shape):
    """A line that was not recorded."""

    line: int = Field(ge=1)
    """Its number in the body, from 1, blank lines counted; of an array, the element's."""
    fact_id: UUID | None
    """What the line gives; null where that cannot be read, or is no canonical UUID."""
    code: RefusalReason
    """Why, for programs."""
    reason: str
    """Why, for people. It never repeats what a field holds."""


class RecordedFacts(Shape):
    """What came of the lines. `recorded`, `known` and `refused` together are all lines but the blank ones."""

    recorded: int = Field(ge=0)
    """How many were recorded by this call."""
    known: int = Field(ge=0)
    """How many the company knew already with the same content, or stand in the body again."""
    refused: list[RefusedLine]
    """Those that were not recorded, by line."""
    capture: CaptureOfLines | None
    """Where the call waited (`Prefer: wait=10`) and all the lines can be read by now; null otherwise."""


class RefusalDocument(envelope.ProblemDocument):
    """The problem of a call with `strict=true`: nothing was recorded."""

    refused: list[RefusedLine]
    """The lines that cannot be recorded, by line."""


def document(base_url: str) -> dict[str, Any]:
    """The whole document for a service at `base_url`."""
    schemas = PROBLEMS.schemas((RecordedFacts, RefusalDocument))
    schemas["RefusalDocument"]["properties"]["code"]["enum"] = [code.code for code in PROBLEMS.codes]
    schemas["RefusalReason"] = {
        "type": "string",
        "enum": [reason.value for reason in MEANINGS],
        "description": "\n".join(f"- `{reason}`: {meaning}" for reason, meaning in MEANINGS.items()),
    }
    responses = PROBLEMS.components()
    responses["Problem422"]["content"]["application/problem+json"]["schema"] = _ref("RefusalDocument")
    example = responses["Problem422"]["content"]["application/problem+json"]["examples"]["lines_refused"]["value"]
    example["refused"] = [envelope.example_of(_ref("RefusedLine"), schemas)]
    paths = {
        "/in/v1/facts": {"post": _post(schemas)},
        "/in/v1/openapi.json": OF_DOCUMENT.contract("Accepts the token of any source."),
    }
    info = {
        "title": "Facts into Compliance Records",
        "version": REVISION,
        "description": "Programs bring facts in with the token of a source. What is sent twice is recorded once.",
    }
    return described.document(
        base_url, info, paths, schemas | _fact_schemas(), responses, response_headers=_HEADERS, security=_SECURITY
    )


def _post(schemas: dict[str, Any]) -> dict[str, Any]:
    lines = (
        "One fact a line, as in a facts file. Lines may stand in any order: one may name what a later one makes."
        f" At most {bodies.MAXIMUM_BYTES // 1024 // 1024} MiB, as sent and decoded, and {MAXIMUM_LINES:,} lines."
        " `Content-Encoding` may be `gzip` or `zstd`, or both in the order in which they were applied."
    )
    return {
        "operationId": "postFacts",
        "summary": "Record facts",
        "description": "Answered when the good lines are recorded, in one transaction. Facts are known again by"
        " `fact_id`, so a call that was not answered is simply sent again.",
        "parameters": [
            {
                "name": "strict",
                "in": "query",
                "description": "Record nothing when a line is refused; the answer is then 422.",
                "schema": {"type": "boolean", "default": False},
            },
            {
                "name": "Prefer",
                "in": "header",
                "description": "`wait=10` waits until /v1 answers with the lines, 10 seconds at most; up to"
                f" {preferences.LONGEST_WAIT_SECONDS} are granted.",
                "schema": {"type": "string", "examples": ["wait=10"]},
            },
        ],
        "requestBody": {
            "required": True,
            "description": lines,
            "content": {
                "application/json": {"schema": {"type": "array", "items": _ref("Fact"), "maxItems": MAXIMUM_LINES}},
                "application/x-ndjson": {"schema": {"type": "string", "description": "A `Fact` a line."}},
            },
        },
        "responses": {
            "200": {
                "description": "What came of each line, also where some or all were refused.",
                "headers": described.headers("Preference-Applied"),
                "content": {
                    "application/json": {
                        "schema": _ref("RecordedFacts"),
                        "example": envelope.example_of(_ref("RecordedFacts"), schemas),
                    }
                },
            }
        }
        | {str(status): {"$ref": f"#/components/responses/Problem{status}"} for status in PROBLEMS.titles},
    }


def _fact_schemas() -> dict[str, Any]:
    """The schemas of the lines as components: `Fact` and the schemas that it refers to."""
    text = orjson.dumps(facts_schema()).replace(b'"#/$defs/', b'"#/components/schemas/')
    union: dict[str, Any] = orjson.loads(text)
    parts: dict[str, Any] = union.pop("$defs")
    for name in ("$schema", "title"):
        union.pop(name)
    return parts | {"Fact": union | {"description": "One fact: what happened, and from which moment it has effect."}}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


class ContractViewSet(views.ContractViewSet):
    """`/in/v1/openapi.json`, for the token of any source."""

    authentication_classes = [authentication.SourceAuthentication]
    permission_classes = [authentication.FromAllowedNetwork, authentication.WithinLimits]
    document = staticmethod(document)
