"""What surrounds rows in an answer of /v1: the page, its snapshot, and problems. Rows are declared in `catalogue`.

The OpenAPI document is made from these classes and those of the rows, and the suite reads every answer through them,
so a field cannot be in one and not in the other.
"""

from datetime import date
from functools import cache
from typing import Any
from uuid import UUID

from pydantic import AwareDatetime, Field, create_model

from compliance.catalogue.declaration import Register
from compliance.catalogue.fields import Digest, Shape


class Logic(Shape):
    """The shared owed-learning decider."""

    version: int
    """Its version."""
    date: date
    """The day on which that version took effect."""


class Snapshot(Shape):
    """The pinned state of the company's history from which an answer was read."""

    organization_id: UUID
    """The company."""
    deployment_id: UUID
    """The installation of the service."""
    as_at: AwareDatetime
    """The moment that the answer is about: the resolved `as_at` or `to`."""
    from_: AwareDatetime | None = Field(alias="from")
    """The resolved `from`, where the endpoint has one."""
    known_at: AwareDatetime
    """When the pinned capture was written: nothing later is known to the answer."""
    sequence: int
    """Sequence of the last row version within the pin."""
    capture_sequence: int
    """Number of the pinned capture."""
    chain_hash: Digest
    """Chain hash of the pinned capture."""
    logic: Logic
    """The decider's version."""
    history_complete_from: AwareDatetime
    """Moments before this one are refused with `before_history`."""
    available: bool
    """Whether the registers answer."""


class SnapshotAnswer(Shape):
    """What /v1/snapshot answers."""

    snapshot: Snapshot
    """The company's latest snapshot."""


class PageEnvelope(Shape):
    """What every register answers with."""

    total: int = Field(ge=0)
    """How many rows the whole pull returns."""
    snapshot: Snapshot
    """The snapshot from which the page was read."""
    next_cursor: str | None = Field(examples=[None])
    """Send it unchanged to the same endpoint; null when there are no more pages."""


@cache
def _page(row: type[Shape], noun: str) -> type[PageEnvelope]:
    rows: Any = (list[row], Field(max_length=200, description="The rows of this page."))  # type: ignore[valid-type]
    return create_model(f"{row.__name__}Page", __base__=PageEnvelope, __doc__=f"A page of {noun}.", data=rows)


def page_of(register: Register) -> type[PageEnvelope]:
    """The class of a register's pages, named for its rows."""
    return _page(register.row, register.noun)


class ParameterFault(Shape):
    """What is wrong with one parameter."""

    parameter: str = Field(examples=["as_at"])
    """Its name."""
    detail: str = Field(examples=["as_at is not written as the contract says."])
    """What to send."""


class ProblemDocument(Shape):
    """RFC 9457 problem details. Act on `code` or `type`; never parse `detail`."""

    type: str = Field(json_schema_extra={"format": "uri"})
    """Address of the page about this code."""
    title: str
    """What the code means."""
    status: int
    """The HTTP status."""
    detail: str
    """What happened in this case."""
    instance: str = Field(json_schema_extra={"format": "uri"})
    """This occurrence."""
    code: str
    """The stable code."""
    request_id: UUID
    """The value of `X-Request-Id`."""
    errors: list[ParameterFault] = Field(default_factory=list)
    """The parameters at fault, where there are any."""


def example_of(schema: dict[str, Any], components: dict[str, Any]) -> Any:
    """A value that validates against a schema made from these classes, for the document's examples."""
    if "$ref" in schema:
        return example_of(components[schema["$ref"].rsplit("/", 1)[1]], components)
    if schema.get("examples"):
        return schema["examples"][0]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return example_of(schema["anyOf"][0], components)
    match schema.get("type"):
        case "object":
            return {name: example_of(member, components) for name, member in schema["properties"].items()}
        case "array":
            return [example_of(schema["items"], components)]
        case "integer":
            return 1
        case "boolean":
            return True
    by_format = {
        "uuid": "5f0c8d3a-7b1e-4c52-9d64-0a1b2c3d4e5f",
        "date-time": "2026-03-02T09:30:00.000000Z",
        "date": "2026-03-02",
        "uri": "https://svc.example/problems/invalid_request",
    }
    return by_format.get(schema.get("format", ""), "text")
