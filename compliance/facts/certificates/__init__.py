"""Revocations, corrections and public check codes of certificates (design 3 and 4)."""
