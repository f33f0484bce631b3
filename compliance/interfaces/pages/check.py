"""`/check/<code>`: the public page that shows what is printed on a certificate, and its current status.

No sign-in, no JavaScript. An unknown code, one whose holder was erased, and one whose certificate the history does not
hold yet take the same path to the same answer.
"""

from datetime import UTC, datetime

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_safe

from compliance.facts.certificates.queries import certificate_of_code
from compliance.interfaces.pages.answers import message, page, sealed
from compliance.interfaces.pages.certificate_pdf import certificate_pdf
from compliance.interfaces.pages.certificates import PublicCertificate, Stated, printed_certificate, public_certificate
from compliance.interfaces.pages.throttle import CHECKS_PER_MINUTE, seconds_to_wait
from compliance.rules.vocabulary import CertificateStatus
from compliance.tenancy import context

_SENTENCES = {
    CertificateStatus.VALID: gettext_lazy("This certificate is valid today."),
    CertificateStatus.EXPIRED: gettext_lazy("This certificate has expired."),
    CertificateStatus.REVOKED: gettext_lazy("This certificate was revoked."),
    CertificateStatus.REPLACED: gettext_lazy("This certificate was replaced by a corrected one."),
}

_CALLED = {
    CertificateStatus.VALID: gettext_lazy("Valid"),
    CertificateStatus.EXPIRED: gettext_lazy("Expired"),
    CertificateStatus.REVOKED: gettext_lazy("Revoked"),
    CertificateStatus.REPLACED: gettext_lazy("Replaced"),
}


@require_safe
def check_certificate(request: HttpRequest, code: str) -> HttpResponse:
    """The check page."""
    wait = seconds_to_wait(request, "check", CHECKS_PER_MINUTE)
    if wait:
        return _too_often(request, wait)
    certificate = _certificate(code, datetime.now(UTC))
    if certificate is None:
        return _nothing(request)
    context = {
        "certificate": certificate,
        "sentence": _SENTENCES[certificate.status],
        "status": certificate.status.value,
        "status_words": _CALLED[certificate.status],
        "pdf": f"/check/{certificate.check_code}/certificate.pdf" if certificate.printable else None,
    }
    return page(request, "check.html", context)


@require_safe
def print_certificate(request: HttpRequest, code: str) -> HttpResponse:
    """The certificate as a PDF; none for one that was revoked or replaced."""
    wait = seconds_to_wait(request, "check", CHECKS_PER_MINUTE)
    if wait:
        return _too_often(request, wait)
    certificate = _certificate(code, datetime.now(UTC), printed_certificate)
    if certificate is None or not certificate.printable:
        return _nothing(request)
    document = certificate_pdf(certificate, f"{settings.BASE_URL}/check/{certificate.check_code}")
    response = HttpResponse(document, content_type="application/pdf")
    response.headers["Content-Disposition"] = f'inline; filename="certificate-{certificate.certificate_id}.pdf"'
    return sealed(response)


def _certificate(code: str, now: datetime, stated: Stated = public_certificate) -> PublicCertificate | None:
    found = certificate_of_code(code)
    if found is None:
        return None
    with context.company(found.organization_id):
        return stated(found, now)


def _nothing(request: HttpRequest) -> HttpResponse:
    return message(
        request,
        gettext("No certificate here"),
        [
            gettext("No certificate answers to this code."),
            gettext("Compare it with the one on the paper, letter by letter."),
        ],
        status=404,
        named=False,
    )


def _too_often(request: HttpRequest, wait: int) -> HttpResponse:
    return message(
        request,
        gettext("Too many checks"),
        [gettext("Too many codes were asked for from your network. Try again in %(wait)s seconds.") % {"wait": wait}],
        status=429,
        retry_after=wait,
    )
