"""LOG_WITNESSES: who is asked to cosign the log's checkpoints, checked before anything starts."""

import re

from compliance.proofs.cosignature import parse_witness_key
from compliance.proofs.errors import NoteMalformed

_WITNESS_ADDRESS = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~/-]*)?")


def checked_witnesses(value: list[str]) -> list[str]:
    """Return each entry as its verifier key, a space, and the address without a slash at its end.

    Raises ValueError with a sentence for whoever set the variable.
    """
    found: dict[bytes, str] = {}
    for entry in value:
        line, _, address = entry.partition(" ")
        try:
            key = parse_witness_key(line)
        except NoteMalformed as fault:
            raise ValueError(f"LOG_WITNESSES: {line!r} is no verifier key of a witness. {fault}") from None
        if _WITNESS_ADDRESS.fullmatch(address.strip()) is None:
            raise ValueError(f"LOG_WITNESSES: {key.key_name} has no address that begins with https:// or http://.")
        if key.public_key in found:
            raise ValueError(f"LOG_WITNESSES: {key.key_name} has the key of another entry.")
        found[key.public_key] = f"{key.line()} {address.strip().rstrip('/')}"
    return list(found.values())
