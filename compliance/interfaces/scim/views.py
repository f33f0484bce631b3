"""The endpoints of /scim/v2: one viewset for all kinds of resources, and what is common to every endpoint.

The checks are the API's, in its order (`api.gate`): its tokens, networks and limits; errors have the form of SCIM.
"""

from collections.abc import Callable
from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from scim2_models import Context, ForbiddenException, NotImplementedException, PatchOp

from compliance.access.sources import SCIM
from compliance.interfaces.api import authentication, clock
from compliance.interfaces.api.problems import Code, Problem
from compliance.interfaces.api.views import ApiViewSet
from compliance.interfaces.scim import bodies, preconditions, searching
from compliance.interfaces.scim.answers import one
from compliance.interfaces.scim.handling import handle
from compliance.provisioning.clients import Client
from compliance.provisioning.kinds import ResourceKind
from compliance.provisioning.resources import POLICY


class SpeaksScim(BasePermission):
    """The source may speak SCIM."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """True, or raises the error 403."""
        if SCIM not in authentication.source_of(request).kinds:
            raise ForbiddenException(detail="The source may not speak SCIM: it needs the kind scim.")
        return True


class ScimViewSet(ApiViewSet):
    """A call under /scim/v2."""

    authentication_classes = [authentication.SourceAuthentication]
    permission_classes = [authentication.FromAllowedNetwork, authentication.WithinLimits, SpeaksScim]
    when_lost = "The database cannot be reached, so it is not known whether this was done. Send it again."
    schema = None  # type: ignore[assignment]  # it describes itself (`discovery`)

    def problem_of(self, error: Exception) -> Problem:
        """The problem of an unexpected error: a request is one transaction, so nothing of it was done."""
        problem = super().problem_of(error)
        if problem.code is Code.READ_FAILED:
            problem = Problem(
                problem.code, "The request failed on our side, and nothing of it was done. Send it again."
            )
        return problem

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Response]:
        """Errors are SCIM's."""
        return handle


class NothingHere(ScimViewSet):
    """Any other address: refuses every call."""

    exists = False


class NotSupported(ScimViewSet):
    """An endpoint of RFC 7644 that this service does not have: the answer is 501."""

    methods = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
    refusal = ""

    def initial(self, request: Request, *arguments: Any, **names: Any) -> None:
        """Refuses every call that may come in."""
        super().initial(request, *arguments, **names)
        raise NotImplementedException(detail=self.refusal)


class ListViewSet(ScimViewSet):
    """All resources of a kind: searched for, and made."""

    kind: ResourceKind[Any] = None  # type: ignore[assignment]  # set by `as_view`
    methods = ("GET", "HEAD", "POST")

    def list(self, request: Request) -> Response:
        """`GET /Users?filter=...`: what a search finds, a part at a time."""
        return searching.answer(self.kind, client_of(request), searching.asked_in_address(self.kind, request))

    def create(self, request: Request) -> Response:
        """`POST /Users`: makes one, and answers with it."""
        shaped = searching.response_parameters(self.kind, request)
        wanted = self.kind.model.model_validate(
            bodies.document(request), scim_ctx=Context.RESOURCE_CREATION_REQUEST, scim_policy=POLICY
        )
        made = self.kind.create(client_of(request), wanted)
        return one(self.kind.endpoint, made, 201, Context.RESOURCE_CREATION_RESPONSE, shaped)


class SearchViewSet(ScimViewSet):
    """`POST /Users/.search`: as a list, but with nothing personal in the address."""

    kind: ResourceKind[Any] = None  # type: ignore[assignment]  # set by `as_view`
    methods = ("POST",)

    def search(self, request: Request) -> Response:
        """What a search finds."""
        return searching.answer(self.kind, client_of(request), searching.asked_in_body(self.kind, request))


class OneViewSet(ScimViewSet):
    """One resource: read, replaced, patched and removed."""

    kind: ResourceKind[Any] = None  # type: ignore[assignment]  # set by `as_view`
    methods = ("GET", "HEAD", "PUT", "PATCH", "DELETE")

    def retrieve(self, request: Request, identifier: str) -> Response:
        """`GET /Users/<id>`; 304 when the caller has this version."""
        shaped = searching.response_parameters(self.kind, request)
        found = self.kind.read(client_of(request), identifier, searching.wanted(shaped))
        if preconditions.unchanged(request, found):
            return Response(b"", 304, headers={"ETag": str(preconditions.version_of(found))})
        return one(self.kind.endpoint, found, 200, Context.RESOURCE_QUERY_RESPONSE, shaped)

    def update(self, request: Request, identifier: str) -> Response:
        """`PUT /Users/<id>`: replaces all of it."""
        shaped = searching.response_parameters(self.kind, request)
        wanted = self.kind.model.model_validate(
            bodies.document(request), scim_ctx=Context.RESOURCE_REPLACEMENT_REQUEST, scim_policy=POLICY
        )

        found = self.kind.replace(client_of(request), identifier, wanted, preconditions.stated(request))
        return one(self.kind.endpoint, found, 200, Context.RESOURCE_REPLACEMENT_RESPONSE, shaped)

    def partial_update(self, request: Request, identifier: str) -> Response:
        """`PATCH /Users/<id>`; the answer is the whole resource."""
        shaped = searching.response_parameters(self.kind, request)
        sent = bodies.document(request)
        searching.check_paths(sent)
        operations: Any = PatchOp.__class_getitem__(self.kind.model)
        patch = operations.model_validate(sent, scim_ctx=Context.RESOURCE_PATCH_REQUEST, scim_policy=POLICY)
        client = client_of(request)
        found = self.kind.patch(client, identifier, patch, preconditions.stated(request))
        if found is None:
            if not (shaped.attributes or shaped.excluded_attributes):
                return Response(b"", 204)
            found = self.kind.read(client, identifier, searching.wanted(shaped))
        return one(self.kind.endpoint, found, 200, Context.RESOURCE_PATCH_RESPONSE, shaped)

    def destroy(self, request: Request, identifier: str) -> Response:
        """`DELETE /Users/<id>`: it is gone for this client."""
        self.kind.remove(client_of(request), identifier, preconditions.stated(request))
        return Response(b"", 204)


def client_of(request: Request) -> Client:
    """The client that makes the request, with the clock of the API."""
    return Client(authentication.source_of(request), clock.now)
