"""`/learn/certificates/<id>`: a certificate of one's own, to look at, to print and to prove."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from compliance.facts.certificates.queries import code_of
from compliance.history.of_person import Held, held
from compliance.interfaces.learner.proofs import proof_file
from compliance.interfaces.learner.visit import Visit, learner_page
from compliance.interfaces.pages.certificate_pdf import certificate_pdf
from compliance.interfaces.pages.certificates import PublicCertificate, Stated, printed_certificate, public_certificate
from compliance.learning import words
from compliance.rules.owed_learning.outcome import certificate_status
from compliance.rules.vocabulary import CertificateKind, CertificateStatus


@dataclass(frozen=True)
class Certificate:
    """A certificate in the words of its page."""

    certificate_id: uuid.UUID
    title: str
    status: CertificateStatus
    assessed: bool
    earned: str
    until: str

    @property
    def printable(self) -> bool:
        """Whether it may be printed: one that was revoked or replaced may not."""
        return self.status in (CertificateStatus.VALID, CertificateStatus.EXPIRED)


def in_words(visit: Visit, row: Held) -> Certificate:
    """A certificate of the person, as lists show it."""
    return Certificate(
        certificate_id=row.record_id,
        title=row.fields["certificate_title"],
        status=certificate_status(row.state or "", row.due_at, visit.now),
        assessed=row.fields["kind"] == CertificateKind.ASSESSED,
        earned=words.day_of(datetime.fromisoformat(row.fields["earned_at"]), visit.zone),
        until="" if row.due_at is None else words.day_of(row.due_at, visit.zone),
    )


@require_safe
@learner_page
def certificate(visit: Visit, certificate_id: uuid.UUID) -> HttpResponse:
    """The certificate's page."""
    certificate = _own(visit, certificate_id)
    (row,) = held(visit.organization_id, visit.learner_profile_id, visit.now, ("certificates",), certificate_id)
    values = {
        "certificate": in_words(visit, row),
        "name": certificate.person_name,
        "check_code": certificate.check_code,
        "check_address": f"{settings.BASE_URL}/check/{certificate.check_code}",
    }
    return visit.render("home/certificate.html", values)


@require_safe
@learner_page
def pdf(visit: Visit, certificate_id: uuid.UUID) -> HttpResponse:
    """The same file as on the check page; none for a certificate that was revoked or replaced."""
    certificate = _own(visit, certificate_id, printed_certificate)
    if not certificate.printable:
        raise Http404
    document = certificate_pdf(certificate, f"{settings.BASE_URL}/check/{certificate.check_code}")
    headers = {"Content-Disposition": f'inline; filename="certificate-{certificate_id}.pdf"'}
    return HttpResponse(document, content_type="application/pdf", headers=headers)


@require_safe
@learner_page
def proof(visit: Visit, certificate_id: uuid.UUID) -> HttpResponse:
    """The proof file."""
    _own(visit, certificate_id)
    return proof_file(visit, "certificates", certificate_id)


def _own(visit: Visit, certificate_id: uuid.UUID, stated: Stated = public_certificate) -> PublicCertificate:
    """The certificate, if it is the person's. Another person's is answered as not found, like another company's."""
    found = code_of(visit.organization_id, certificate_id)
    if found is None or found.learner_profile_id != visit.learner_profile_id:
        raise Http404
    certificate = stated(found, visit.now)
    if certificate is None:
        raise Http404
    return certificate
