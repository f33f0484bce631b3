"""The contract for people: the content of /docs, read from the same document that machines get.

The server renders it without a script, readable light and dark, on a phone, printed, and by a screen reader. (axe-core
finds low contrast, nested controls and small targets in Swagger UI, in parts that cannot be styled.)
"""

from typing import Any, NamedTuple
from urllib.parse import urlencode

import orjson

SCHEMAS = "#/components/schemas/"
_BEARER = '-H "Authorization: Bearer $SVC_KEY"'


class TypePiece(NamedTuple):
    """A piece of a type in words; `schema` names the schema that it leads to."""

    text: str
    schema: str = ""


class Field(NamedTuple):
    """A parameter or a member of an object."""

    name: str
    type: list[TypePiece]
    description: str
    required: bool
    clock_dependent: bool
    allowed: list[str]


class Schema(NamedTuple):
    """An object or a set of words."""

    name: str
    description: str
    fields: list[Field]
    allowed: list[str]


class Operation(NamedTuple):
    """An address and what it answers."""

    id: str
    path: str
    summary: str
    description: str
    scope: str
    parameters: list[Field]
    page: str
    row: str
    example: str
    call: str


class Group(NamedTuple):
    """The operations of one subject."""

    name: str
    description: str
    operations: list[Operation]


def contract(document: dict[str, Any]) -> dict[str, Any]:
    """The content of the page, from an OpenAPI document of ours."""
    schemas = document["components"]["schemas"]
    base_url = document["servers"][0]["url"]
    operations = {
        tag["name"]: [
            _operation(path, methods["get"], schemas, base_url)
            for path, methods in document["paths"].items()
            if tag["name"] in methods["get"]["tags"]
        ]
        for tag in document["tags"]
    }
    return {
        "info": document["info"],
        "base_url": base_url,
        "security": document["components"]["securitySchemes"]["apiKey"]["description"],
        "groups": [Group(tag["name"], tag["description"], operations[tag["name"]]) for tag in document["tags"]],
        "headers": [
            Field(name, _type(header["schema"]), header["description"], False, False, [])
            for name, header in document["components"]["headers"].items()
        ],
        "schemas": [_schema(name, schema) for name, schema in schemas.items() if name != "Document"],
    }


def _operation(path: str, get: dict[str, Any], schemas: dict[str, Any], base_url: str) -> Operation:
    media = get["responses"]["200"]["content"]["application/json"]
    page = media["schema"]["$ref"].removeprefix(SCHEMAS)
    items = schemas[page].get("properties", {}).get("data", {}).get("items", {})
    required = {
        each["name"]: each["schema"]["examples"][0]
        for each in get.get("parameters", ())
        if "Required on the first page" in each["description"]
    }
    query = f"?{urlencode(required)}" if required else ""
    return Operation(
        id=get["operationId"],
        path=path,
        summary=get["summary"],
        description=get["description"],
        scope=get.get("x-scope", ""),
        parameters=[_field(each["name"], each | each["schema"], False) for each in get.get("parameters", ())],
        page="" if page == "Document" else page,
        row=items.get("$ref", "").removeprefix(SCHEMAS),
        example=orjson.dumps(media["example"], option=orjson.OPT_INDENT_2).decode() if "example" in media else "",
        call=f'curl {_BEARER} "{base_url}{path}{query}"',
    )


def _schema(name: str, schema: dict[str, Any]) -> Schema:
    required = set(schema.get("required", ()))
    fields = [_field(each, member, each in required) for each, member in schema.get("properties", {}).items()]
    return Schema(name, schema.get("description", ""), fields, [str(value) for value in schema.get("enum", ())])


def _field(name: str, member: dict[str, Any], required: bool) -> Field:
    allowed = [str(value) for value in member.get("enum", ())]
    clock = bool(member.get("x-clock-dependent"))
    return Field(name, _type(member), member.get("description", ""), required, clock, allowed)


def _type(schema: dict[str, Any]) -> list[TypePiece]:
    """A type in words: `string (uuid) or null`, `array of` and the type of its items."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(SCHEMAS)
        return [TypePiece(name, name)]
    if "anyOf" in schema:
        pieces: list[TypePiece] = []
        for each in schema["anyOf"]:
            pieces += ([TypePiece(" or ")] if pieces else []) + _type(each)
        return pieces
    if schema.get("type") == "array":
        return [TypePiece("array of "), *_type(schema["items"])]
    more = schema.get("format") or ("pattern" if "pattern" in schema else "")
    return [TypePiece(f"{schema.get('type', 'any')} ({more})" if more else str(schema.get("type", "any")))]
