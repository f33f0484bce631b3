"""`/sign/<token>`: where a person reads a policy, exactly as sealed, and signs or acknowledges it.

The token is the credential: there is no session and no cookie, so a form of another site has nothing to abuse; a typed
signature needs no JavaScript. A GET, which mail scanners send too, shows nothing but a button; its POST opens the
policy. After signing, the link shows that it is done, and the receipt for a quarter of an hour.
"""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.utils.translation import gettext
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
from compliance.interfaces.pages.answers import message, page, sealed
from compliance.interfaces.pages.certificates import written_day, written_moment
from compliance.interfaces.pages.errors import OtherNameError, SigningFormError
from compliance.interfaces.pages.links import RECEIPT_OPEN, read_token
from compliance.interfaces.pages.models import Link
from compliance.interfaces.pages.signing_form import (
    SIGN_IN_METHOD,
    framed,
    hashed,
    refused,
    release_of,
    signature_of,
    signature_values,
)
from compliance.interfaces.pages.throttle import SIGNINGS_PER_MINUTE, seconds_to_wait
from compliance.interfaces.pages.written_in import written_in
from compliance.learning.errors import LearningError, LinkExpiredError, LinkRevokedError
from compliance.learning.tokens import company_of
from compliance.letters.actions import Kind, ask
from compliance.rules.vocabulary import PolicyAct
from compliance.tenancy import context
from compliance.tenancy.queries import organization


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def sign(request: HttpRequest, token: str) -> HttpResponseBase:
    """The page: the policy and the form, or the receipt; POST signs."""
    wait = seconds_to_wait(request, "sign", SIGNINGS_PER_MINUTE)
    if wait:
        sentence = gettext("This page was asked for too often from your network. Try again in %(wait)s seconds.") % {
            "wait": wait
        }
        return message(request, gettext("One moment"), [sentence], status=429, retry_after=wait)
    now = datetime.now(UTC)
    try:
        organization_id = company_of(token)
        with context.company(organization_id):
            link = read_token(organization_id, token, now)
    except LinkExpiredError as error:
        sentences = [
            gettext("It could be used until %(date)s.")
            % {"date": _day_of(error.expired_at, organization(organization_id).time_zone)},
            gettext("Ask for a new one."),
        ]
        return message(request, gettext("This link has run out"), sentences, status=410)
    except LinkRevokedError:
        sentences = [gettext("It was withdrawn by whoever sent it."), gettext("Ask for a new one.")]
        return message(request, gettext("This link was withdrawn"), sentences, status=410)
    except LearningError:
        sentences = [
            gettext("It was altered or cut off on its way."),
            gettext("Open it again from the message it came with."),
        ]
        return message(request, gettext("This link does not work"), sentences, status=404)
    if request.method != "POST":
        return _closed(request, link, now)
    if request.POST.get("step") == "open":
        return _current_page(request, link, now)
    return _signed(request, link, token, now)


def _closed(request: HttpRequest, link: Link, now: datetime) -> HttpResponse:
    """The page of a link before its button is pressed: nothing of the person, the policy or the company."""
    if link.signed_at is None:
        sentences = [
            gettext("Somebody asks you to read a policy and to confirm it."),
            gettext("Use this link only if it was sent to you."),
        ]
        values = {
            "title": gettext("A policy waits for you"),
            "sentences": sentences,
            "button": gettext("Open the policy"),
        }
    elif _receipt_is_open(link, now):
        sentences = [
            gettext("Your confirmation is recorded."),
            gettext("The receipt is shown here for a quarter of an hour."),
        ]
        values = {"title": gettext("Done"), "sentences": sentences, "button": gettext("Show the receipt")}
    else:
        sentences = [
            gettext("What was asked for through this link is done."),
            gettext("Ask for a new link to see the receipt again."),
        ]
        values = {"title": gettext("Done"), "sentences": sentences, "button": ""}
    return page(request, "open.html", values)


def _receipt_is_open(link: Link, now: datetime) -> bool:
    return link.receipt_until is None or now < link.receipt_until


def _current_page(
    request: HttpRequest, link: Link, now: datetime, *, fault: SigningFormError | None = None, status: int = 200
) -> HttpResponse:
    """The receipt where there is one, the form where a signature is owed, else a page that states that neither is.

    A fault of a form for another version than the one that is owed counts for nothing: that version is to be read.
    """
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
            if not _receipt_is_open(link, now):
                return _closed(request, link, now)
            if link.receipt_until is None:
                # A new link of somebody who has signed: showing the receipt uses it up.
                link.signed_at = link.signed_at or now
                link.receipt_until = now + RECEIPT_OPEN
                link.save(update_fields=["signed_at", "receipt_until"])
            receipt = stored_receipt(link.organization_id, receipt_id)
            version = stored_version(link.organization_id, receipt.course_release_id)
            return page(request, "receipt.html", _receipt_context(link, receipt, version))
        if state.record is None or state.door is None:
            return _nothing_to_sign(request)
        version = stored_version(link.organization_id, state.record.course_release_id)
        if fault is not None and not _is_for(request, version.course_release_id):
            fault, status = _newer_version(), 409
        values = _form_context(request, link, state, version, now=now, fault=fault)
        values["agreed"] = request.POST.get("agree") == "yes" and status == 422
        return page(request, "sign.html", values, status=status)


