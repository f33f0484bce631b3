"""`/sign/<token>`: where a person reads a policy, exactly as sealed, and signs or acknowledges it.

The token is the credential: there is no session, no cookie, and so nothing for a foreign form to ride on; a typed
signature needs no JavaScript. A GET, which mail scanners send too, shows nothing but a button; its POST opens the
policy. After signing the link says that it is done, and shows the receipt for a quarter of an hour.
"""

import json
from datetime import UTC, datetime
from typing import Any, Never
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.templatetags.static import static
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from compliance.facts.errors import FactsError
from compliance.facts.people.queries import name_of
from compliance.facts.policies.actions import sign_policy
from compliance.facts.policies.errors import PolicyError, SignatureError, SigningRefusedError
from compliance.facts.policies.queries import (
    SigningState,
    StoredReceipt,
    StoredVersion,
    signing_state,
    stored_receipt,
    stored_version,
)
from compliance.facts.recording import Channel, Teller, telling
from compliance.interfaces.pages import notices
from compliance.interfaces.pages.answers import message, page, sealed
from compliance.interfaces.pages.certificates import written_day, written_moment
from compliance.interfaces.pages.errors import LinkError, LinkExpiredError, LinkRevokedError
from compliance.interfaces.pages.links import RECEIPT_SHOWN, company_of, read_token
from compliance.interfaces.pages.models import Link
from compliance.interfaces.pages.throttle import SIGNINGS_PER_MINUTE, seconds_to_wait
from compliance.proofs.instants import hashed_instant
from compliance.rules.vocabulary import PolicyAct
from compliance.tenancy import context
from compliance.tenancy.queries import organization

SIGN_IN_METHOD = "personal_link"
MOST_BYTES = 1024 * 1024
DOCUMENT_OPENING = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Policy</title><base target="_blank">'
    f'<link rel="stylesheet" href="{static("pages/policy.css")}"><body>'
)
"""What stands before the sealed file inside the sandboxed frame: nothing that it could be taken for."""


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def sign(request: HttpRequest, token: str) -> HttpResponseBase:
    """The page: the policy and the form, or the receipt; POST signs."""
    wait = seconds_to_wait(request, "sign", SIGNINGS_PER_MINUTE)
    if wait:
        sentence = f"This page was asked for too often from your network. Try again in {wait} seconds."
        return message(request, "One moment", [sentence], status=429, retry_after=wait)
    now = datetime.now(UTC)
    try:
        organization_id = company_of(token)
        with context.company(organization_id):
            link = read_token(organization_id, token, now)
    except LinkExpiredError as error:
        sentences = [f"It could be used until {written_day(error.expired_at.date())}.", "Ask for a new one."]
        return message(request, "This link has run out", sentences, status=410)
    except LinkRevokedError:
        sentences = ["It was withdrawn by whoever sent it.", "Ask for a new one."]
        return message(request, "This link was withdrawn", sentences, status=410)
    except LinkError:
        sentences = ["It was altered or cut off on its way.", "Open it again from the message it came with."]
        return message(request, "This link does not work", sentences, status=404)
    if request.method != "POST":
        return _closed(request, link, now)
    if request.POST.get("step") == "open":
        return _shown(request, link, now)
    return _signed(request, link, token, now)


def _closed(request: HttpRequest, link: Link, now: datetime) -> HttpResponse:
    """What a link shows before its button is pressed: nothing of the person, the policy or the company."""
    if link.signed_at is None:
        sentences = [
            "Somebody asks you to read a policy and to confirm it.",
            "Use this link only if it was sent to you.",
        ]
        values = {"title": "A policy waits for you", "sentences": sentences, "button": "Open the policy"}
    elif _receipt_is_shown(link, now):
        sentences = ["Your confirmation is recorded.", "The receipt is shown here for a quarter of an hour."]
        values = {"title": "Done", "sentences": sentences, "button": "Show the receipt"}
    else:
        sentences = ["What was asked for through this link is done.", "Ask for a new link to see the receipt again."]
        values = {"title": "Done", "sentences": sentences, "button": ""}
    return page(request, "open.html", values)


def _receipt_is_shown(link: Link, now: datetime) -> bool:
    return link.receipt_until is None or now < link.receipt_until


def _shown(
    request: HttpRequest, link: Link, now: datetime, *, fault: str | None = None, status: int = 200
) -> HttpResponse:
    """The receipt where one stands, the form where one is owed, and else a page that says so."""
    with context.company(link.organization_id):
        state = signing_state(
            link.organization_id, share_id=link.share_id, learner_profile_id=link.learner_profile_id, moment=now
        )
        if state is None:
            return _nothing_to_sign(request)
        receipt_id = state.latest_receipt_id
        if state.record is not None and state.record.receipt_id is None:
            receipt_id = None
        if receipt_id is not None or link.signed_at is not None:
            if receipt_id is None:
                return _nothing_to_sign(request)
            if not _receipt_is_shown(link, now):
                return _closed(request, link, now)
            if link.receipt_until is None:
                # A fresh link to somebody who has signed: used up by showing the receipt.
                link.signed_at = link.signed_at or now
                link.receipt_until = now + RECEIPT_SHOWN
                link.save(update_fields=["signed_at", "receipt_until"])
            receipt = stored_receipt(link.organization_id, receipt_id)
            version = stored_version(link.organization_id, receipt.course_release_id)
            return page(request, "receipt.html", _receipt_context(link, receipt, version))
        if state.record is None or state.door is None:
            return _nothing_to_sign(request)
        version = stored_version(link.organization_id, state.record.course_release_id)
        values = _form_context(request, link, state, version, now=now, fault=fault)
        return page(request, "sign.html", values, status=status)


