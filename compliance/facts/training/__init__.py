"""Completions, changes of obligations, reminders, live sessions (design 3)."""
