"""Acts on certificates: revoke, correct."""

import uuid
from functools import partial

from django import forms
from django.utils.translation import gettext_lazy

from compliance.facts.lines.kinds import CertificateCorrected, CertificateRevoked
from compliance.interfaces.console.acting import pickable
from compliance.interfaces.console.acting.act import Act, Recorded
from compliance.interfaces.console.acting.fields import form_of
from compliance.interfaces.console.acting.picker import Picked
from compliance.interfaces.console.permissions import Permission

_CERTIFICATE = Picked(pickable.CERTIFICATE, label=gettext_lazy("Certificate"))
_OfCertificate = partial(
    Recorded,
    permission=Permission.CHANGE_RECORDS,
    group=gettext_lazy("Certificates"),
    about="certificate",
    page="certificates",
)

ACTS: tuple[Act, ...] = (
    _OfCertificate(
        name="revoke-certificate",
        tells=(CertificateRevoked,),
        title=gettext_lazy("Revoke a certificate"),
        explains=gettext_lazy(
            "The certificate no longer holds, and the check page says so. Its course is owed again at once."
        ),
        form=form_of(certificate_id=_CERTIFICATE),
        danger=True,
        arguments=lambda acting: acting.data,
        done=gettext_lazy("The certificate is revoked."),
    ),
    _OfCertificate(
        name="correct-certificate",
        tells=(CertificateCorrected,),
        title=gettext_lazy("Correct a certificate"),
        explains=gettext_lazy("A new certificate takes the place of this one, with the same course and moments."),
        form=form_of(
            certificate_id=_CERTIFICATE,
            person_name=forms.CharField(
                label=gettext_lazy("Name on the new certificate"),
                max_length=200,
                required=False,
                help_text=gettext_lazy("Empty: the name as it is."),
            ),
        ),
        arguments=lambda acting: {
            "certificate_id": uuid.uuid4(),
            "supersedes_id": acting.data["certificate_id"],
            "person_name": acting.data["person_name"] or None,
        },
        done=gettext_lazy("The certificate is replaced by a new one."),
    ),
)
