"""How drf-spectacular reads the views of /v1: parameters and answers come from each view's register."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from compliance.catalogue.declaration import Register, Window
from compliance.interfaces.api import envelope


def _moment(*examples: str) -> dict[str, object]:
    forms = [{"type": "string", "format": "date-time"}, {"type": "string", "format": "date"}]
    return {"anyOf": forms, "examples": list(examples)}


def _parameter(name: str, schema: dict[str, object], description: str) -> OpenApiParameter:
    return OpenApiParameter(name, schema, OpenApiParameter.QUERY, required=False, description=description)


CURSOR = _parameter(
    "cursor",
    {"type": "string", "minLength": 1},
    "The `next_cursor` of the previous page, sent unchanged to the same endpoint. It pins the snapshot and the filters"
    " and grants no access.",
)
LIMIT = _parameter(
    "limit",
    {"type": "integer", "minimum": 1, "default": 200, "examples": [50]},
    "Rows a page, 1 to 200; larger values are treated as 200. A page may hold fewer: follow `next_cursor`.",
)
AS_AT = _parameter(
    "as_at",
    _moment("2026-03-31", "2026-03-31T18:00:00+02:00"),
    "RFC 3339 instant with offset, or a date, which is read as the end of the company's day. Defaults to now.",
)
COURSE = _parameter("course", {"type": "string", "format": "uuid"}, "Restricts to one course. The cursor keeps it.")
FROM = _parameter(
    "from",
    _moment("2026-01-01"),
    "Start of the period, inclusive; a date starts the company's day. At most 400 days before `to`: two dates may lie"
    " 400 days of the calendar apart, otherwise elapsed time counts. Required on the first page; leave it out when"
    " sending a cursor.",
)
TO = _parameter(
    "to",
    _moment("2026-03-31"),
    "End of the period, inclusive; a date ends the company's day. Required on the first page; leave it out when"
    " sending a cursor.",
)
SINCE = _parameter(
    "from",
    _moment("2026-03-01", "2026-03-01T00:00:00Z"),
    "Receipts written at or after this moment; a date starts the company's day. At most 400 days before `as_at`: two"
    " dates may lie 400 days of the calendar apart, otherwise elapsed time counts.",
)
_OF_WINDOW = {
    Window.NOW: (),
    Window.AS_AT: (AS_AT,),
    Window.SINCE: (AS_AT, SINCE),
    Window.PERIOD: (FROM, TO),
}


def parameters_of(register: Register) -> list[OpenApiParameter]:
    """The query parameters of a register's endpoint, in the order of the document."""
    return [*_OF_WINDOW[register.window], *([COURSE] if register.by_course else []), CURSOR, LIMIT]


class ApiSchema(AutoSchema):
    """The schema of one operation. Views without a register take no parameters and declare their answers themselves."""

    def _register(self) -> Register | None:
        listing = getattr(self.view, "listing", None)
        return None if listing is None else listing.register

    def get_override_parameters(self) -> list[Any]:
        """The query parameters of the endpoint."""
        register = self._register()
        return [] if register is None else parameters_of(register)

    def get_response_serializers(self) -> Any:
        """The page class; None for a view without a register."""
        register = self._register()
        return None if register is None else {200: envelope.page_of(register)}

    def get_request_serializer(self) -> Any:
        """None: requests have no bodies."""
        return None

    def get_auth(self) -> list[Any]:
        """None here: security is the same everywhere, and `openapi.finish` adds it."""
        return []

    def _is_list_view(self, serializer: Any = None) -> bool:
        """A page is an object, not an array."""
        return False
