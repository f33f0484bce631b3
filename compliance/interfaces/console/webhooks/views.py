"""The pages: a company's webhooks, and one of them with its tries."""

import uuid
from datetime import timedelta

from django.http import HttpResponse
from django.utils.translation import gettext, gettext_lazy

from compliance.interfaces.console import keyset
from compliance.interfaces.console.acting.registry import offered
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.permissions import Permission, accounts
from compliance.interfaces.console.sign_in import sessions
from compliance.interfaces.console.visit import Visit
from compliance.webhooks import queries
from compliance.webhooks.actions import MOST_OF_A_COMPANY
from compliance.webhooks.addresses import without_query
from compliance.webhooks.errors import NoSuchWebhookError
from compliance.webhooks.models import Webhook

_TEST_AWAITED = timedelta(minutes=1)
_TONES = {"active": "good", "failing": "warn", "paused": "bad"}


def webhooks(visit: Visit) -> HttpResponse:
    """The company's webhooks: their addresses, their states, and the captures up to which events were accepted."""
    found = queries.of_company(visit.organization.organization_id)
    values = {
        "webhooks": [(each, without_query(each.url), queries.state(each), _tone(each)) for each in found],
        "may_act": visit.staff.may(Permission.OPERATE),
        "most": MOST_OF_A_COMPANY,
    }
    return visit.render("console/webhooks/webhooks.html", values)


def webhook(visit: Visit, webhook_id: uuid.UUID) -> HttpResponse:
    """One webhook, the acts on it, and its tries, newest first."""
    visit.crumb(gettext("Webhooks"), "webhooks")
    organization_id = visit.organization.organization_id
    try:
        found = queries.webhook(organization_id, webhook_id)
    except NoSuchWebhookError as error:
        raise NothingThereError(str(error)) from None
    tries, following = keyset.page(
        visit.request, queries.attempts(organization_id, webhook_id), "id", newest_first=True
    )
    test_awaited = found.test_asked_at is not None and visit.now - found.test_asked_at < _TEST_AWAITED
    values = {
        "title": found.name or gettext("Webhook without a name"),
        "webhook": found,
        "address": without_query(found.url),
        "state": queries.state(found),
        "tone": _tone(found),
        "waiting": queries.waiting(found),
        "former_signs": found.former_until is not None and visit.now < found.former_until,
        "made_by": _made_by(visit, found),
        "tries": tries,
        "following": following,
        "test_awaited": test_awaited,
        "doings": _doings(visit, found),
    }
    response = visit.render("console/webhooks/webhook.html", values)
    if test_awaited:
        sessions.refresh(visit.request, response)
    return response


def _tone(webhook: Webhook) -> str:
    return _TONES[queries.state(webhook).word]


_SHORT = {
    "test-webhook": gettext_lazy("Send a test event"),
    "pause-webhook": gettext_lazy("Pause"),
    "resume-webhook": gettext_lazy("Resume"),
    "replay-webhook": gettext_lazy("Replay"),
    "rotate-webhook": gettext_lazy("New secret"),
    "remove-webhook": gettext_lazy("Remove"),
}


def _doings(visit: Visit, webhook: Webhook) -> list[tuple[str, str, str]]:
    """The acts that can be done now, each as label, address and button class; the likeliest is the main button."""
    paused = webhook.paused_at is not None
    likely, left_out = ("resume-webhook", "pause-webhook") if paused else ("test-webhook", "resume-webhook")
    return [
        (str(_SHORT[each["name"]]), each["address"], "button main" if each["name"] == likely else "button")
        for each in offered(visit, "webhook", webhook_id=webhook.webhook_id)
        if each["name"] != left_out
    ]


def _made_by(visit: Visit, webhook: Webhook) -> str:
    try:
        actor = uuid.UUID(webhook.created_by)
    except ValueError:
        return webhook.created_by  # made by a command on the server
    known = accounts(visit.now).get(actor)
    return known.username if known else gettext("a removed account")
