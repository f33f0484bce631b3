"""What can go wrong with certificates, live sessions and their registers."""

from compliance.errors import ComplianceError


class CertificateError(ComplianceError):
    """Root of this room's errors."""


class NoSuchCertificateError(CertificateError):
    """No completion or correction of this company made that certificate."""


class AlreadyRevokedError(CertificateError):
    """The certificate was revoked before."""


class AlreadyCorrectedError(CertificateError):
    """The certificate was corrected before; correct the newest one."""


class CertificateExistsError(CertificateError):
    """The new certificate's id is taken."""
