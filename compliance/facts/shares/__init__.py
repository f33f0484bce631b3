"""Shares: who owes which course or policy, through which doors, and by when."""
