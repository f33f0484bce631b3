"""API keys and sources: issued, rotated, revoked; only a digest of a secret is stored."""
