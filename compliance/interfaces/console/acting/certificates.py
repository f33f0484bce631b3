"""Acts on certificates: revoke, correct."""

import uuid
from functools import partial

from django import forms

from compliance.facts.lines import CertificateCorrected, CertificateRevoked
from compliance.interfaces.console.acting import pickable
from compliance.interfaces.console.acting.act import Act, Done, Recorded
from compliance.interfaces.console.acting.fields import form_of
from compliance.interfaces.console.acting.picker import Picked
from compliance.interfaces.console.who_may import Permission

_CERTIFICATE = Picked(pickable.CERTIFICATE, label="Certificate")
_OfCertificate = partial(
    Recorded, permission=Permission.CHANGE_RECORDS, group="Certificates", about="certificate", page="certificates"
)

ACTS: tuple[Act, ...] = (
    _OfCertificate(
        name="revoke-certificate",
        tells=(CertificateRevoked,),
        title="Revoke a certificate",
        explains="The certificate no longer holds, and the check page says so. Its course is owed again at once.",
        form=form_of(certificate_id=_CERTIFICATE),
        danger=True,
        arguments=lambda acting: acting.data,
        done="The certificate is revoked.",
    ),
    _OfCertificate(
        name="correct-certificate",
        tells=(CertificateCorrected,),
        title="Correct a certificate",
        explains="A new certificate takes the place of this one, with the same course and moments.",
        form=form_of(
            certificate_id=_CERTIFICATE,
            person_name=forms.CharField(
                label="Name on the new certificate",
                max_length=200,
                required=False,
                help_text="Empty: the name as it is.",
            ),
        ),
        arguments=lambda acting: {
            "certificate_id": uuid.uuid4(),
            "supersedes_id": acting.data["certificate_id"],
            "person_name": acting.data["person_name"] or None,
        },
        done=lambda acting, new: Done(f"The certificate is replaced by {new.certificate_id}.", "certificates"),
    ),
)
