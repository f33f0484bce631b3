"""The API as seen by clients that others wrote: `make clients`. Not in the suite.

Each step is a program of its own with an exit code; `__main__` runs them in order and prints a table.
"""
