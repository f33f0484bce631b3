"""Pinned reads of the history, one file a register."""
