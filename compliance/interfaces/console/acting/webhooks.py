"""Acts on webhooks: add, test, pause, resume, replay, rotate the secret, remove. A secret is displayed once."""

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from compliance.interfaces.console.acting.act import Act, Acting, CannotActError, Done
from compliance.interfaces.console.acting.fields import ActForm, Listed, form_of
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.interfaces.console.wording import written_instant
from compliance.webhooks import actions, queries
from compliance.webhooks.addresses import without_query
from compliance.webhooks.errors import NoSuchWebhookError
from compliance.webhooks.models import Webhook


class _OfWebhook(Act):
    permission = Permission.OPERATE
    group = gettext_lazy("Webhooks")
    recent = True
    about = "webhook"
    secret_name = gettext_lazy("The secret")
    kept_as = gettext_lazy("it is kept encrypted, since every event is signed with it")


class AddForm(ActForm):
    """The receiver's name and address, and from when on it gets events."""

    webhook_name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=100,
        help_text=gettext_lazy("What listens there, so that others know it again."),
    )
    url = forms.CharField(
        label="URL",
        max_length=2000,
        widget=forms.TextInput(attrs={"inputmode": "url", "placeholder": "https://"}),
        help_text=gettext_lazy("Where events are posted to. Of its query, pages and lists show nothing."),
    )
    from_capture = forms.IntegerField(
        label=gettext_lazy("Begin with capture"),
        required=False,
        min_value=1,
        help_text=gettext_lazy("Hears of this capture and all since. Empty: of new ones only."),
    )


class AddWebhook(_OfWebhook):
    """Makes a webhook."""

    name = "add-webhook"
    title = gettext_lazy("Add a webhook")
    about = "company"
    explains = gettext_lazy(
        "A program of the company hears of each capture that changes its registers: how many records of which, and"
        " nothing personal. Its secret is shown once, on the next page."
    )
    form = AddForm

    def preview(self, acting: Acting) -> Preview:
        """Says where events will be sent, and from when on."""
        data = acting.data
        actions.checked(data["url"])
        if data["from_capture"]:
            actions.before(acting.organization_id, data["from_capture"])
        begins = (
            gettext("with capture %(from_capture)s") % {"from_capture": data["from_capture"]}
            if data["from_capture"]
            else gettext("with what changes from now on")
        )
        return Preview(
            pairs=[
                (gettext("Name"), data["webhook_name"]),
                ("URL", without_query(data["url"])),
                (gettext("Begins"), begins),
            ]
        )

    def perform(self, acting: Acting) -> Done:
        """Makes the webhook and displays its secret once."""
        data = acting.data
        secret, webhook = actions.create_webhook(
            organization_id=acting.organization_id,
            url=data["url"],
            at=acting.at,
            actor=str(acting.staff.actor_id),
            name=data["webhook_name"],
            from_capture=data["from_capture"],
        )
        return _done(gettext("The webhook %(webhook)s is made.") % {"webhook": webhook}, webhook, secret=secret)


def _listed(form: ActForm) -> list[tuple[str, str]]:
    found = queries.of_company(form.organization_id)
    return [(str(each.webhook_id), f"{each} ({without_query(each.url)})") for each in found]


WebhookForm = form_of(webhook_id=Listed(_listed, label=gettext_lazy("Webhook")))


def _webhook(acting: Acting) -> Webhook:
    """The chosen webhook, of this company and no other."""
    try:
        return queries.webhook(acting.organization_id, acting.data["webhook_id"])
    except NoSuchWebhookError:
        raise CannotActError(gettext("This company has no such webhook.")) from None


def _same(acting: Acting) -> dict[str, Any]:
    """The arguments of every action on a webhook."""
    return {
        "organization_id": acting.organization_id,
        "webhook_id": _webhook(acting).webhook_id,
        "actor": str(acting.staff.actor_id),
    }


def _done(message: str, webhook: Webhook, **more: Any) -> Done:
    return Done(message, "webhook", {"webhook_id": webhook.webhook_id}, **more)


def _about(webhook: Webhook, *more: tuple[str, Any]) -> Preview:
    return Preview(pairs=[(gettext("Webhook"), str(webhook)), ("URL", without_query(webhook.url)), *more])


class TestWebhook(_OfWebhook):
    """Sends a test event."""

    name = "test-webhook"
    title = gettext_lazy("Send a test event")
    explains = gettext_lazy(
        "One event of the type “test”, which says nothing of the company. It is tried once, also while paused."
    )
    form = WebhookForm

    def preview(self, acting: Acting) -> Preview:
        """Says where the event is sent."""
        return _about(_webhook(acting))

    def perform(self, acting: Acting) -> Done:
        """Asks the worker to send it."""
        webhook = actions.ask_test(at=acting.at, **_same(acting))
        return _done(gettext("The test event goes out within seconds. What came of it is listed below."), webhook)


