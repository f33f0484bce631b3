"""Cursors: sealed, so that no client can read, change or make one.

They are encrypted by AES-256-GCM under a key derived from each of CURSOR_KEYS (the first, newest one seals; the others
still open), bound to the endpoint and the company. A cursor holds the pull's pin, filters, position and total. It
grants no access and never expires. It holds no personal data, so an erasure has effect in pulls that are under way.
"""

import base64
import binascii
import contextlib
import os
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256, Hash
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from compliance.interfaces.api.problems import Code, Problem
from compliance.registers.questions import Pin, Position

VERSION = 1
_NONCE_BYTES = 12
_HINT_BYTES = 2
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Cursor(NamedTuple):
    """What a pull keeps from page to page. `served` counts the rows that earlier pages returned."""

    pin: Pin
    moment: datetime
    start: datetime | None
    course: UUID | None
    position: Position
    total: int
    served: int


class _Key(NamedTuple):
    hint: bytes
    cipher: AESGCM


def seal(cursor: Cursor, *, endpoint: str, organization_id: UUID, secrets: tuple[str, ...]) -> str:
    """The cursor as text for `endpoint` of one company."""
    pin = cursor.pin
    content = orjson.dumps(
        [
            pin.sequence,
            pin.capture_sequence,
            pin.chain_hash,
            _micros(pin.captured_at),
            pin.logic_version,
            _micros(cursor.moment),
            None if cursor.start is None else _micros(cursor.start),
            None if cursor.course is None else cursor.course.hex,
            *cursor.position,
            cursor.total,
            cursor.served,
        ]
    )
    return sealed(content, _bound_to(endpoint, organization_id), secrets)


def sealed(content: bytes, bound_to: bytes, secrets: tuple[str, ...]) -> str:
    """The content of any cursor as text that opens only with the same `bound_to`."""
    key = _keys(secrets)[0]
    nonce = os.urandom(_NONCE_BYTES)
    encrypted = key.cipher.encrypt(nonce, content, bound_to)
    return base64.urlsafe_b64encode(bytes([VERSION]) + key.hint + nonce + encrypted).rstrip(b"=").decode()


def unseal(text: str, *, endpoint: str, organization_id: UUID, secrets: tuple[str, ...]) -> Cursor:
    """Opens a cursor. Raises `invalid_cursor` for any text but one that `seal` made for this endpoint and company."""
    return _read(opened(text, _bound_to(endpoint, organization_id), secrets))


def opened(text: str, bound_to: bytes, secrets: tuple[str, ...]) -> bytes:
    """The content that `sealed` made the text of. Raises `invalid_cursor` for any other text or `bound_to`."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise _refused() from None
    if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != text or raw[:1] != bytes([VERSION]):
        raise _refused()
    hint, nonce, encrypted = raw[1:3], raw[3 : 3 + _NONCE_BYTES], raw[3 + _NONCE_BYTES :]
    for key in _keys(secrets):
        if key.hint == hint:  # two keys may have the same
            with contextlib.suppress(InvalidTag, ValueError):
                return key.cipher.decrypt(nonce, encrypted, bound_to)
    raise _refused()


def _read(content: bytes) -> Cursor:
    values = orjson.loads(content)
    return Cursor(
        pin=Pin(values[0], values[1], values[2], _instant(values[3]), values[4]),
        moment=_instant(values[5]),
        start=None if values[6] is None else _instant(values[6]),
        course=None if values[7] is None else UUID(values[7]),
        position=Position(values[8], values[9]),
        total=values[10],
        served=values[11],
    )


@lru_cache(maxsize=8)
def _keys(secrets: tuple[str, ...]) -> tuple[_Key, ...]:
    keys = []
    for secret in secrets:
        derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"svc.cursor/1").derive(secret.strip().encode())
        digest = Hash(SHA256())
        digest.update(b"svc.cursor.hint/1" + derived)
        keys.append(_Key(digest.finalize()[:_HINT_BYTES], AESGCM(derived)))
    return tuple(keys)


def _bound_to(endpoint: str, organization_id: UUID) -> bytes:
    return f"svc.cursor/1\n{endpoint}\n{organization_id}".encode()


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def _instant(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


def _refused() -> Problem:
    return Problem(Code.INVALID_CURSOR)
