"""Verification of the access log: its chains recomputed, and held to the checkpoints outside the database.

A fault is an alert and stands on the log's own page. It closes no company: what the registers say does not rest on it.
"""

import logging
import uuid
from datetime import datetime

from compliance.interfaces.console import access_chain
from compliance.interfaces.console.access_chain import Verified
from compliance.interfaces.console.access_log import DEPLOYMENT
from compliance.interfaces.operations import checkpoints
from compliance.interfaces.operations.errors import CheckpointFileError
from compliance.proofs.checkpoints import ChainEnd

log = logging.getLogger(__name__)


def verify(now: datetime, chains: list[uuid.UUID] | None = None) -> dict[uuid.UUID, Verified]:
    """Verifies all chains, or those named, and keeps what it found."""
    stated, unreadable = _stated()
    found = {}
    for chain in sorted({*access_chain.chains(), *stated}) if chains is None else chains:
        one = access_chain.verify(chain, stated.get(chain, ()))
        if unreadable:
            one = Verified(one.lines, [*one.faults, unreadable])
        found[chain] = one
        access_chain.keep_finding(chain, one, now)
        for fault in one.faults:
            log.critical("access_log_broken", extra={"chain": str(chain), "fault": fault})
    return found


def _stated() -> tuple[dict[uuid.UUID, list[ChainEnd]], str]:
    """Where each chain stood by the newest checkpoints; why they cannot be read, if so."""
    found: dict[uuid.UUID, list[ChainEnd]] = {}
    try:
        for checkpoint in checkpoints.all_newest_counted():
            if checkpoint.access_log is not None:
                found.setdefault(checkpoint.organization_id, []).append(checkpoint.access_log)
            if checkpoint.deployment_access_log is not None:
                found.setdefault(DEPLOYMENT, []).append(checkpoint.deployment_access_log)
    except CheckpointFileError as error:
        return {}, str(error)
    return found, ""
