"""What this room keeps about one person (`tenancy.kept`)."""

from compliance.facts.policies.models import RawSignature, Receipt
from compliance.tenancy.kept import of_learner

PARTS = (
    of_learner("policy_receipts", Receipt),
    of_learner("signatures", RawSignature),
)
