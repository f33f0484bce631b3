"""The SCIM resources of this service: which attributes they have, and which deviations of clients are accepted.

There are fewer attributes than in RFC 7643: no password, photograph, key or instant messaging, because nothing here
uses them. Other attributes that a client sends are ignored.
"""

from typing import Annotated, Any, ClassVar

from pydantic import Field, field_validator
from scim2_models import (
    URN,
    Address,
    AnyExtension,
    CaseExact,
    ComplexAttribute,
    ExtensibleStringEnum,
    Extension,
    GroupMembership,
    Mutability,
    Name,
    PhoneNumber,
    Required,
    Resource,
    Role,
    ScimPolicy,
    Uniqueness,
)

POLICY = ScimPolicy(
    unknown=ScimPolicy.Unknown.ignore,
    remove_value_as_filter=ScimPolicy.RemoveValue.apply,
    unmatched_path_filter=ScimPolicy.UnmatchedPathFilter.create,
)
"""Deviations that are tolerated: the habits of Entra ID and Okta."""


def unassigned(value: Any) -> Any:
    """None for an external identifier that is blank: it names nobody, and several resources may have it."""
    return None if isinstance(value, str) and not value.strip() else value


class Email(ComplexAttribute):
    """An e-mail address; any text, since what is no address becomes no fact."""

    class Type(ExtensibleStringEnum):
        """What an address is for."""

        work = "work"
        home = "home"
        other = "other"

    value: str | None = None
    display: str | None = None
    type: Type | None = None
    primary: bool | None = None


class Manager(ComplexAttribute):
    """Whoever manages a person, by whatever identifier the client has of them."""

    value: Annotated[str | None, CaseExact.true] = None
    display_name: str | None = None


class EnterpriseUser(Extension):
    """The enterprise extension: where in their company a person works."""

    __schema__ = URN("urn:ietf:params:scim:schemas:extension:enterprise:2.0:User")

    employee_number: str | None = None
    cost_center: str | None = None
    organization: str | None = None
    division: str | None = None
    department: str | None = None
    manager: Manager | None = None

    @field_validator("manager", mode="before")
    @classmethod
    def _manager_as_text(cls, value: Any) -> Any:
        """Accepts the bare identifier, as Entra ID sends it."""
        return {"value": value} if isinstance(value, str) else value


class User(Resource[AnyExtension]):
    """An employee, as identity providers know one."""

    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:User")

    user_name: Annotated[str | None, Uniqueness.server, Required.true] = None
    name: Name | None = None
    display_name: str | None = None
    nick_name: str | None = None
    title: str | None = None
    user_type: str | None = None
    preferred_language: str | None = None
    locale: str | None = None
    timezone: str | None = None
    active: bool | None = None
    emails: list[Email] | None = None
    Emails: ClassVar[type[ComplexAttribute]] = Email
    phone_numbers: list[PhoneNumber] | None = None
    addresses: list[Address] | None = None
    groups: Annotated[list[GroupMembership] | None, Mutability.read_only] = Field(None)
    roles: list[Role] | None = None

    _no_external_id = field_validator("external_id", mode="before")(unassigned)


Employee = User[EnterpriseUser]
"""A User with the enterprise extension, as it is sent and answered."""
