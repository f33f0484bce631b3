"""Signing in and out: links, asking for one, invitations, sessions and devices, the language."""
