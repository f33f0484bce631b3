"""Reads identifiers from input: `read` accepts any text, `asked` refuses anything but an identifier."""

import uuid

from django.http import HttpRequest
from django.utils.translation import gettext

from compliance.interfaces.console.errors import UnreadableInputError


def read(text: object) -> uuid.UUID | None:
    """The identifier in a text, None for any other text."""
    try:
        return uuid.UUID(str(text))
    except ValueError:
        return None


def asked(request: HttpRequest, name: str) -> uuid.UUID | None:
    """The identifier under `name` in the address, None without one. Raises UnreadableInputError."""
    text = request.GET.get(name, "").strip()
    found = read(text)
    if text and found is None:
        raise UnreadableInputError(gettext("%(text)s is no identifier.") % {"text": repr(text[:40])})
    return found
