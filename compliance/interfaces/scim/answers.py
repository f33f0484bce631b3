"""Answers that hold resources: their addresses, their versions, and the attributes that the caller asks for."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from rest_framework.response import Response
from scim2_models import Context, ListResponse, Resource

from compliance.interfaces.scim.handling import MEDIA_TYPE
from compliance.interfaces.scim.preconditions import version_of

ROOT = "/scim/v2"
_REFERENCES = {"members": "/Users", "groups": "/Groups"}
"""The attributes that refer to other resources, and the endpoints of those."""


def located(endpoint: str, resource: Resource[Any]) -> Resource[Any]:
    """The resource with its address, which depends on its identifier alone."""
    assert resource.meta is not None
    resource.meta.location = f"{settings.BASE_URL}{ROOT}{endpoint}/{resource.id}"
    for name, others in _REFERENCES.items():
        for each in getattr(resource, name, None) or ():
            each.ref = f"{settings.BASE_URL}{ROOT}{others}/{each.value}"
    return resource


def one(endpoint: str, resource: Resource[Any], status: int, context: Context, shaped: Any) -> Response:
    """The answer that is one resource, with its version and its address in headers too."""
    assert located(endpoint, resource).meta is not None
    content = resource.model_dump(scim_ctx=context, response_parameters=shaped)
    headers = {"Location": str(resource.meta and resource.meta.location)}
    version = version_of(resource)
    if version is not None:
        headers["ETag"] = version
    return Response(content, status, headers=headers, content_type=MEDIA_TYPE)


def listed(dumped: Sequence[Mapping[str, Any]], total: int, start: int) -> Response:
    """The answer that is a list of resources, serialized already."""
    content = {
        "schemas": [str(ListResponse.__schema__)],
        "totalResults": total,
        "startIndex": start,
        "itemsPerPage": len(dumped),
        "Resources": dumped,
    }
    return Response(content, 200, content_type=MEDIA_TYPE)
