"""The API as clients that no one here wrote see it (issue 6, parts 4 and 5): `make clients`. Not in the suite.

Each step is a program of its own with an exit code; `__main__` runs them in order and prints a table.
"""
