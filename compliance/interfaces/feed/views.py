"""`GET /feed/v1/changes?register=&cursor=&limit=`: the versions of registers in order, for a key of their scopes.

Authentication, limits, parameters and problems are those of /v1 (`interfaces.api`); only `limit` may be greater. No
page goes beyond the snapshot that it names, which is the head of the history, read before any of the rows.
"""

from rest_framework.request import Request
from rest_framework.response import Response

from compliance.catalogue import REGISTERS
from compliance.interfaces.api import authentication, clock, parameters, snapshots, views
from compliance.interfaces.api.problems import Code, ParameterFault, Problem, invalid
from compliance.interfaces.feed import cursors
from compliance.interfaces.feed.cursors import FeedCursor
from compliance.registers import changes, splicing
from compliance.registers.callers import Caller
from compliance.registers.changes import Place
from compliance.registers.errors import OtherHistoryError
from compliance.registers.questions import Question
from compliance.rules.limits import MAXIMUM_CHANGES
from compliance.rules.vocabulary import Scope
from compliance.tenancy import reading

_NUMBERS = {register.name: number for number, register in REGISTERS.items()}


class ChangesViewSet(views.ApiViewSet):
    """The versions of one register, or of all that the key opens."""

    def list(self, request: Request) -> Response:
        """One page of versions behind the cursor, from the beginning of the history without one."""
        now = clock.now()
        caller = authentication.caller_of(request)
        with views.read_pinned(caller):
            values = parameters.parse(views.query_of(request), ("register", "cursor", "limit"))
            text = values.get("cursor")
            cursor = _asked(caller, values.get("register"), text)
            limit = parameters.limit(values, MAXIMUM_CHANGES)
            if not caller.available:
                raise Problem(Code.UNAVAILABLE)
            question = Question(caller.company, caller.pin, now, personal=Scope.PEOPLE_READ in caller.scopes)
            try:
                page = changes.page(question, cursor.registers, cursor.place, limit)
            except OtherHistoryError:
                raise Problem(
                    Code.INVALID_CURSOR,
                    "The company's history does not have the version at which the cursor stands: it was restored from"
                    " an earlier state. Start again without a cursor, with an empty copy.",
                ) from None
            if page.last:  # a page that claims to be the last must not be so only because the writer has not caught up
                views.check_writer(caller, now)
            reading.finish()
            if page.rows.fronts or text is None:
                text = cursors.seal(cursor._replace(place=page.end), caller.company)
            tail = {
                "next_cursor": text,
                "at_end": page.last,
                "registers": [REGISTERS[number].name for number in sorted(cursor.registers)],
                "snapshot": snapshots.of(question, caller.available),
            }
            return Response(splicing.page(page.rows, tail))


def _asked(caller: Caller, name: str | None, text: str | None) -> FeedCursor:
    """Where the reading begins, and in which registers.

    Raises `invalid_request`, `invalid_cursor` and, when the key does not grant a register, `insufficient_scope`.
    """
    if name is not None and name not in _NUMBERS:
        raise invalid(ParameterFault("register", f"There is no such register. Known: {', '.join(_NUMBERS)}."))
    if text is not None:
        cursor = cursors.unseal(text, caller.company)
        if name is not None and not (cursor.named and _NUMBERS[name] in cursor.registers):
            raise Problem(
                Code.INVALID_CURSOR,
                "The cursor is of another register. Leave `register` out, or start without a cursor.",
            )
    elif name is not None:
        cursor = FeedCursor(Place(), frozenset((_NUMBERS[name],)), True)
    else:
        opened = {number for number, register in REGISTERS.items() if register.scope in caller.scopes}
        cursor = FeedCursor(Place(), frozenset(opened), False)
    for number in sorted(cursor.registers):
        authentication.check_scope(caller, REGISTERS[number].scope)
    return cursor
