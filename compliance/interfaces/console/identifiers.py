"""Identifiers in what people send: read where one may stand, refused where nothing else may."""

import uuid

from django.http import HttpRequest
from django.utils.translation import gettext

from compliance.interfaces.console.errors import UnreadableInputError


def read(text: object) -> uuid.UUID | None:
    """The identifier that a text is, None for any other."""
    try:
        return uuid.UUID(str(text))
    except ValueError:
        return None


def asked(request: HttpRequest, name: str) -> uuid.UUID | None:
    """The identifier under `name` in the address, None without. Raises UnreadableInputError."""
    text = request.GET.get(name, "").strip()
    found = read(text)
    if text and found is None:
        raise UnreadableInputError(gettext("%(text)s is no identifier.") % {"text": repr(text[:40])})
    return found
