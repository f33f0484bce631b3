"""The ledger of facts: what was taken in and by which way, chained, and the subjects that may be decided anew.

The app's label, and with it the names of its tables, is still `pending`: the room was called that when the first
databases were filled, and no data moves because a folder has another name.
"""