def _signed(request: HttpRequest, link: Link, token: str, now: datetime) -> HttpResponse:
    if link.signed_at is not None:
        return _again(request)
    try:
        with telling(Teller(Channel.LEARNER)), context.company(link.organization_id):
            locked = read_token(link.organization_id, token, now, lock=True)
            if locked.signed_at is not None:
                return _again(request)
            receipt_id = sign_policy(
                organization_id=link.organization_id,
                share_id=link.share_id,
                learner_profile_id=link.learner_profile_id,
                course_release_id=release_of(request),
                signature=signature_of(request, name_of(link.organization_id, link.learner_profile_id)),
                sign_in_methods=SIGN_IN_METHOD,
                at=now,
            )
            locked.signed_at = now
            locked.receipt_until = now + RECEIPT_OPEN
            if stored_receipt(link.organization_id, receipt_id).signed_at >= now:  # not signed by another link before
                ask(
                    link.organization_id,
                    Kind.SIGNED,
                    now=now,
                    learner_profile_id=link.learner_profile_id,
                    subject_ids=[receipt_id],
                    letter_id=receipt_id,
                )
            locked.save(update_fields=["signed_at", "receipt_until"])
    except LearningError:
        return message(request, gettext("This link was withdrawn"), [gettext("Ask for a new one.")], status=410)
    except SigningRefusedError as error:
        if error.code == "other_version":
            return _current_page(request, link, now, fault=_newer_version(), status=409)
        return _nothing_to_sign(request)
    except OtherNameError as error:
        return _asked_about_the_name(request, link, error.typed, now)
    except SigningFormError as error:
        return _current_page(request, link, now, fault=error, status=422)
    except SignatureError as error:
        return _current_page(request, link, now, fault=refused(error, request), status=422)
    except (PolicyError, FactsError):
        return _nothing_to_sign(request)
    return _again(request)


def _asked_about_the_name(request: HttpRequest, link: Link, typed: str, now: datetime) -> HttpResponse:
    """Asks whether to sign with a name that is not the person's; nothing is written yet."""
    with context.company(link.organization_id):
        state = signing_state(
            link.organization_id, share_id=link.share_id, learner_profile_id=link.learner_profile_id, moment=now
        )
        if state is None or state.record is None or state.door is None:
            return _nothing_to_sign(request)
        if not _is_for(request, state.record.course_release_id):
            return _current_page(request, link, now, fault=_newer_version(), status=409)
        values = {
            "company": organization(link.organization_id).name,
            "person_name": name_of(link.organization_id, link.learner_profile_id),
            "typed": typed,
            "release": request.POST.get("release", ""),
        }
    return page(request, "other_name.html", values)


def _is_for(request: HttpRequest, course_release_id: UUID) -> bool:
    """Whether the form that was sent showed that version."""
    try:
        return release_of(request) == course_release_id
    except SigningRefusedError:
        return False


def _newer_version() -> SigningFormError:
    return SigningFormError(
        gettext("A newer version was published while you read. Please read it before you sign."), "policy"
    )


def _again(request: HttpRequest) -> HttpResponse:
    """Redirects to the link by GET, so that reloading the page sends nothing twice."""
    response = HttpResponseRedirect(request.path)
    response.status_code = 303
    return sealed(response)


def _form_context(
    request: HttpRequest,
    link: Link,
    state: SigningState,
    version: StoredVersion,
    *,
    now: datetime,
    fault: SigningFormError | None,
) -> dict[str, Any]:
    assert state.record is not None
    company = organization(link.organization_id)
    return {
        "company": company.name,
        "person_name": name_of(link.organization_id, link.learner_profile_id),
        "version": version,
        "signing": version.act == PolicyAct.SIGN,
        "effective_on": written_day(version.effective_on) if version.effective_on else None,
        "published_on": _day_of(version.published_at, company.time_zone),
        "due_at": written_moment(state.record.due_at, company.time_zone) if state.record.due_at else None,
        "overdue": state.record.due_at is not None and state.record.due_at < now,
        "asks_again": state.latest_receipt_id is not None,
        "drawn": request.POST.get("kind") == "drawn",
        "typed": request.POST.get("typed", ""),
        "document": framed(version),
        "language": written_in(version.html),
        "fault": fault,
    }


def _day_of(moment: datetime, time_zone: str) -> str:
    return written_day(moment.astimezone(ZoneInfo(time_zone)).date())


def _receipt_context(link: Link, receipt: StoredReceipt, version: StoredVersion) -> dict[str, Any]:
    company = organization(link.organization_id)
    return {
        "company": company.name,
        "person_name": name_of(link.organization_id, link.learner_profile_id),
        "receipt": receipt,
        "version": version,
        "language": written_in(version.html),
        "signed_at": written_moment(receipt.signed_at, company.time_zone),
        "effective_on": written_day(version.effective_on) if version.effective_on else None,
        "hashed": hashed(link.organization_id, receipt),
        **signature_values(receipt),
    }


def _nothing_to_sign(request: HttpRequest) -> HttpResponse:
    sentences = [
        gettext("Nothing is asked of you through this link at present."),
        gettext("If you expected a policy here, ask for a new link."),
    ]
    return message(request, gettext("Nothing to sign"), sentences, status=404)
