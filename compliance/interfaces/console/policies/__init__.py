"""Policies in the console: the list, the page of one with who has signed it and who has not, texts from files."""
