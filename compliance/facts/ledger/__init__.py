"""The ledger of facts: the recorded facts with their origins, chained, and the subjects that must be decided again.

The app's label, and with it the names of its tables, is still `pending`, the room's former name: renaming tables would
mean a migration of every database for a name.
"""
