"""`If-Match` and `If-None-Match` (RFC 9110, 13.1): compared weakly, because the versions of resources are weak."""

from functools import partial
from typing import Any

from rest_framework.request import Request
from scim2_models import PreconditionFailedException, Resource

from compliance.provisioning.kinds import Check


def version_of(resource: Resource[Any]) -> str | None:
    """The version of a complete resource; None where only a part of it was read."""
    assert resource.meta is not None
    return resource.meta.version


def stated(request: Request) -> Check | None:
    """The check of the preconditions that the caller states; None where there are none, and no version is needed."""
    named = ("HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH")
    return partial(check, request) if any(name in request.META for name in named) else None


def check(request: Request, present: Resource[Any]) -> None:
    """Raises the error 412 when the resource has another version than the caller states."""
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


def _among(version: str | None, header: str) -> bool:
    named = [each.strip() for each in header.split(",")]
    return "*" in named or (version is not None and _opaque(version) in map(_opaque, named))


def _opaque(version: str) -> str:
    return version.strip().removeprefix("W/").strip('"')
