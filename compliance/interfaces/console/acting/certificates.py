"""Acts on certificates: revoke, correct."""

from django import forms

from compliance.facts.certificates import actions
from compliance.interfaces.console.acting.act import Act, ActForm, Acting, Done
from compliance.interfaces.console.who_may import Permission

GROUP = "Certificates"


class CertificateForm(ActForm):
    """Names a certificate."""

    certificate_id = forms.UUIDField(
        label="Certificate", help_text="Its identifier; the register of certificates has it."
    )


class RevokeCertificate(Act):
    """Revokes a certificate."""

    name = "revoke-certificate"
    title = "Revoke a certificate"
    explains = "The certificate no longer holds, and the check page says so. Its course is owed again at once."
    permission = Permission.CHANGE_RECORDS
    form = CertificateForm
    about = "certificate"
    group = GROUP
    danger = True

    def perform(self, acting: Acting) -> Done:
        """Records the revocation."""
        actions.revoke_certificate(**acting.common, certificate_id=acting.data["certificate_id"])
        return Done("The certificate is revoked.", "certificates")


class CorrectForm(CertificateForm):
    """And the name as it should be."""

    person_name = forms.CharField(
        label="Name on the new certificate", max_length=200, required=False, help_text="Empty: the name as it is."
    )


class CorrectCertificate(Act):
    """Replaces a certificate by a corrected one."""

    name = "correct-certificate"
    title = "Correct a certificate"
    explains = "A new certificate takes the place of this one, with the same course and moments."
    permission = Permission.CHANGE_RECORDS
    form = CorrectForm
    about = "certificate"
    group = GROUP

    def perform(self, acting: Acting) -> Done:
        """Records the correction."""
        new = actions.correct_certificate(
            **acting.common,
            supersedes_id=acting.data["certificate_id"],
            person_name=acting.data["person_name"] or None,
        )
        return Done(f"The certificate is replaced by {new}.", "certificates")
