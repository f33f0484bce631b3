"""The largest page and the largest row of /v1 and of the feed. A row larger than a page could never be served."""

MAXIMUM_PAGE_BYTES = 3 * 1024 * 1024
ENVELOPE_BYTES = 2048
"""Reserved for what surrounds the rows: total, snapshot, cursor."""

MAXIMUM_ROW_BYTES = MAXIMUM_PAGE_BYTES - ENVELOPE_BYTES

MAXIMUM_CHANGES = 1000
"""Versions in a page of the feed. What each call costs beside its rows is the larger part of a page of 200."""
