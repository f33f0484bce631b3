"""The digest by which a repeated fact is recognised: over all fields of a line except the personal ones.

It is computed from the parsed values, not from the text: another offset of the same instant, the order of keys, or
`null` for an absent field make no difference.
"""

import json
from hashlib import sha256
from typing import Any

import orjson

from compliance.facts.lines.fields import FactLine, FileObject
from compliance.facts.lines.kinds import PERSONAL_FIELDS


def digest(line: FactLine) -> bytes:
    """Returns 32 bytes that are equal for two lines exactly when they state the same."""
    stated = {name: value for name, value in line.__dict__.items() if value is not None and name not in PERSONAL_FIELDS}
    if line.fact == "course_changed" and "certificate" in line.model_fields_set and "certificate" not in stated:
        stated["certificate"] = False  # null removes the certificate, an absent field leaves it
    try:
        text = orjson.dumps(stated, default=_parts, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # an integer of more than 64 bits inside a content file; its own checks refuse it later
        stated["content"] = json.dumps(stated.get("content"), sort_keys=True)
        text = orjson.dumps(stated, default=_parts, option=orjson.OPT_SORT_KEYS)
    return sha256(text).digest()


def _parts(value: Any) -> Any:
    if isinstance(value, FileObject):
        return {name: each for name, each in value.__dict__.items() if each is not None}
    raise TypeError
