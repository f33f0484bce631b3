"""How long a caller will wait, by `Prefer`."""

import pytest

from compliance.interfaces.ingest.preferences import LONGEST_WAIT_SECONDS, wait_seconds


@pytest.mark.parametrize(
    "header, seconds",
    [
        ("", None),
        ("wait=10", 10),
        ("Wait = 10", 10),
        ('wait="10"', 10),
        ("respond-async, wait=7", 7),
        ("respond-async; x=1, wait=7; y", 7),
        ('foo="a, wait=3", wait=7', 7),
        ("wait=0", 0),
        ("wait=5, wait=9", 5),
        ("wait=100000", LONGEST_WAIT_SECONDS),
        ("wait=1e9", None),
        ("wait=-1", None),
        ("wait=٣", None),
        ("wait", None),
        ("wait=", None),
        ("waiting=3", None),
        ("=;,,", None),
        (",wait=4", 4),
        ('"' * 5_000, None),
        ("a=" * 5_000, None),
    ],
)
def test_the_first_wait_counts_and_what_is_malformed_is_passed_over(header, seconds):
    assert wait_seconds(header) == seconds
