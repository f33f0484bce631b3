"""Check codes, which open a certificate's public check page.

A code has 100 random bits, so that guessing a million a second for a century finds none; its letters are Crockford's
base 32, which can be read aloud and typed from paper without mistakes.
"""

import re
import secrets

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_GROUPS, _GROUP = 4, 5
_FORM = re.compile(f"[{ALPHABET}]{{{_GROUPS * _GROUP}}}")
_MISREAD = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None})


def new_code() -> str:
    """Return a fresh code, like `7QK2M-0XV9T-HB4ZR-3WCEN`."""
    # There are 32 letters, so five bits of a random byte choose one uniformly; drawing each one separately takes ten
    # times as long.
    return _grouped("".join([ALPHABET[byte & 31] for byte in secrets.token_bytes(_GROUPS * _GROUP)]))


def read_code(text: str) -> str | None:
    """Return the code as stored, however it was typed; None if the text cannot be a code."""
    if len(text) > 60 or not text.isascii():
        return None
    letters = text.upper().translate(_MISREAD)
    return _grouped(letters) if _FORM.fullmatch(letters) else None


def _grouped(letters: str) -> str:
    return "-".join(letters[at : at + _GROUP] for at in range(0, len(letters), _GROUP))
