"""Commitments to the person that a row is about: covered by the row's hash, and yet erasable (`svc.identity/1`).

Rows of people and certificates have the commitment, never the name. With the salt and the name anybody can check it;
once erasure has destroyed the salt, nobody can, and no hash is broken.
"""

import secrets

from .digests import sha256_lines

IDENTITY_CONSTANT = "svc.identity/1"
SALT_BYTES = 16


def new_salt() -> str:
    """Return a fresh salt: 16 random bytes in hexadecimal."""
    return secrets.token_hex(SALT_BYTES)


def identity_sha256(salt: str, person_name: str | None, work_email: str | None) -> str:
    """Return the commitment to a name and an e-mail address in hexadecimal; what is missing is an empty line."""
    return sha256_lines((IDENTITY_CONSTANT, salt, person_name or "", work_email or ""))
