"""The fields of a row that its versions store: a row of /v1 without what is read anew and what the clock decides."""

from functools import cache
from typing import Any, get_args, get_origin

from pydantic import create_model
from pydantic.fields import FieldInfo

from compliance.catalogue.declaration import Register
from compliance.catalogue.fields import CLOCK, AtRead, OfPerson, Shape, Versioned
from compliance.rules.vocabulary import Scope

_ENVELOPE = frozenset(Versioned.model_fields)


@cache
def stored_shape(register: Register) -> type[Shape]:
    """The class of a version's fields as the feed sends them, in the order of the stored text.

    Personal fields are included only for a register that needs `people:read`.
    """
    personal = register.scope is Scope.PEOPLE_READ
    return _without(register.row, f"{register.row.__name__}Fields", personal)


def _without(row: type[Shape], name: str, personal: bool) -> type[Shape]:
    fields: dict[str, Any] = {
        field: (_stored(info.annotation), info)
        for field, info in row.model_fields.items()
        if field not in _ENVELOPE and _is_stored(info, personal)
    }
    return create_model(name, __base__=Shape, __doc__=f"What a version stores. {row.__doc__}", **fields)


def _is_stored(info: FieldInfo, personal: bool) -> bool:
    if any(isinstance(each, AtRead) for each in info.metadata) or info.json_schema_extra == CLOCK:
        return False
    return personal or not any(isinstance(each, OfPerson) for each in info.metadata)


def _stored(annotation: Any) -> Any:
    """The type of a field, with the classes within it reduced to what is stored."""
    if isinstance(annotation, type) and issubclass(annotation, Shape):
        return _without(annotation, f"Stored{annotation.__name__}", False)
    if get_origin(annotation) is list:
        return list[_stored(get_args(annotation)[0])]  # type: ignore[misc]
    return annotation
