"""The SCIM resource Group and its attributes."""

import uuid
from collections.abc import Iterable
from typing import Annotated, Any, ClassVar

from pydantic import Field, field_validator
from scim2_models import (
    URN,
    CaseExact,
    ComplexAttribute,
    Mutability,
    Reference,
    Required,
    Resource,
    Returned,
    Uniqueness,
)

from compliance.provisioning.resources import unassigned

MEMBER_TYPE = "User"


class Member(ComplexAttribute):
    """A member: always a User. Names are answered to whoever asks for `members.display`, and to nobody else."""

    value: Annotated[str | None, Mutability.immutable, CaseExact.true] = None
    ref: Annotated[Reference["User"] | None, Mutability.immutable] = Field(  # type: ignore[name-defined]  # noqa: F821
        None, serialization_alias="$ref", validation_alias="$ref"
    )
    type: Annotated[str | None, Mutability.immutable] = Field(None, examples=[MEMBER_TYPE])
    display: Annotated[str | None, Mutability.read_only, Returned.request] = None


class Group(Resource[Any]):
    """A team, whoever made it."""

    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:Group")

    display_name: Annotated[str | None, Uniqueness.server, Required.true] = None
    members: list[Member] | None = None
    Members: ClassVar[type[ComplexAttribute]] = Member

    _no_external_id = field_validator("external_id", mode="before")(unassigned)


def members(profile_ids: Iterable[uuid.UUID], names: dict[uuid.UUID, str | None] | None = None) -> list[Member]:
    """The members for these people, always in the same order; with `names` where names are asked for."""
    named = names or {}
    return [
        Member.model_construct(value=str(each), type=MEMBER_TYPE, display=named.get(each))
        for each in sorted(profile_ids)
    ]
