"""Secrets of second factors are sealed before they reach the database.

Fernet (AES-128-CBC with HMAC-SHA256) under a key derived from each of SECOND_FACTOR_KEYS by HKDF: the first seals, the
others still open, so a key is rotated by putting a new one in front and running `manage.py reseal_second_factors`.
Places in lists are sealed in the same way, under CURSOR_KEYS (`console/keyset.py`).
"""

import base64
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from compliance.interfaces.console.errors import ConsoleError

_PURPOSE = b"compliance second factor 1"


class UnreadableSecretError(ConsoleError):
    """A stored secret that none of SECOND_FACTOR_KEYS opens."""


def seal(text: str) -> str:
    """`text` sealed under the newest key."""
    return ring(tuple(settings.SECOND_FACTOR_KEYS), _PURPOSE).encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """What `seal` was given. Raises UnreadableSecretError."""
    try:
        return ring(tuple(settings.SECOND_FACTOR_KEYS), _PURPOSE).decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise UnreadableSecretError("A second factor is sealed under none of SECOND_FACTOR_KEYS.") from error


def reseal(text: str) -> str:
    """The same secret under the newest key; one that was stored in clear is sealed. Raises UnreadableSecretError."""
    return seal(unseal(text) if is_sealed(text) else text)


def is_sealed(text: str) -> bool:
    """Whether it is a Fernet token: those begin with their version, which no secret or seed in clear does."""
    return text.startswith("gAAAA")


@lru_cache(maxsize=4)
def ring(secrets: tuple[str, ...], purpose: bytes) -> MultiFernet:
    """What seals under the first of `secrets` and opens under each, with keys that serve no other purpose."""
    return MultiFernet([Fernet(_key(secret, purpose)) for secret in secrets])


def _key(secret: str, purpose: bytes) -> bytes:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(secret.encode())
    return base64.urlsafe_b64encode(derived)
