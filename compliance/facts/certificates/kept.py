"""What this room keeps about one person (`tenancy.kept`). Who revoked or corrected is somebody else, so left out."""

from compliance.facts.certificates.models import (
    CertificateCorrection,
    CertificateRevocation,
    CheckCode,
    IssuedName,
)
from compliance.tenancy.kept import of_learner

PARTS = (
    of_learner("certificate_names", IssuedName),
    of_learner("certificate_check_codes", CheckCode),
    of_learner("certificate_corrections", CertificateCorrection),
    of_learner("certificate_revocations", CertificateRevocation),
)
