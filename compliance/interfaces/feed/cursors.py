"""Cursors of the feed: sealed as those of /v1 are (`api.cursors`), bound to deployment, company and registers.

A cursor holds the last version that was read and the beginning of its digest. It never expires: whoever comes back
after a year reads on. A digest that the history has no more, because it was restored from a backup that did not know of
it, is refused: what such a reader holds is not what the service knows.
"""

from typing import NamedTuple

import orjson
from django.conf import settings

from compliance.interfaces.api import cursors
from compliance.registers.changes import Place
from compliance.registers.questions import Company


class FeedCursor(NamedTuple):
    """Where a reader of the feed stopped, and in which registers.

    `named`: one register was asked for by its name; otherwise they are all that the key opened when the reading began.
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
    """Opens a cursor. Raises `invalid_cursor` for anything but the very text that `seal` made for the company."""
    sequence, digest, registers, named = orjson.loads(
        cursors.opened(text, _bound_to(company), tuple(settings.CURSOR_KEYS))
    )
    return FeedCursor(Place(sequence, bytes.fromhex(digest)), frozenset(registers), named)


def _bound_to(company: Company) -> bytes:
    return f"svc.feed.cursor/1\n{company.deployment_id}\n{company.organization_id}".encode()
