"""The machine-readable description of /feed/v1, served at /feed/v1/openapi.json; made from the registers' declarations.

The contract of /v1 is apart: a change of the feed is none of /v1.
"""

from functools import cache
from typing import Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, Field, create_model

from compliance.catalogue import REGISTERS
from compliance.catalogue.declaration import Register
from compliance.catalogue.fields import Shape
from compliance.catalogue.stored import stored_shape
from compliance.interfaces.api import described, envelope, parameters, views
from compliance.interfaces.api.described import Problems
from compliance.interfaces.api.problems import Code
from compliance.rules.limits import MAXIMUM_CHANGES
from compliance.rules.vocabulary import Cause

REVISION = "1.0.0"
PROBLEMS = Problems(
    {
        400: "The request, a parameter or the cursor is not valid, or the URL held an API key.",
        401: "The API key is missing or not valid.",
        403: "The key lacks the scope of a register, or the caller's network is not allowed.",
        404: "There is nothing at this address.",
        405: "Only GET and HEAD are allowed.",
        422: "One version alone is larger than a page.",
        429: "Too many calls in this minute, or at the same time.",
        502: "The read failed.",
        503: "The history, its writer or the database is not available.",
        504: "The read took too long.",
    },
    tuple(code for code in Code if code.value.of_v1 and code is not Code.BEFORE_HISTORY),
)
_DESCRIPTION = """Every version of every register of a company, in the order in which it was written: what a copy needs
to stay right, removals and erasures included. Read until `at_end`, keep `next_cursor`, and come back with it whenever
you like: it never expires. Current is, of each `id`, the version with the greatest (`valid_from`, `sequence`), and
nothing where it says `removed`. docs/feed.md has the rule, and what the clock decides, as SQL."""


class Nothing(Shape):
    """The fields of a version that says that its record is not there: none."""


class Change(Shape):
    """A version of a record: what holds of it from `valid_from` on, unless a later one says otherwise."""

    register_: str = Field(alias="register")
    """The register, as /v1 calls it."""
    id: UUID
    """The register's own id of the record."""
    sequence: int = Field(ge=1)
    """The number of the version in the company's history."""
    capture_sequence: int = Field(ge=1)
    """The number of the capture that wrote it."""
    valid_from: AwareDatetime
    """From when it holds."""
    recorded_at: AwareDatetime
    """When it was captured."""
    cause: Cause
    """Why it was written."""
    logic_version: int
    """Version of the shared owed-learning decider that computed it."""
    removed: bool
    """Whether the record is not there from `valid_from` on; then `fields` is empty."""


class ChangesPage(Shape):
    """A page of versions."""

    next_cursor: str = Field(min_length=1, examples=["AUx4c2VhbGVk"])
    """Send it to read on, now or in a year. Never null; an empty page at the end repeats the one that was sent."""
    at_end: bool
    """Whether the page reaches the snapshot: nothing more is known up to its `sequence`."""
    registers: list[str]
    """The registers that the cursor goes over: one that was named, or all that the key opened at the first page."""
    snapshot: envelope.Snapshot
    """The company's latest snapshot when the page was read; no version of the page lies beyond it."""


@cache
def change_of(register: Register) -> type[Change]:
    """The class of a register's versions."""
    fields: dict[str, Any] = {
        "register_": (Literal[register.name], Field(alias="register", description="The register.")),
        "fields": (
            stored_shape(register) | Nothing,
            Field(description=f"What is stored of the record: the row of /v1/{register.name} without what the clock"
                  " decides and what is read anew. Empty when `removed`."),
        ),
    }  # fmt: skip
    if register.basis is not None:
        fields["basis"] = (
            register.basis,
            Field(default=None, description="What is decided from besides the fields. Left out when `removed`."),
        )
    return create_model(
        f"{register.row.__name__}Change", __base__=Change, __doc__=f"A version of the register {register.name}.",
        **fields,
    )  # fmt: skip


def document(base_url: str) -> dict[str, Any]:
    """The whole document for a service at `base_url`."""
    of_register = {register.name: change_of(register) for register in REGISTERS.values()}
    schemas = PROBLEMS.schemas((*of_register.values(), ChangesPage))
    references = {name: f"#/components/schemas/{model.__name__}" for name, model in of_register.items()}
    schemas["ChangesPage"]["properties"] = {
        "data": {
            "type": "array",
            "maxItems": MAXIMUM_CHANGES,
            "description": "Versions in the order of `sequence`.",
            "items": {
                "oneOf": [{"$ref": reference} for reference in references.values()],
                "discriminator": {"propertyName": "register", "mapping": references},
            },
        }
    } | schemas["ChangesPage"]["properties"]
    schemas["ChangesPage"]["required"].insert(0, "data")
    schemas["Nothing"]["maxProperties"] = 0
    info = {"title": "Changes of Compliance Records", "version": REVISION, "description": _DESCRIPTION}
    paths = {
        "/feed/v1/changes": PROBLEMS.operations(_changes(), "A page of versions.", "ChangesPage"),
        "/feed/v1/openapi.json": PROBLEMS.contract("Accepts a key of any scope."),
    }
    return described.document(base_url, info, paths, schemas, PROBLEMS.components())


def _changes() -> dict[str, Any]:
    scopes = ", ".join(f"`{register.name}` with `{register.scope}`" for register in REGISTERS.values())
    text = {"type": "string", "minLength": 1}
    return {
        "operationId": "listChanges",
        "summary": "Changes of the registers",
        "description": f"Every version behind the cursor, in the order of `sequence`: {scopes}.",
        "parameters": [
            {
                "name": "register",
                "in": "query",
                "description": "One register; left out, all that the key opens. The cursor keeps it.",
                "schema": {"type": "string", "enum": [register.name for register in REGISTERS.values()]},
            },
            {
                "name": "cursor",
                "in": "query",
                "description": "The `next_cursor` of the page before, from today or from long ago. Without it, from the"
                " beginning of the history. It keeps the registers and grants no access: while the key lacks the scope"
                " of one of them, the answer is `insufficient_scope`.",
                "schema": text,
            },
            {
                "name": "limit",
                "in": "query",
                "description": f"Versions a page, 1 to {MAXIMUM_CHANGES}; larger values are treated as"
                f" {MAXIMUM_CHANGES}. A long history is read quickest with the most. A page may hold fewer.",
                "schema": {
                    "type": "integer",
                    "minimum": 1,
                    "default": parameters.MAXIMUM_LIMIT,
                    "examples": [MAXIMUM_CHANGES],
                },
            },
        ],
    }


class ContractViewSet(views.ContractViewSet):
    """`/feed/v1/openapi.json`, for any valid key."""

    document = staticmethod(document)
