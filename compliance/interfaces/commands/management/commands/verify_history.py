"""Recomputes stored histories and names the first fault: `verify_history [--organization ORG]`.

With `--checkpoints` it also recomputes the log, compares the histories with it, and both with the checkpoints that were
signed outside of the database. `--accept` accepts a history that was restored on purpose, by an entry of the log;
nothing else accepts one. The signer runs it, whose database role reads no names and no facts: so it recomputes the
accepted histories and the log, and leaves the rest to the run without `--accept`.
"""

import json
import uuid
from argparse import ArgumentParser
from collections import defaultdict
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.core.management.base import CommandError

from compliance.facts.ledger.sealing import verify_ledger
from compliance.history.queries import capture_ends
from compliance.history.verify import FirstFault, Verified, verify_history
from compliance.interfaces.commands.operator_command import OperatorCommand, away_node
from compliance.interfaces.operations import access_heads
from compliance.log import acceptance, refusals
from compliance.log import verify as log_verification
from compliance.tenancy import lost, shards
from compliance.tenancy.models import Organization
from compliance.tenancy.queries import organization


class Away(NamedTuple):
    """A history that cannot be recomputed now, because its node of a cluster does not answer."""

    organization_id: uuid.UUID
    node: str

    @property
    def sentence(self) -> str:
        """The same as a sentence for an operator."""
        return f"Its node {self.node} does not answer."


class Command(OperatorCommand):
    """Walks every capture and row; exit code 1 when one is wrong or could not be read."""

    help = "Recomputes the history and the ledger of facts of one company or of all from what is stored."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", type=uuid.UUID, help="One company; all of them without.")
        parser.add_argument("--json", action="store_true")
        parser.add_argument(
            "--checkpoints", action="store_true", help="Also recompute the log, and compare the histories with it."
        )
        parser.add_argument(
            "--accept",
            action="store_true",
            help="With --checkpoints, as the signer: a backup was restored on purpose; go on from it.",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        if options["accept"] and not options["checkpoints"]:
            raise CommandError("--accept goes with --checkpoints.")
        if options["accept"] and options["organization"]:
            raise CommandError("--accept is for all companies: leave --organization out.")
        chosen = _chosen(options["organization"])
        found = _unanswered() if options["accept"] else [_verified(organization_id) for organization_id in chosen]
        faults = [each for each in found if isinstance(each, FirstFault)]
        away = {each.organization_id for each in found if isinstance(each, Away)}
        contradicted: dict[uuid.UUID | None, list[str]] = {}
        if options["checkpoints"] and not faults:
            contradicted = self._held_to_log(options["organization"], options["accept"], away)
        if options["json"]:
            self.stdout.write(json.dumps(_report(found, contradicted), default=str))
        for each in found:
            if not isinstance(each, Verified):
                self.stderr.write(f"{each.organization_id}: {each.sentence}")
            elif not options["json"] and each.organization_id not in contradicted:
                self.stdout.write(
                    f"{each.organization_id}: holds; {each.captures} captures, {each.records} records, {each.rows} rows"
                )
        for sentences in contradicted.values():
            for sentence in sentences:
                self.stderr.write(sentence)
        words = [f"{len(faults)} of {len(chosen)} histories do not hold."] if faults else []
        if away:
            words.append(
                f"{len(away)} of {len(chosen)} could not be recomputed: run this again when their node answers."
            )
        if contradicted:
            words.append(refusals.WHAT_TO_DO)
        if words:
            raise CommandError(" ".join(words))

    def _held_to_log(
        self, organization_id: uuid.UUID | None, accept: bool, away: set[uuid.UUID]
    ) -> dict[uuid.UUID | None, list[str]]:
        """Where the histories contradict the log, by company; under None, what is wrong with the log itself."""
        if accept:
            for company in acceptance.accept(datetime.now(UTC)):
                self.stderr.write(f"{company}: accepted as it is; the acceptance is in the log.")
            access_heads.sign_as_found()
            self.stderr.write(
                "Run `manage.py replay_erasures` and, after a restore, `manage.py end_access` before you serve anybody."
            )
        faults: dict[uuid.UUID | None, dict[str, None]] = defaultdict(dict)
        for each in refusals.refusals():
            if organization_id is None or each.organization_id in (None, organization_id):
                faults[each.organization_id][each.sentence] = None
        log = log_verification.verify_log()
        captures = 0
        for company in _chosen(organization_id):
            if company in away:
                continue
            checked, broken = log_verification.verify_company(company)
            captures += checked
            if broken:
                faults[company] |= dict.fromkeys(broken)
        if log.faults:
            faults[None] |= dict.fromkeys(log.faults)
        self.stderr.write(f"{log.entries} entries of the log recomputed; {captures} captures held to them.")
        return {company: list(sentences) for company, sentences in faults.items()}


_HOLDS = {Verified: True, FirstFault: False, Away: None}


def _report(
    found: list[Verified | FirstFault | Away], contradicted: dict[uuid.UUID | None, list[str]]
) -> list[dict[str, Any]]:
    """An object for each company; what contradicts the log is in `log_faults`. The log's own faults name no company."""
    report: dict[uuid.UUID | None, dict[str, Any]] = {
        each.organization_id: {"holds": _HOLDS[type(each)]} | each._asdict() for each in found
    }
    for company, sentences in contradicted.items():
        described = report.setdefault(company, {"organization_id": company})
        described |= {"holds": False, "log_faults": sentences}
    return list(report.values())


def _verified(organization_id: uuid.UUID) -> Verified | FirstFault | Away:
    """As `_recomputed`; for the companies of a node that does not answer, `Away`."""
    try:
        return _recomputed(organization_id)
    except lost.ERRORS as error:
        return Away(organization_id, away_node(error, organization_id))


def _unanswered() -> list[Verified | FirstFault | Away]:
    """The companies of nodes that do not answer, of which nothing can be compared with the log now."""
    away: set[uuid.UUID] = set()
    capture_ends(away)
    names = {each.number: each.name for each in shards.nodes()} if away else {}
    return [Away(each, names[shards.of_company(each).node]) for each in sorted(away)]


def _recomputed(organization_id: uuid.UUID) -> Verified | FirstFault:
    """Recomputes the history, and then the ledger of the facts from which it was decided."""
    answer = verify_history(organization_id)
    if isinstance(answer, FirstFault):
        return answer
    ledger = verify_ledger(organization_id)
    if ledger.fault:
        return FirstFault(organization_id, None, None, None, None, None, ledger.fault)
    return answer


def _chosen(organization_id: uuid.UUID | None) -> list[uuid.UUID]:
    """Every company, including one whose head was deleted: nothing else would check its history."""
    if organization_id is None:
        return list(Organization.objects.order_by("organization_id").values_list("organization_id", flat=True))
    return [organization(organization_id).organization_id]
