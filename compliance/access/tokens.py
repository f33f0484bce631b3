"""The form of API keys and tokens of sources: a prefix, 43 random characters, 6 characters of a checksum.

With the checksum, a mistyped or invented key is recognised without a database query, and secret scanners report only
possible keys. Only the SHA-256 of a key is stored.
"""

import hashlib
import re
import secrets
import zlib

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
RANDOM_LENGTH = 43
CHECKSUM_LENGTH = 6
KEY_PREFIXES = {"live": "svc_live_", "test": "svc_test_"}
"""The prefixes of API keys, which read, by environment."""
SOURCE_PREFIXES = {"live": "svc_in_live_", "test": "svc_in_test_"}
"""The prefixes of tokens of sources, which bring facts in."""
SHAPE = re.compile(r"svc_(?:in_)?(?:live|test)_[0-9A-Za-z]{49}")
"""What looks like a key or a token anywhere in a text; its checksum is not verified."""

REDACTED = "svc_[redacted]"


def new_token(prefix: str) -> str:
    """Makes a key or a token with one of the prefixes above and 256 bits of randomness."""
    body = prefix + "".join(secrets.choice(ALPHABET) for _ in range(RANDOM_LENGTH))
    return body + checksum(body)


def checksum(body: str) -> str:
    """Returns six base62 digits, most significant first, of the CRC-32 of the text before them."""
    value = zlib.crc32(body.encode("ascii"))
    digits = ""
    for _ in range(CHECKSUM_LENGTH):
        value, digit = divmod(value, 62)
        digits = ALPHABET[digit] + digits
    return digits


def is_whole(token: str) -> bool:
    """Returns whether `token` has the form of a key, or of a source's token, and a valid checksum."""
    return SHAPE.fullmatch(token) is not None and checksum(token[:-CHECKSUM_LENGTH]) == token[-CHECKSUM_LENGTH:]


def digest(token: str) -> bytes:
    """The SHA-256 of a key, which is stored. A key has 256 random bits, so no slower hash is needed."""
    return hashlib.sha256(token.encode("ascii")).digest()


def redact(text: str) -> str:
    """Returns `text` without anything that looks like a key, or begins like one. For logs."""
    return _BEGINNING.sub(REDACTED, text) if "svc" in text else text


_UNDERSCORE = "(?:_|%(?:25)*5[Ff])"
"""An underscore, as it is or encoded any number of times."""
_BEGINNING = re.compile(f"svc{_UNDERSCORE}(?:in{_UNDERSCORE})?(?:live|test){_UNDERSCORE}[0-9A-Za-z%]*")
