"""Revocations, corrections and public check codes of certificates."""
