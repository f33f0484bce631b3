"""Revokes keys and tokens that occurred in a URL: proxies, browsers and logs may have stored them."""

from collections.abc import Iterable
from datetime import datetime

from compliance.access import actions, sources, tokens


def revoke_seen_in_url(*, candidates: Iterable[str], at: datetime) -> int:
    """Revokes those of `candidates` that are keys of ours or tokens of our sources. Returns how many there were."""
    digests = [tokens.digest(token) for token in candidates if tokens.is_whole(token)]
    if not digests:
        return 0
    return actions.end_seen_in_url(digests=digests, at=at) + sources.end_seen_in_url(digests=digests, at=at)
