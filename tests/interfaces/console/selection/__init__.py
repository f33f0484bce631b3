"""Rows that are chosen in lists."""
