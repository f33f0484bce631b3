"""API keys: issued, rotated, revoked; only a digest is stored."""
