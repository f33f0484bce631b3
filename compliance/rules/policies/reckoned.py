"""Explains why a policy is due when it is: the reckoning of a record's deadline, as the decider makes it."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from compliance.rules.company_days import LAST_INSTANT
from compliance.rules.policies.coverage import coverings
from compliance.rules.policies.decide import Fold
from compliance.rules.policies.decisions import RecordTimeline
from compliance.rules.policies.facts import PolicyFacts, ReceiptFacts, Signer
from compliance.rules.reckoning import Reckoning


def reckonings(
    organization_id: UUID,
    zone: str,
    policy: PolicyFacts,
    signer: Signer,
    receipts: Iterable[ReceiptFacts],
    moment: datetime,
) -> dict[UUID, Reckoning]:
    """Return the reckoning of each record of this person and policy up to `moment`, by record_id."""
    fold = _Reckoned(organization_id, zone, policy, signer, tuple(receipts), moment)
    fold.run()
    return fold.found


class _Reckoned(Fold):
    """The decider, extended to keep the reckonings of its records up to its moment; settled records keep theirs."""

    found: dict[UUID, Reckoning]

    def run(self) -> tuple[RecordTimeline, ...]:
        """Go through the moments, and keep the reckonings."""
        self.found = {}
        return super().run()

    def _write(self, moment: datetime) -> None:
        settled = self.cycle.frozen
        super()._write(moment)
        if moment > self.now or self.current_record is None or self.current is None or settled:
            return
        covering = coverings(self.policy.shares, self.current, self.signer, moment)
        found = ((self.reckon(each), share_id) for share_id, each in covering.items())
        self.found[self.current_record] = min(found, key=lambda each: (each[0].excused_at or LAST_INSTANT, each[1]))[0]
