"""Lines about what happens to certificates after they were earned."""

from typing import Literal

from compliance.facts.lines.fields import FactLine, Identifier, Name


class CertificateRevoked(FactLine):
    """An administrator revoked a certificate."""

    recorders = "certificates.recorders"
    validator = "training.validating.validate_training"
    fact: Literal["certificate_revoked"] = "certificate_revoked"
    certificate_id: Identifier
    actor_id: Identifier


class CertificateCorrected(FactLine):
    """A new certificate (`certificate_id`) corrected an earlier one."""

    recorders = "certificates.recorders"
    validator = "training.validating.validate_training"
    refers_to_own_kind = True
    fact: Literal["certificate_corrected"] = "certificate_corrected"
    certificate_id: Identifier
    supersedes_id: Identifier
    person_name: Name | None = None
    actor_id: Identifier
