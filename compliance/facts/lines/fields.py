"""The field types of the facts file `svc.facts/1`, strict and the same for every kind of line.

Identifiers are uuids in their canonical form; instants are RFC 3339 with an offset (`rules.instants`). Actions build
lines from Python with `UUID` and aware `datetime` values. All checks except the conversion of instants run in
pydantic's own code, since a file has hundreds of thousands of lines.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, ClassVar
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from compliance.contentfile import limits
from compliance.rules.instants import INSTANT_PATTERN, instant_written
from compliance.rules.vocabulary import Door

UUID_PATTERN = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
DATE_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"

# Instants outside this range are typing errors, and arithmetic near the ends of the calendar would overflow.
FIRST_INSTANT = datetime(1900, 1, 1, tzinfo=UTC)
LAST_INSTANT = datetime(2999, 12, 31, tzinfo=UTC)


def _within(moment: datetime) -> datetime:
    if not FIRST_INSTANT <= moment <= LAST_INSTANT:
        raise PydanticCustomError("instant", "lies outside the years 1900 to 2999")
    return moment


def _read_instant(text: str) -> datetime:
    try:
        moment = instant_written(text)
    except ValueError:
        raise PydanticCustomError("instant", "is no moment that exists") from None
    return _within(moment)


def _take_instant(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise PydanticCustomError("instant", "has no time zone")
    return _within(value.astimezone(UTC))


def _read_date(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise PydanticCustomError("date", "is no day that exists") from None
    if not FIRST_INSTANT.date() <= day <= LAST_INSTANT.date():
        raise PydanticCustomError("date", "lies outside the years 1900 to 2999")
    return day


class _Identifier:
    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.json_or_python_schema(
            json_schema=core_schema.chain_schema(
                [core_schema.str_schema(pattern=UUID_PATTERN), core_schema.uuid_schema()]
            ),
            python_schema=core_schema.is_instance_schema(UUID),
            serialization=core_schema.to_string_ser_schema(),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": "string", "format": "uuid", "pattern": UUID_PATTERN}


class _Instant:
    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.json_or_python_schema(
            json_schema=core_schema.no_info_after_validator_function(
                _read_instant, core_schema.str_schema(pattern=INSTANT_PATTERN)
            ),
            python_schema=core_schema.no_info_after_validator_function(
                _take_instant, core_schema.is_instance_schema(datetime)
            ),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": "string", "format": "date-time", "pattern": INSTANT_PATTERN}


class _Day:
    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.json_or_python_schema(
            json_schema=core_schema.no_info_after_validator_function(
                _read_date, core_schema.str_schema(pattern=DATE_PATTERN)
            ),
            python_schema=core_schema.is_instance_schema(date),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": "string", "format": "date", "pattern": DATE_PATTERN}


def _sorted_doors(doors: tuple[Door, ...]) -> tuple[Door, ...]:
    if len(set(doors)) != len(doors):
        raise PydanticCustomError("doors", "names the same door twice")
    return tuple(sorted(doors))


def _sorted_ids(ids: tuple[UUID, ...]) -> tuple[UUID, ...]:
    return tuple(sorted(set(ids)))


def _sorted_roles(roles: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(set(roles)))


Identifier = Annotated[UUID, _Identifier()]
Instant = Annotated[datetime, _Instant()]
Day = Annotated[date, _Day()]

# One line of text with at least one visible character; no control characters (a database text holds no NUL).
Name = Annotated[
    str,
    Field(
        min_length=1, max_length=300, pattern=r"^[^\x00-\x1f\x7f-\x9f]*[^\x00-\x1f\x7f-\x9f\s][^\x00-\x1f\x7f-\x9f]*$"
    ),
]
Title = Annotated[
    str,
    Field(
        min_length=1,
        max_length=limits.TITLE_LENGTH,
        pattern=r"^[^\x00-\x1f\x7f-\x9f]*[^\x00-\x1f\x7f-\x9f\s][^\x00-\x1f\x7f-\x9f]*$",
    ),
]
Email = Annotated[str, Field(max_length=320, pattern=r"^[^\s@\x00-\x1f\x7f-\x9f]+@[^\s@\x00-\x1f\x7f-\x9f]+$")]
Text = Annotated[str, Field(min_length=1, pattern=r"^[^\x00]*$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
VersionNumber = Annotated[int, Field(ge=1, le=2_147_483_647)]
Doors = Annotated[tuple[Door, ...], Field(min_length=1), AfterValidator(_sorted_doors)]
Identifiers = Annotated[tuple[Identifier, ...], Field(max_length=100_000), AfterValidator(_sorted_ids)]

# The roles of a manifest, for which lessons are required. Any well-formed role is accepted: its package may come later.
RoleId = Annotated[str, Field(min_length=1, max_length=limits.LESSON_ID_LENGTH, pattern=r"^[a-z0-9][a-z0-9-]*$")]
RoleIds = Annotated[tuple[RoleId, ...], Field(max_length=1_000), AfterValidator(_sorted_roles)]


class FileObject(BaseModel):
    """An object of the file: closed key sets, no conversions, never changed once read."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class FactLine(FileObject):
    """What every line says: its id (the idempotency key within the company) and when the fact took effect.

    A kind of fact is declared by its class: what a line says and, as names below `compliance.facts`, the module of its
    recorder, `record_<kind>`, and the validator of the kinds that can only be validated together with others.
    """

    recorders: ClassVar[str]
    validator: ClassVar[str] = ""
    refers_to_own_kind: ClassVar[bool] = False
    furthest_future: ClassVar[timedelta] = timedelta(minutes=5)
    too_early: ClassVar[str] = "lies more than five minutes in the future."

    fact: str
    fact_id: Identifier
    at: Instant

    @classmethod
    def kind(cls) -> str:
        """The name of this kind of fact in the facts file."""
        return str(cls.model_fields["fact"].default)