def _signed(request: HttpRequest, link: Link, token: str, now: datetime) -> HttpResponse:
    if link.signed_at is not None:
        return _again(request)
    try:
        if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_BYTES:
            raise SignatureError("The signature is too large: draw it again with fewer strokes.")
        if request.POST.get("agree") != "yes":
            raise SignatureError("Confirm the statement first: tick the box above your signature.")
        with telling(Teller(Channel.LEARNER)), context.company(link.organization_id):
            locked = read_token(link.organization_id, token, now, lock=True)
            if locked.signed_at is not None:
                return _again(request)
            receipt_id = sign_policy(
                organization_id=link.organization_id,
                share_id=link.share_id,
                learner_profile_id=link.learner_profile_id,
                course_release_id=_release(request),
                signature=_signature(request),
                sign_in_methods=SIGN_IN_METHOD,
                at=now,
            )
            locked.signed_at = now
            locked.receipt_until = now + RECEIPT_SHOWN
            if stored_receipt(link.organization_id, receipt_id).signed_at >= now:  # not signed by another link before
                locked.notice_due_at = now
                notices.ask_to_send(link.organization_id)
            locked.save(update_fields=["signed_at", "notice_due_at", "receipt_until"])
    except LinkError:
        return message(request, "This link was withdrawn", ["Ask for a new one."], status=410)
    except SigningRefusedError as error:
        if error.code == "other_version":
            fault = "A newer version was published while you read. Please read it before you sign."
            return _shown(request, link, now, fault=fault, status=409)
        return _nothing_to_sign(request)
    except SignatureError as error:
        return _shown(request, link, now, fault=str(error), status=422)
    except (PolicyError, FactsError):
        return _nothing_to_sign(request)
    return _again(request)


def _again(request: HttpRequest) -> HttpResponse:
    """Sends the browser to the link by GET, so that loading the page again sends nothing twice."""
    response = HttpResponseRedirect(request.path)
    response.status_code = 303
    return sealed(response)


def _release(request: HttpRequest) -> UUID:
    try:
        return UUID(request.POST.get("release", ""))
    except ValueError:
        raise SigningRefusedError("The form names no version.", "other_version") from None


def _signature(request: HttpRequest) -> dict[str, Any] | None:
    """The signature in the form of the facts file, unchecked; null where the form has no place for one."""
    if request.POST.get("act") == PolicyAct.ACKNOWLEDGE:
        return None
    drawn = request.POST.get("drawn", "").strip()
    if request.POST.get("kind") == "drawn" and drawn:
        try:
            return {"drawn": json.loads(drawn, parse_constant=_no_number)}
        except (ValueError, RecursionError):
            raise SignatureError("The drawing could not be read: draw it again, or type your name.") from None
    if request.POST.get("kind") == "drawn":
        raise SignatureError("Nothing was drawn: draw your signature, or type your name.")
    return {"typed": request.POST.get("typed", "").strip()}


def _no_number(word: str) -> Never:
    raise ValueError(word)


def _form_context(
    request: HttpRequest,
    link: Link,
    state: SigningState,
    version: StoredVersion,
    *,
    now: datetime,
    fault: str | None,
) -> dict[str, Any]:
    assert state.record is not None
    company = organization(link.organization_id)
    return {
        "company": company.name,
        "person_name": name_of(link.organization_id, link.learner_profile_id),
        "version": version,
        "signing": version.act == PolicyAct.SIGN,
        "effective_on": written_day(version.effective_on) if version.effective_on else None,
        "published_on": written_day(version.published_at.date()),
        "due_at": written_moment(state.record.due_at, company.time_zone) if state.record.due_at else None,
        "overdue": state.record.due_at is not None and state.record.due_at < now,
        "asks_again": state.latest_receipt_id is not None,
        "drawn": request.POST.get("kind") == "drawn",
        "document": DOCUMENT_OPENING + version.html,
        "fault": fault,
    }


def _receipt_context(link: Link, receipt: StoredReceipt, version: StoredVersion) -> dict[str, Any]:
    drawn = (receipt.signature or {}).get("drawn")
    company = organization(link.organization_id)
    return {
        "company": company.name,
        "person_name": name_of(link.organization_id, link.learner_profile_id),
        "receipt": receipt,
        "version": version,
        "signed_at": written_moment(receipt.signed_at, company.time_zone),
        "effective_on": written_day(version.effective_on) if version.effective_on else None,
        "typed": (receipt.signature or {}).get("typed"),
        "drawing": _drawing(drawn) if drawn else None,
        "hashed": [
            ("receipt_id", receipt.receipt_id),
            ("organization_id", link.organization_id),
            ("course_release_id", receipt.course_release_id),
            ("learner_profile_id", receipt.learner_profile_id),
            ("assignment_id", receipt.share_id),
            ("cycle_id", receipt.cycle_id),
            ("act", receipt.act),
            ("statement_sha256", receipt.statement_sha256),
            ("document_sha256", receipt.document_sha256),
            ("signature_sha256", receipt.signature_sha256 or ""),
            ("signed_at", hashed_instant(receipt.signed_at)),
            ("previous_sha256", receipt.previous_sha256),
        ],
    }


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


def _nothing_to_sign(request: HttpRequest) -> HttpResponse:
    sentences = [
        "Nothing is asked of you through this link at present.",
        "If you expected a policy here, ask for a new link.",
    ]
    return message(request, "Nothing to sign", sentences, status=404)
