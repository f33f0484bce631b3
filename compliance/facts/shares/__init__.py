"""Shares: which course or policy is owed by whom, through which doors, by when."""
