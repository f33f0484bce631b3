"""What this room keeps of one person (`tenancy.kept`): who revoked or corrected is another person, and is left out."""

from compliance.facts.certificates.models import (
    CertificateCorrection,
    CertificateRevocation,
    CheckCode,
    IssuedName,
)
from compliance.tenancy.kept import of_learner

PARTS = (
    of_learner("certificate_names", IssuedName, "certificate_id person_name identity_sha256 salt"),
    of_learner("certificate_check_codes", CheckCode, "certificate_id check_code"),
    of_learner(
        "certificate_corrections", CertificateCorrection, "certificate_id supersedes_id course_id at person_name"
    ),
    of_learner("certificate_revocations", CertificateRevocation, "certificate_id course_id at"),
)
