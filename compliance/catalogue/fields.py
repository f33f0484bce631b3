"""Pieces of rows that several registers share.

Personal fields are optional: they are left out unless the key holds `people:read`.
"""

from typing import Annotated, Any
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from compliance.rules.vocabulary import Cause

CLOCK: dict[str, Any] = {"x-clock-dependent": True}
"""For a field that may change without a new version, because the clock decides it."""


class AtRead:
    """Marks a field that no version stores and that each answer reads anew: current titles, counts, sends."""


class OfPerson:
    """Marks a field that names a person: no version stores it, erasure clears it, and it needs `people:read`."""


AT_READ, OF_PERSON = AtRead(), OfPerson()


class Shape(BaseModel):
    """Base of all classes: the service's answers have no other members than the declared ones.

    The OpenAPI document does not state that, because clients must accept members that a later version adds.
    """

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$", examples=["9f" * 32])]
Personal = Annotated[str | None, OF_PERSON, Field(default=None, examples=["Ada Osei"])]
PersonalAddress = Annotated[str | None, OF_PERSON, Field(default=None, examples=["ada@example.com"])]
HashedInstant = Annotated[
    str,
    Field(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$",
        examples=["2026-03-02T09:30:00.000000Z"],
    ),
]
"""Text without the format `date-time`: a generated client would parse it and lose the hashed form."""


class Tenant(Shape):
    """The members that say whose row it is."""

    deployment_id: UUID
    """The installation of the service."""
    organization_id: UUID
    """The company: the tenant boundary."""
    learning_space_id: UUID
    """The company's learning space."""


class Versioned(Tenant):
    """The members that say which version of a row it is."""

    sequence: int
    """Sequence of this row version in the company's history."""
    valid_from: AwareDatetime
    """When the facts behind this version took effect."""
    recorded_at: AwareDatetime
    """When the history writer captured this version."""
    cause: Cause
    """Why this version was written."""
    logic_version: int
    """Version of the shared owed-learning decider that computed it."""
