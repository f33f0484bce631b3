"""Reads of the pages of this part: each a constant number of statements, none of which grows with the company."""
