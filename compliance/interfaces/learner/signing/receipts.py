"""`/learn/receipts/<receipt_id>`: what somebody signed, to print and to keep, with the text as signed and the proof.

A receipt of anybody else is answered as not found.
"""

import uuid

from django.http import Http404, HttpResponse
from django.utils.html import escape
from django.views.decorators.http import require_safe

from compliance.facts.people.queries import name_of
from compliance.facts.policies.queries import StoredReceipt, StoredVersion, own_receipt, stored_version
from compliance.interfaces.learner.home.owed import owed
from compliance.interfaces.learner.proofs import proof_file
from compliance.interfaces.learner.visit import Visit, learner_page
from compliance.interfaces.pages.signing_form import framed, hashed, signature_values
from compliance.interfaces.pages.written_in import opening_tag, written_in
from compliance.learning import words


@require_safe
@learner_page
def receipt(visit: Visit, receipt_id: uuid.UUID) -> HttpResponse:
    """The receipt: what was signed, when and how, what to do next, and the digests in a closed section."""
    found, version = _own(visit, receipt_id)
    tasks = owed(visit).tasks
    values = {
        "receipt": found,
        "version": version,
        "language": written_in(version.html),
        "next": next((task for task in tasks if task.address), None),
        "more": bool(tasks),
        "person_name": name_of(visit.organization_id, visit.learner_profile_id),
        "signed_at": words.day_and_time(found.signed_at, visit.zone),
        "effective_on": words.day(version.effective_on) if version.effective_on else None,
        "hashed": hashed(visit.organization_id, found),
        **signature_values(found),
    }
    return visit.render("signing/receipt.html", values)


@require_safe
@learner_page
def document(visit: Visit, receipt_id: uuid.UUID) -> HttpResponse:
    """The policy as it was signed, whatever version is asked for by now."""
    found, version = _own(visit, receipt_id)
    values = {
        "receipt": found,
        "version": version,
        "language": written_in(version.html),
        "signed_at": words.day_and_time(found.signed_at, visit.zone),
        "document": framed(version),
    }
    return visit.render("signing/as_signed.html", values)


@require_safe
@learner_page
def copy(visit: Visit, receipt_id: uuid.UUID) -> HttpResponse:
    """The same as one self-contained file: after `<body>`, the sealed text byte for byte."""
    found, version = _own(visit, receipt_id)
    title = f'<meta charset="utf-8"><title>{escape(version.policy_title)}</title>'
    opening = f"<!doctype html>{opening_tag(version.html)}{title}<body>"
    headers = {
        "Content-Disposition": f'attachment; filename="policy-version-{version.version}-{found.receipt_id}.html"'
    }
    return HttpResponse(opening + version.html, headers=headers)


@require_safe
@learner_page
def proof(visit: Visit, receipt_id: uuid.UUID) -> HttpResponse:
    """The proof of the receipt, as `/proof/v1/acknowledgements/<receipt_id>` gives it."""
    _own(visit, receipt_id)
    return proof_file(visit, "receipts", receipt_id)


def _own(visit: Visit, receipt_id: uuid.UUID) -> tuple[StoredReceipt, StoredVersion]:
    found = own_receipt(visit.organization_id, learner_profile_id=visit.learner_profile_id, receipt_id=receipt_id)
    if found is None:
        raise Http404("This person has no such receipt.")
    return found, stored_version(visit.organization_id, found.course_release_id)
