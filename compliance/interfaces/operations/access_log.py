"""Verifies the access log: recomputes its chains, and compares them with what was signed outside of the database.

A fault is an alert and is displayed on the log's own page. It closes no company: the registers do not depend on it.
"""

import logging
import uuid
from datetime import datetime

from compliance.interfaces.console import access_chain
from compliance.interfaces.console.access_chain import Verified
from compliance.interfaces.operations import access_heads
from compliance.log.errors import LogError
from compliance.proofs.access_log import ChainEnd

log = logging.getLogger(__name__)


def verify(now: datetime, chains: list[uuid.UUID] | None = None) -> dict[uuid.UUID, Verified]:
    """Verifies all chains, or those named, and records the findings."""
    stated, unreadable = _stated()
    found = {}
    for chain in sorted({*access_chain.chains(), *stated}) if chains is None else chains:
        one = access_chain.verify(chain, [stated[chain]] if chain in stated else [])
        if unreadable:
            one = Verified(one.lines, [*one.faults, unreadable])
        found[chain] = one
        access_chain.keep_finding(chain, one, now)
        for fault in one.faults:
            log.critical("access_log_broken", extra={"chain": str(chain), "fault": fault})
    return found


def _stated() -> tuple[dict[uuid.UUID, ChainEnd], str]:
    """The end of each chain when it was last signed; and why these cannot be read, empty if they can."""
    try:
        return access_heads.stated(), ""
    except LogError as error:
        return {}, str(error)
