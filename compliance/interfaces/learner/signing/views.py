"""`/learn/policies/<course_id>`: a policy exactly as sealed, and the form that signs or acknowledges it."""

import uuid
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from compliance.facts.errors import FactsError
from compliance.facts.people.queries import name_of
from compliance.facts.policies.actions import sign_policy
from compliance.facts.policies.errors import PolicyError, SignatureError, SigningRefusedError
from compliance.facts.policies.queries import SigningState, policy_state, stored_version
from compliance.interfaces.learner.visit import Visit, learner_page
from compliance.interfaces.pages.errors import OtherNameError, SigningFormError
from compliance.interfaces.pages.signing_form import SIGN_IN_METHOD, framed, refused, release_of, signature_of
from compliance.interfaces.pages.written_in import written_in
from compliance.learning import words
from compliance.letters import actions as letters
from compliance.letters.models import Letter
from compliance.rules.policies.decisions import RecordContent
from compliance.rules.vocabulary import PolicyAct


@require_http_methods(["GET", "HEAD", "POST"])
@learner_page
def policy(visit: Visit, course_id: uuid.UUID) -> HttpResponse:
    """The policy and the form, the receipt once it is signed; POST signs."""
    state = policy_state(
        visit.organization_id, course_id=course_id, learner_profile_id=visit.learner_profile_id, moment=visit.now
    )
    if state is not None and state.record is not None and state.record.receipt_id is not None:
        return visit.go("receipt", receipt_id=state.record.receipt_id)
    if state is None or state.record is None or state.door is None:
        return _nothing_to_sign(visit, state)
    if visit.request.method == "POST":
        return _sign(visit, state, state.record)
    return _ask(visit, state, state.record)


def _sign(visit: Visit, state: SigningState, record: RecordContent) -> HttpResponse:
    person_name = name_of(visit.organization_id, visit.learner_profile_id)
    try:
        release_id = release_of(visit.request)
        if release_id != record.course_release_id:  # nothing of the form is used for a version that it does not show
            raise SigningRefusedError("Another version of the policy is asked for by now.", "other_version")
        receipt_id = sign_policy(
            organization_id=visit.organization_id,
            share_id=record.assignment_id,
            learner_profile_id=visit.learner_profile_id,
            course_release_id=release_id,
            signature=signature_of(visit.request, person_name),
            sign_in_methods=SIGN_IN_METHOD,
            at=visit.now,
        )
    except OtherNameError as error:
        values = {
            "person_name": person_name,
            "typed": error.typed,
            "course_id": record.course_id,
            "release": release_id,
        }
        return visit.render("signing/other_name.html", values)
    except SigningFormError as error:
        return _ask(visit, state, record, error, status=422)
    except SignatureError as error:
        return _ask(visit, state, record, refused(error, visit.request), status=422)
    except SigningRefusedError as error:
        if error.code != "other_version":
            return _nothing_to_sign(visit, state)
        newer = SigningFormError(
            gettext("A newer version was published while you read. Please read it before you sign."), "policy"
        )
        return _ask(visit, state, record, newer, status=409)
    except (PolicyError, FactsError):
        return _nothing_to_sign(visit, state)
    letters.ask(
        visit.organization_id,
        Letter.Kind.SIGNED,
        now=visit.now,
        learner_profile_id=visit.learner_profile_id,
        subject_ids=[receipt_id],
        letter_id=receipt_id,  # signed in two tabs: one receipt, one letter
    )
    return visit.go("receipt", receipt_id=receipt_id)


def _ask(
    visit: Visit, state: SigningState, record: RecordContent, fault: SigningFormError | None = None, status: int = 200
) -> HttpResponse:
    """The version that is to be signed, and the form below it."""
    version = stored_version(visit.organization_id, record.course_release_id)
    values: dict[str, Any] = {
        "version": version,
        "signing": version.act == PolicyAct.SIGN,
        "document": framed(version),
        "language": written_in(version.html),
        "published_on": words.day_of(version.published_at, visit.zone),
        "effective_on": words.day(version.effective_on) if version.effective_on else None,
        "due": words.by_day(record.due_at, visit.now, visit.zone) if record.due_at else None,
        "overdue": record.due_at is not None and record.due_at < visit.now,
        "asks_again": state.latest_receipt_id is not None,
        "drawn": visit.request.POST.get("kind") == "drawn",
        "typed": visit.request.POST.get("typed", ""),
        "strokes": visit.request.POST.get("drawn", "") if fault is not None and fault.field == "agree" else "",
        "agreed": visit.request.POST.get("agree") == "yes" and status == 422,
        "fault": fault,
        "faults": [(fault.field, str(fault))] if fault else [],
    }
    return visit.render("signing/policy.html", values, status=status)


def _nothing_to_sign(visit: Visit, state: SigningState | None) -> HttpResponse:
    """Answers that nothing is to be signed; links to the newest receipt of somebody who signed an earlier version."""
    values = {"receipt_id": state and state.latest_receipt_id}
    return visit.render("signing/nothing.html", values, status=404)
