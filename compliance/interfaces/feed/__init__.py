"""The feed of changes, `/feed/v1`: every version of every register in the order in which they were written."""
