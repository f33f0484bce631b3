"""Webhooks as staff see them: where a company's changes go, how each fares, and what was tried."""
