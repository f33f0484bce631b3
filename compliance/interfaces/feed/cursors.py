"""Cursors of the feed: sealed like those of /v1 (`api.cursors`), bound to deployment, company and registers.

A cursor holds the last version that was read and the beginning of its digest. It never expires: a reader may continue
after a year. It is refused if the history no longer holds that digest, because it was restored from an older backup:
the reader then holds rows that the service does not know.
"""

from typing import NamedTuple

import orjson
from django.conf import settings

from compliance.interfaces.api import cursors
from compliance.registers.changes import Place
from compliance.registers.questions import Company


class FeedCursor(NamedTuple):
    """Where a reader of the feed stopped, and in which registers.

    `named`: one register was asked for by name; otherwise all that the key grants when the reading began.
    """

    place: Place
    registers: frozenset[int]
    named: bool


def seal(cursor: FeedCursor, company: Company) -> str:
    """The cursor as text, for one company of this deployment."""
    place = cursor.place
    content = orjson.dumps([place.sequence, place.digest.hex(), sorted(cursor.registers), cursor.named])
    return cursors.sealed(content, _bound_to(company), tuple(settings.CURSOR_KEYS))


def unseal(text: str, company: Company) -> FeedCursor:
    """The cursor in `text`. Raises `invalid_cursor` for anything but the exact text that `seal` made for `company`."""
    sequence, digest, registers, named = orjson.loads(
        cursors.opened(text, _bound_to(company), tuple(settings.CURSOR_KEYS))
    )
    return FeedCursor(Place(sequence, bytes.fromhex(digest)), frozenset(registers), named)


def _bound_to(company: Company) -> bytes:
    return f"svc.feed.cursor/1\n{company.deployment_id}\n{company.organization_id}".encode()
