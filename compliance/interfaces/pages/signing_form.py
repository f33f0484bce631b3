"""The form that signs a policy, and the content of its receipt: for `/sign/<token>` and for the learners' pages.

If the typed name is not the person's, the form asks about it, and nothing is written until it is confirmed.
"""

import json
from typing import Any, Final, Never
from uuid import UUID

from django.http import HttpRequest
from django.templatetags.static import static
from django.utils.translation import gettext, gettext_noop

from compliance.facts.policies.errors import SignatureError, SigningRefusedError
from compliance.facts.policies.queries import StoredReceipt, StoredVersion
from compliance.facts.policies.signatures import MOST_NUMBERS, read_signature
from compliance.interfaces.pages.errors import OtherNameError, SigningFormError
from compliance.interfaces.pages.written_in import opening_tag
from compliance.proofs.instants import hashed_instant
from compliance.rules.people.names import same_name
from compliance.rules.vocabulary import PolicyAct

SIGN_IN_METHOD: Final = "personal_link"
"""How the signer was authenticated: by a link that was sent only to them."""

MOST_BYTES: Final = 12 * MOST_NUMBERS
"""A form with the largest drawing: `sign.js` writes a number and its comma as at most `-1234.5%2C`, and brackets
between strokes. The server takes no more at the addresses of these forms (`serving/lanes`)."""

_SENTENCES = (
    gettext_noop("The signature is empty: type your name."),
    gettext_noop("A typed signature has at most 300 characters."),
    gettext_noop("A typed signature is one line of text without control characters."),
    gettext_noop("A drawn signature has at most 2,000 strokes."),
    gettext_noop("A drawn signature has at most 20,000 numbers."),
)
"""The texts of SignatureError that people may read, named here for the translation catalogues."""


def framed(version: StoredVersion) -> str:
    """The document of the sandboxed frame: the sealed file, after an opening tag of our own."""
    return (
        f'<!doctype html>{opening_tag(version.html)}<meta charset="utf-8"><title>Policy</title>'
        f'<base target="_blank"><link rel="stylesheet" href="{static("pages/policy.css")}"><body>{version.html}'
    )


def release_of(request: HttpRequest) -> UUID:
    """The version that the form shows. Raises SigningRefusedError."""
    try:
        return UUID(request.POST.get("release", ""))
    except ValueError:
        raise SigningRefusedError(gettext("The form names no version."), "other_version") from None


def signature_of(request: HttpRequest, person_name: str | None) -> dict[str, Any] | None:
    """The signature in the form of the facts file, null for an acknowledgement.

    Raises SigningFormError, and OtherNameError for a name that is not `person_name` and was not confirmed.
    """
    if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_BYTES:
        raise SigningFormError(gettext("The signature is too large: draw it again with fewer strokes."), "pad")
    if request.POST.get("agree") != "yes":
        raise SigningFormError(gettext("Confirm the statement first: tick its box."), "agree")
    if request.POST.get("act") == PolicyAct.ACKNOWLEDGE:
        return None
    signature = _drawn(request) if request.POST.get("kind") == "drawn" else _typed(request)
    try:
        read_signature(PolicyAct.SIGN, signature)
    except SignatureError as error:
        raise refused(error, request) from None
    typed = signature.get("typed")
    confirmed = request.POST.get("confirmed") == typed
    if typed is not None and person_name and not confirmed and not same_name(typed, person_name):
        raise OtherNameError(typed)
    return signature


def refused(error: SignatureError, request: HttpRequest) -> SigningFormError:
    """The sentence that a person reads when a signature was refused, beside the field that they filled in."""
    return SigningFormError(gettext(str(error)), "pad" if request.POST.get("kind") == "drawn" else "typed")


def _typed(request: HttpRequest) -> dict[str, Any]:
    return {"typed": request.POST.get("typed", "").strip()}


def _drawn(request: HttpRequest) -> dict[str, Any]:
    drawn = request.POST.get("drawn", "").strip()
    if not drawn:
        raise SigningFormError(gettext("Nothing was drawn: draw your signature, or type your name."), "pad")
    try:
        return {"drawn": json.loads(drawn, parse_constant=_no_number)}
    except (ValueError, RecursionError):
        sentence = gettext("The drawing could not be read: draw it again, or type your name.")
        raise SigningFormError(sentence, "pad") from None


def _no_number(word: str) -> Never:
    raise ValueError(word)


def signature_values(receipt: StoredReceipt) -> dict[str, Any]:
    """What was typed or drawn, for the receipt's page: `typed` words, or a `drawing`; both null once erased."""
    drawn = (receipt.signature or {}).get("drawn")
    return {"typed": (receipt.signature or {}).get("typed"), "drawing": _drawing(drawn) if drawn else None}


def hashed(organization_id: UUID, receipt: StoredReceipt) -> list[tuple[str, str]]:
    """The hashed values of a receipt, by the names in the rule, in its order."""
    return [
        ("receipt_id", str(receipt.receipt_id)),
        ("organization_id", str(organization_id)),
        ("course_release_id", str(receipt.course_release_id)),
        ("learner_profile_id", str(receipt.learner_profile_id)),
        ("assignment_id", str(receipt.share_id)),
        ("cycle_id", str(receipt.cycle_id)),
        ("act", receipt.act),
        ("statement_sha256", receipt.statement_sha256),
        ("document_sha256", receipt.document_sha256),
        ("signature_sha256", receipt.signature_sha256 or ""),
        ("signed_at", hashed_instant(receipt.signed_at)),
        ("previous_sha256", receipt.previous_sha256),
    ]


def _drawing(strokes: list[list[float]]) -> dict[str, Any]:
    """The strokes as lines of an SVG, in a box that holds them all. An odd last number is dropped."""
    lines = [list(zip(stroke[0::2], stroke[1::2], strict=False)) for stroke in strokes]
    xs = [x for line in lines for x, _ in line] or [0]
    ys = [y for line in lines for _, y in line] or [0]
    margin = max(max(xs) - min(xs), max(ys) - min(ys), 1) * 0.04
    box = (min(xs) - margin, min(ys) - margin, max(xs) - min(xs) + 2 * margin, max(ys) - min(ys) + 2 * margin)
    return {
        "box": " ".join(f"{number:.2f}" for number in box),
        "width": f"{max(box[2], box[3]) / 120:.3f}",
        # A dot is a line of no length: a round end makes it visible.
        "lines": [" ".join(f"{x},{y}" for x, y in (line if len(line) > 1 else line * 2)) for line in lines],
    }
