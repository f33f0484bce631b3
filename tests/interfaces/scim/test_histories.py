"""Random histories of provisioning: after each step, clients and /v1 agree with the oracle.

The suite tries a few, the same in every run; `SCIM_HISTORIES=1000` tries as many, from `SCIM_HISTORIES_FROM` on.
"""

import os

import pytest

from tests.interfaces.scim.histories import History

TIMES, FIRST = int(os.environ.get("SCIM_HISTORIES", "6")), int(os.environ.get("SCIM_HISTORIES_FROM", "0"))
STEPS = 12


@pytest.fixture(autouse=True)
def without_limits(settings):
    """A history makes more calls than a caller may."""
    for name in ("KEY", "COMPANY", "SOURCE", "ADDRESS"):
        setattr(settings, f"RATE_LIMIT_{name}_PER_MINUTE", 10**6)


@pytest.mark.parametrize("seed", range(FIRST, FIRST + TIMES))
def test_a_history_is_what_a_plain_reading_says(db, seed):
    history = History(seed)
    history.tell(STEPS)
    history.check()
