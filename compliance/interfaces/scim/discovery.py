"""What this service declares of itself (RFC 7644, 4): its configuration, its kinds of resources and their schemas."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response
from scim2_models import (
    AuthenticationScheme,
    Bulk,
    ChangePassword,
    Context,
    ETag,
    ForbiddenException,
    Meta,
    NotFoundException,
    Pagination,
    Patch,
    Reference,
    Resource,
    ResourceType,
    Schema,
    ServiceProviderConfig,
    Sort,
)
from scim2_models import Filter as FilterSupport

from compliance.interfaces.scim import answers, searching
from compliance.interfaces.scim.answers import ROOT
from compliance.interfaces.scim.bodies import MOST_BYTES
from compliance.interfaces.scim.handling import MEDIA_TYPE
from compliance.interfaces.scim.kinds import KINDS
from compliance.interfaces.scim.views import ScimViewSet


class ConfigurationViewSet(ScimViewSet):
    """`/ServiceProviderConfig`: what of the protocol this service supports."""

    def retrieve(self, request: Request) -> Response:
        """The configuration, the same for everybody."""
        return _answer(_configuration())


class DiscoveryViewSet(ScimViewSet):
    """A list of `/Schemas` or `/ResourceTypes`, and one of its entries."""

    found: Callable[[], Sequence[Resource[Any]]]

    def list(self, request: Request) -> Response:
        """All of them. A filter is refused with 403, as RFC 7644, 4 has it."""
        if "filter" in request._request.GET:
            raise ForbiddenException(detail="What the service says of itself is not filtered.")
        found = [_dumped(each) for each in type(self).found()]
        return answers.listed(found, len(found), 1)

    def retrieve(self, request: Request, identifier: str) -> Response:
        """One of them."""
        for each in type(self).found():
            if str(each.id).lower() == identifier.lower():
                return _answer(each)
        raise NotFoundException(detail="There is nothing at this address.")


@cache
def _schemas() -> Sequence[Schema]:
    models: list[Any] = [part for kind in KINDS for part in (kind.schema, *kind.model.get_extension_models().values())]
    return [_with_meta(model.to_schema(), "Schema", "Schemas") for model in models]


@cache
def _resource_types() -> Sequence[ResourceType]:
    found = []
    for kind in KINDS:
        described = ResourceType.from_resource(kind.model)
        described.id = described.name = kind.name
        described.description = kind.description
        described.endpoint = Reference(kind.endpoint)
        found.append(_with_meta(described, "ResourceType", "ResourceTypes"))
    return found


@cache
def _configuration() -> ServiceProviderConfig:
    configuration = ServiceProviderConfig(
        documentation_uri=Reference(f"{settings.BASE_URL}/docs"),
        patch=Patch(supported=True),
        bulk=Bulk(supported=False, max_operations=0, max_payload_size=MOST_BYTES),
        filter=FilterSupport(supported=True, max_results=searching.MOST_RESULTS),
        change_password=ChangePassword(supported=False),
        sort=Sort(supported=True),
        etag=ETag(supported=True),
        pagination=Pagination(
            cursor=False,
            index=True,
            default_pagination_method=Pagination.DefaultPaginationMethod.index,
            default_page_size=searching.USUAL_COUNT,
            max_page_size=searching.MOST_RESULTS,
        ),
        authentication_schemes=[
            AuthenticationScheme(
                type=AuthenticationScheme.Type.oauthbearertoken,
                name="Token of a source",
                description="Authorization: Bearer <TOKEN>, the token of a source with the kind scim.",
                spec_uri=Reference("https://www.rfc-editor.org/info/rfc6750"),
                primary=True,
            )
        ],
    )
    configuration.meta = Meta(
        resource_type="ServiceProviderConfig", location=f"{settings.BASE_URL}{ROOT}/ServiceProviderConfig"
    )
    return configuration


class SchemasViewSet(DiscoveryViewSet):
    """`/Schemas`: which attributes there are."""

    found = staticmethod(_schemas)


class ResourceTypesViewSet(DiscoveryViewSet):
    """`/ResourceTypes`: which kinds of resources there are."""

    found = staticmethod(_resource_types)


def _with_meta(resource: Any, name: str, endpoint: str) -> Any:
    resource.meta = Meta(resource_type=name, location=f"{settings.BASE_URL}{ROOT}/{endpoint}/{resource.id}")
    return resource


def _dumped(resource: Resource[Any]) -> dict[str, Any]:
    return resource.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE)


def _answer(resource: Resource[Any]) -> Response:
    return Response(_dumped(resource), 200, content_type=MEDIA_TYPE)
