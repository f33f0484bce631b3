"""The printable certificate: a PDF that is the same file, byte for byte, at every request.

Typst lays it out from `certificate.typ`, without a creation date. The QR code leads to the check page, which shows the
current status; the paper shows only what was issued.
"""

import io
import uuid
from datetime import datetime
from functools import lru_cache
from pathlib import Path

import orjson
import segno
import typst
from django.conf import settings

from compliance.facts.certificates.queries import code_of
from compliance.interfaces.pages.certificates import PublicCertificate, printed_certificate
from compliance.letters.content import Enclosure

_LARGEST_ENCLOSED = 512 * 1024
"""The limit for a file enclosed in a letter: mail servers may refuse larger ones, and the letter links to it too."""

_TEMPLATE = Path(__file__).with_name("certificate.typ")


def certificate_pdf(certificate: PublicCertificate, check_url: str) -> bytes:
    """Return the PDF of a certificate; `check_url` is the absolute address of its check page."""
    inputs = {
        "document_title": f"{certificate.heading}: {certificate.title}",
        "company": certificate.company,
        "heading": certificate.heading,
        "person_name": certificate.person_name,
        "sentence": certificate.sentence,
        "title": certificate.title,
        "earned": f"on {certificate.earned_on}",
        "session": certificate.session,
        "facts": [
            ["Issued", certificate.issued_on],
            ["Valid until", certificate.valid_until or "No end of validity"],
            ["Certificate", str(certificate.certificate_id)],
        ],
        "seal": certificate.kind,
        "year": certificate.year,
        "check_code": certificate.check_code,
        "check_url": check_url,
        "check_url_shown": check_url.split("://", 1)[-1],
        "qr": _qr_code(check_url),
        "qr_alt": f"QR code that opens {check_url}",
    }
    compiled = typst.compile(
        _TEMPLATE.read_bytes(),
        format="pdf",
        sys_inputs={"certificate": orjson.dumps(inputs).decode()},
        font_paths=_fonts(),
    )
    assert isinstance(compiled, bytes)
    return compiled


def enclosed_certificate(organization_id: uuid.UUID, certificate_id: uuid.UUID, now: datetime) -> Enclosure | None:
    """The PDF of a certificate as a letter encloses it; None for one that may not be printed, or is too large.

    Needs the company's context.
    """
    found = code_of(organization_id, certificate_id)
    if found is None:
        return None
    certificate = printed_certificate(found, now)
    if certificate is None or not certificate.printable:
        return None
    document = certificate_pdf(certificate, f"{settings.BASE_URL}/check/{found.check_code}")
    if len(document) > _LARGEST_ENCLOSED:
        return None
    return Enclosure(f"certificate-{certificate.certificate_id}.pdf", document, "application/pdf")


@lru_cache(maxsize=1)
def _fonts() -> typst.Fonts:
    """Typst's own fonts, then the machine's for characters that those lack; searched for once."""
    return typst.Fonts(include_system_fonts=True, include_embedded_fonts=True)


def _qr_code(address: str) -> str:
    drawing = io.BytesIO()
    segno.make_qr(address, error="m").save(
        drawing, kind="svg", border=1, dark="#16243a", light=None, xmldecl=False, svgns=True, unit=None, scale=4
    )
    return drawing.getvalue().decode()
