"""Encrypts secrets before they are stored, so that a copy of the database does not reveal them.

Fernet (AES-128-CBC with HMAC-SHA256) with a key derived from each secret of a list by HKDF. The first key encrypts; all
of them decrypt. A key is rotated by putting a new one in front and encrypting again what the old one encrypted.
"""

import base64
from functools import lru_cache

from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


@lru_cache(maxsize=8)
def ring(secrets: tuple[str, ...], purpose: bytes) -> MultiFernet:
    """A ring that encrypts with the first of `secrets` and decrypts with each; the keys serve this purpose alone."""
    return MultiFernet([Fernet(_key(secret, purpose)) for secret in secrets])


def is_sealed(text: str) -> bool:
    """Whether the text is a Fernet token. Tokens begin with their version; no secret or seed in clear begins so."""
    return text.startswith("gAAAA")


def _key(secret: str, purpose: bytes) -> bytes:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(secret.encode())
    return base64.urlsafe_b64encode(derived)
