"""Reads for the pages of this room: each a constant number of statements, none of which grows with the company."""
