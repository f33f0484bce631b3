"""SQL about API keys that other rooms put into statements of theirs."""


def keys_of(alias: str) -> str:
    """SQL of how many keys of the company of `alias`.organization_id are not revoked."""
    return (
        f"(SELECT count(*) FROM access_apikey k WHERE k.organization_id = {alias}.organization_id"  # noqa: S608
        " AND k.revoked_at IS NULL)"
    )