class PauseWebhook(_OfWebhook):
    """Stops sending for now."""

    name = "pause-webhook"
    title = gettext_lazy("Pause a webhook")
    explains = gettext_lazy("Nothing more is sent until it is resumed. Nothing is lost: what comes waits.")
    form = WebhookForm

    def preview(self, acting: Acting) -> Preview:
        """Says how much is waiting already."""
        webhook = _webhook(acting)
        if webhook.paused_at is not None:
            raise CannotActError(gettext("This webhook is paused already."))
        return _about(webhook, (gettext("Events that wait"), queries.waiting(webhook)))

    def perform(self, acting: Acting) -> Done:
        """Pauses the chosen webhook."""
        webhook = actions.pause(at=acting.at, **_same(acting))
        return _done(gettext("The webhook %(webhook)s is paused.") % {"webhook": webhook}, webhook)


class ResumeWebhook(_OfWebhook):
    """Resumes sending to a webhook."""

    name = "resume-webhook"
    title = gettext_lazy("Resume a webhook")
    explains = gettext_lazy("It goes on with the event that waits, at once, and tries for another 72 hours.")
    form = WebhookForm

    def preview(self, acting: Acting) -> Preview:
        """Says what will be sent."""
        webhook = _webhook(acting)
        if webhook.paused_at is None:
            raise CannotActError(gettext("This webhook is not paused."))
        return _about(
            webhook,
            (gettext("It is"), webhook.get_paused_because_display()),
            (gettext("Events to send"), queries.waiting(webhook)),
        )

    def perform(self, acting: Acting) -> Done:
        """Resumes the chosen webhook."""
        webhook = actions.resume(**_same(acting))
        return _done(gettext("The webhook %(webhook)s is resumed.") % {"webhook": webhook}, webhook)


class ReplayWebhook(_OfWebhook):
    """Sends captures once more."""

    name = "replay-webhook"
    title = gettext_lazy("Replay from a capture")
    explains = gettext_lazy(
        "Sends this capture and all since once more, in order. Each event has the webhook-id that it had."
    )
    form = form_of(
        webhook_id=Listed(_listed, label=gettext_lazy("Webhook")),
        from_capture=forms.IntegerField(
            label=gettext_lazy("From capture"),
            min_value=1,
            help_text=gettext_lazy("The captures with their numbers are listed under Captures."),
        ),
    )

    def preview(self, acting: Acting) -> Preview:
        """Says how much will be sent again."""
        webhook = _webhook(acting)
        found = _about(webhook, (gettext("Acknowledged up to capture"), webhook.capture_sequence))
        webhook.capture_sequence = actions.before(acting.organization_id, acting.data["from_capture"])
        found.pairs.append((gettext("Events to send"), queries.waiting(webhook)))
        if webhook.paused_at is not None:
            found.warnings.append(gettext("The webhook is paused: nothing is sent until it is resumed."))
        return found

    def perform(self, acting: Acting) -> Done:
        """Sets the chosen webhook back."""
        webhook = actions.replay(from_capture=acting.data["from_capture"], **_same(acting))
        return _done(
            gettext("Capture %(from_capture)s and all since are sent again.")
            % {"from_capture": acting.data["from_capture"]},
            webhook,
        )


class RotateSecret(_OfWebhook):
    """Replaces the secret."""

    name = "rotate-webhook"
    title = gettext_lazy("Give a webhook a new secret")
    explains = gettext_lazy(
        "The new secret is shown once. For 24 hours both sign each event, so that the receiver may change in time."
    )
    form = WebhookForm

    def preview(self, acting: Acting) -> Preview:
        """Says until when the present secret still signs."""
        webhook = _webhook(acting)
        until = acting.at + actions.OVERLAP
        found = _about(webhook, (gettext("The present secret signs until"), written_instant(until)))
        if webhook.former_until is not None and webhook.former_until > acting.at:
            found.warnings.append(gettext("The secret before the present one still signs; from now on it does not."))
        return found

    def perform(self, acting: Acting) -> Done:
        """Makes the new secret and displays it once."""
        secret, webhook = actions.rotate_secret(at=acting.at, **_same(acting))
        return _done(
            gettext("The webhook %(webhook)s has a new secret.") % {"webhook": webhook}, webhook, secret=secret
        )


class RemoveWebhook(_OfWebhook):
    """Ends a webhook."""

    name = "remove-webhook"
    title = gettext_lazy("Remove a webhook")
    explains = gettext_lazy("It ends at once and for good, with its secrets and the list of what was tried.")
    form = WebhookForm
    danger = True

    def preview(self, acting: Acting) -> Preview:
        """Names the webhook, and what it would still have sent."""
        webhook = _webhook(acting)
        return _about(webhook, (gettext("Events that wait"), queries.waiting(webhook)))

    def perform(self, acting: Acting) -> Done:
        """Removes the chosen webhook."""
        webhook = actions.remove(**_same(acting))
        return Done(gettext("The webhook %(webhook)s is removed.") % {"webhook": webhook}, "webhooks")


ACTS: tuple[Act, ...] = (
    AddWebhook(), TestWebhook(), PauseWebhook(), ResumeWebhook(), ReplayWebhook(), RotateSecret(), RemoveWebhook(),
)  # fmt: skip
