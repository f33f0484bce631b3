"""What this room keeps of one person (`tenancy.kept`)."""

from compliance.facts.policies.models import RawSignature, Receipt
from compliance.tenancy.kept import of_learner

PARTS = (
    of_learner(
        "policy_receipts",
        Receipt,
        "receipt_id number course_id course_release_id version share_id cycle_id door act signed_at sign_in_methods"
        " statement_sha256 document_sha256 signature_sha256 previous_sha256 receipt_sha256",
    ),
    of_learner("signatures", RawSignature, "receipt_id signature signer_company"),
)
