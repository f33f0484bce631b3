"""Policies in the console: the list, the page of one policy with its signatures, and texts from files."""
