"""Nightly verification that what is stored is what was written; a company where it fails is closed to readers.

The history chain, the receipt chain and the company's entries in the log are each recomputed, and each run is kept.
"""

import logging
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from django.db import InternalError
from psycopg.errors import DataCorrupted, IndexCorrupted

from compliance.facts.ledger.sealing import verify_ledger
from compliance.facts.policies import chain
from compliance.facts.policies.errors import BrokenReceiptChainError
from compliance.history.actions import fail_verification, pass_verification
from compliance.history.verify import FirstFault, verify_history
from compliance.interfaces.operations import company_status
from compliance.interfaces.operations.errors import BeingVerifiedError
from compliance.interfaces.operations.models import VerificationRun
from compliance.log import refusals
from compliance.log import verify as log_verification
from compliance.log.errors import LogError
from compliance.tenancy import context, turns
from compliance.tenancy.checks import Difference, differences

log = logging.getLogger(__name__)

Kind = VerificationRun.Kind
Clock = Callable[[], datetime]


class Finding(NamedTuple):
    """What one verification found: how much it recomputed, and the first fault, empty when all holds."""

    checked: int
    fault: str


def verify_company(organization_id: uuid.UUID, clock: Clock) -> dict[Kind, Finding]:
    """Verifies everything of one company, records a run of each kind, and closes or opens the company accordingly.

    Raises BeingVerifiedError where another process does so already: of two at the same time, one that had read a row
    before it was changed would open what the other has closed.
    """
    with turns.turn(organization_id, "verify") as mine:
        if not mine:
            raise BeingVerifiedError(f"Organization {organization_id} is being verified already.")
        return _verify_company(organization_id, clock)


def _verify_company(organization_id: uuid.UUID, clock: Clock) -> dict[Kind, Finding]:
    findings: dict[Kind, Finding] = {}
    for kind, verify in _VERIFIERS.items():
        started_at = clock()
        finding = findings[kind] = _found(verify, organization_id)
        with context.company(organization_id):
            VerificationRun.objects.create(
                organization_id=organization_id,
                kind=kind,
                started_at=started_at,
                finished_at=clock(),
                well=not finding.fault,
                checked=finding.checked,
                fault=finding.fault[:400],
            )
        if finding.fault:  # at once: what is verified next may be unreadable
            fail_verification(organization_id, finding.fault)
            log.critical(
                "verification_failed",
                extra={"organization_id": str(organization_id), "kind": kind.value, "fault": finding.fault},
            )
    well = not any(finding.fault for finding in findings.values())
    company_status.update(organization_id, verified_at=clock(), verified_well=well)
    if well:
        pass_verification(organization_id)
    return findings


def _found(verify: Callable[[uuid.UUID], Finding], organization_id: uuid.UUID) -> Finding:
    """What one verification finds. What PostgreSQL itself cannot read, because a disk has failed, is a fault."""
    try:
        return verify(organization_id)
    except InternalError as error:
        cause = error.__cause__
        if not isinstance(cause, DataCorrupted | IndexCorrupted):
            raise
        return Finding(0, f"PostgreSQL cannot read what is stored: {cause.diag.message_primary}.")


def verify_protections() -> list[Difference]:
    """Compares the tables' protections with those that the code expects; each difference is an alert. Returns them.

    It closes no company: whether any row was changed meanwhile is found by the companies' own verification.
    """
    found = differences()
    for each in found:
        log.critical("protection_differs", extra={"object": each.subject, "fault": each.sentence})
    return found


def verify_log() -> list[str]:
    """Recomputes the published log from its entries; each fault is an alert. Returns them.

    It closes no company: whether a company's captures are in the log is found by its own verification.
    """
    faults = log_verification.verify_log().faults
    for fault in faults:
        log.critical("log_broken", extra={"fault": fault})
    return faults


def _history(organization_id: uuid.UUID) -> Finding:
    answer = verify_history(organization_id)
    if isinstance(answer, FirstFault):
        return Finding(0, answer.sentence)
    return Finding(answer.rows, verify_ledger(organization_id).fault)


def _receipts(organization_id: uuid.UUID) -> Finding:
    try:
        with context.company(organization_id):
            return Finding(chain.verify(organization_id), "")
    except BrokenReceiptChainError as error:
        return Finding(0, str(error))


def _log(organization_id: uuid.UUID) -> Finding:
    try:
        refusal = refusals.refused_log()
    except LogError as error:
        return Finding(0, str(error))
    if refusal is not None:
        return Finding(0, refusal)
    checked, faults = log_verification.verify_company(organization_id)
    return Finding(checked, faults[0] if faults else "")


_VERIFIERS: dict[Kind, Callable[[uuid.UUID], Finding]] = {
    Kind.HISTORY: _history,
    Kind.RECEIPTS: _receipts,
    Kind.CHECKPOINTS: _log,
}
