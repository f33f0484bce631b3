"""Secrets that are needed again are sealed before they are stored: no copy of the database gives them away.

Fernet (AES-128-CBC with HMAC-SHA256) under a key derived from each secret of a list by HKDF: the first seals, the
others still open, so a key is rotated by putting a new one in front and sealing anew what the old one sealed.
"""

import base64
from functools import lru_cache

from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


@lru_cache(maxsize=8)
def ring(secrets: tuple[str, ...], purpose: bytes) -> MultiFernet:
    """What seals under the first of `secrets` and opens under each, with keys that serve no other purpose."""
    return MultiFernet([Fernet(_key(secret, purpose)) for secret in secrets])


def is_sealed(text: str) -> bool:
    """Whether it is a Fernet token: those begin with their version, which no secret or seed in clear does."""
    return text.startswith("gAAAA")


def _key(secret: str, purpose: bytes) -> bytes:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(secret.encode())
    return base64.urlsafe_b64encode(derived)
