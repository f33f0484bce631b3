"""Registers as Parquet, with columns typed by the catalogue. Only this format needs pyarrow."""

import json
import types
import typing
from collections.abc import Callable, Iterable
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

from django.utils.translation import gettext
from pydantic import AwareDatetime, BaseModel

from compliance.catalogue.declaration import Register
from compliance.interfaces.console.exports.errors import NotInstalledError

ROWS_A_GROUP = 50_000
BYTES_A_GROUP = 64 * 1024 * 1024

_PLAIN = {UUID: "string", AwareDatetime: "timestamp", datetime: "timestamp", date: "date", bool: "bool", int: "int"}
_Convert = Callable[[Any], Any]


def pyarrow() -> Any:
    """The package. Raises NotInstalledError, which explains what to do."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise NotInstalledError(
            gettext(
                "Parquet needs the package pyarrow, which is not installed here: pip install 'pyarrow>=26' (the extra"
                " “parquet” of this project), or choose csv, xlsx or jsonl."
            )
        ) from None
    return pyarrow


def write(
    path: Path,
    register: Register,
    columns: list[str],
    pages: Iterable[list[dict[str, Any]]],
    described: dict[str, str],
) -> None:
    """Writes the rows of `pages` in groups of bounded size; `described` is kept in the file's metadata."""
    arrow = pyarrow()
    read = {name: _column(arrow, register.row.model_fields[name].annotation) for name in columns}
    schema = arrow.schema([(name, kind) for name, (kind, _) in read.items()], metadata=described)
    with arrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        held: list[dict[str, Any]] = []
        size = 0
        for page in pages:
            held += [{name: convert(row.get(name)) for name, (_, convert) in read.items()} for row in page]
            size += sum(len(row.get("html") or "") + 512 for row in page)
            if len(held) >= ROWS_A_GROUP or size >= BYTES_A_GROUP:
                writer.write_table(arrow.Table.from_pylist(held, schema=schema))
                held, size = [], 0
        if held:
            writer.write_table(arrow.Table.from_pylist(held, schema=schema))


def _column(arrow: Any, annotation: Any) -> tuple[Any, _Convert]:
    """The type of a field's column, and the function that converts a JSON value to it."""
    while typing.get_origin(annotation) is typing.Annotated:
        annotation = typing.get_args(annotation)[0]
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        some = [each for each in inner if each is not type(None)]
        return _column(arrow, some[0]) if len(some) == 1 else (arrow.string(), _as_text)
    if origin is list:
        kind, convert = _column(arrow, inner[0])
        return arrow.list_(kind), _nothing_or(lambda value: [convert(each) for each in value])
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        members = {name: _column(arrow, field.annotation) for name, field in annotation.model_fields.items()}
        kind = arrow.struct([(name, of) for name, (of, _) in members.items()])
        return kind, _nothing_or(
            lambda value: {name: convert(value.get(name)) for name, (_, convert) in members.items()}
        )
    match _PLAIN.get(annotation):
        case "timestamp":
            return arrow.timestamp("us", tz="UTC"), _nothing_or(datetime.fromisoformat)
        case "date":
            return arrow.date32(), _nothing_or(date.fromisoformat)
        case "bool":
            return arrow.bool_(), _same
        case "int":
            return arrow.int64(), _same
        case "string":
            return arrow.string(), _same
    if isinstance(annotation, type) and issubclass(annotation, str | Enum):
        return arrow.string(), _same
    return arrow.string(), _as_text


def _same(value: Any) -> Any:
    return value


def _as_text(value: Any) -> Any:
    """Converts a value without a column type of its own: text as it is, anything else as JSON."""
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _nothing_or(convert: _Convert) -> _Convert:
    return lambda value: None if value is None else convert(value)
