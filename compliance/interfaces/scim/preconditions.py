"""`If-Match` and `If-None-Match` (RFC 9110, 13.1): weak comparison, since the versions of resources are weak."""

from typing import Any

from rest_framework.request import Request
from scim2_models import PreconditionFailedException, Resource


def version_of(resource: Resource[Any]) -> str:
    """The version of a complete resource."""
    assert resource.meta is not None
    assert resource.meta.version is not None
    return resource.meta.version


def check(request: Request, present: Resource[Any]) -> None:
    """Raises the error 412 when the resource is not as the caller believes it to be."""
    wanted = request.META.get("HTTP_IF_MATCH")
    if wanted is not None and not _among(version_of(present), wanted):
        raise PreconditionFailedException(detail="The resource has changed: its version is another one.")
    unwanted = request.META.get("HTTP_IF_NONE_MATCH")
    if unwanted is not None and _among(version_of(present), unwanted):
        raise PreconditionFailedException(detail="The resource has the version that If-None-Match excludes.")


def unchanged(request: Request, present: Resource[Any]) -> bool:
    """Whether a reader has this version already."""
    known = request.META.get("HTTP_IF_NONE_MATCH")
    return known is not None and _among(version_of(present), known)


def _among(version: str, header: str) -> bool:
    named = [each.strip() for each in header.split(",")]
    return "*" in named or _opaque(version) in map(_opaque, named)


def _opaque(version: str) -> str:
    return version.strip().removeprefix("W/").strip('"')
