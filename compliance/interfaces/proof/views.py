"""`GET /proof/v1/<register>/<id>[?as_at=]`: the proof of one row, for a key of the register's scope.

Authentication, limits, parameters and problems are those of /v1 (`interfaces.api`).
"""

import re
from typing import ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from compliance.catalogue.declaration import Register
from compliance.history.text import instant
from compliance.interfaces.api import authentication, clock, parameters, views
from compliance.interfaces.api.problems import Code, Problem
from compliance.interfaces.proof import making
from compliance.interfaces.proof.errors import HistoryRefutedError, NothingToProveError, NotSignedYetError
from compliance.rules.vocabulary import Scope

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class ProofViewSet(views.ApiViewSet):
    """The proofs of one register's rows, by the register's own id."""

    register: ClassVar[Register]
    lookup_url_kwarg = "record_id"

    def retrieve(self, request: Request, record_id: str) -> Response:
        """The proof of the version in force at `as_at`, now unless it is sent."""
        now = clock.now()
        caller = authentication.caller_of(request)
        values = parameters.parse(views.query_of(request), ("as_at",))
        asked = parameters.moment(values, "as_at", caller.company.time_zone, start=False)
        moment = now if asked is None else asked.instant
        if moment < caller.company.history_complete_from:
            complete = instant(caller.company.history_complete_from)
            raise Problem(Code.BEFORE_HISTORY, f"The company's history is complete from {complete} on.")
        if not caller.available:
            raise Problem(Code.UNAVAILABLE)
        if not _UUID.fullmatch(record_id):
            raise Problem(
                Code.NOT_FOUND,
                f"The last part of the address is the row's {self.register.identity}, a UUID such as"
                " 2f1c6c3e-7d0b-4b57-9a40-5a3f1c2d4e5f.",
            )
        personal = Scope.PEOPLE_READ in caller.scopes
        organization_id = caller.company.organization_id
        try:
            with views.read(caller):
                views.check_writer(caller, now)
                proof = making.prove(organization_id, self.register, UUID(record_id), moment, personal=personal)
        except NothingToProveError as error:
            raise Problem(Code.NOT_FOUND, str(error)) from None
        except NotSignedYetError as error:
            headers = {"Retry-After": str(making.RETRY_AFTER_SECONDS)}
            raise Problem(Code.NOT_SIGNED_YET, str(error), headers=headers) from None
        except HistoryRefutedError as error:
            making.refute(organization_id, error)
            raise Problem(Code.UNAVAILABLE) from error
        return Response(proof.encode())


def viewset_of(register: Register) -> type[ProofViewSet]:
    """The viewset of a register."""
    name = register.operation.removeprefix("list")
    return type(f"{name}ProofViewSet", (ProofViewSet,), {"register": register, "required_scope": register.scope})
