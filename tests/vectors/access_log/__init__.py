"""Exports of an access log, whole and with one thing wrong each."""
