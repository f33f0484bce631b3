"""Pinned reads of the history, one module per register."""
