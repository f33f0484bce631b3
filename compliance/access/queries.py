"""SQL about API keys for statements of other rooms."""


def keys_of(alias: str) -> str:
    """SQL of how many keys of the company of `alias`.organization_id are not revoked."""
    return (
        f"(SELECT count(*) FROM access_apikey k WHERE k.organization_id = {alias}.organization_id"  # noqa: S608
        " AND k.revoked_at IS NULL)"
    )


CALLED = "k.key_id, k.scopes, k.networks, k.expires_at, k.last_used_at"
"""Columns of a key `k` that a call needs."""
BY_DIGEST = ("FROM access_apikey k", "WHERE k.digest = %s AND k.revoked_at IS NULL")
"""SQL of the key `k` whose token has this SHA-256, unless it is revoked, in two parts between which joins fit."""
