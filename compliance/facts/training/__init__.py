"""Completions, changes of obligations, reminders, live sessions."""
