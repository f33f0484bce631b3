"""Letters to the owner of an account about each change of how it signs in.

A letter is a row written in the transaction of the change, so none is lost; the worker sends it, and retries for a day
if the mail server refuses. The change is in the access log as well, whether the account has an address or not.
"""

import logging
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from celery import current_app
from cryptography.fernet import InvalidToken, MultiFernet
from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.db import transaction
from django.http import HttpRequest
from django.template.loader import render_to_string
from kombu.exceptions import OperationalError

from compliance import sealing
from compliance.interfaces.console import access_log
from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.sign_in import invitations
from compliance.interfaces.console.sign_in.address import client_address
from compliance.interfaces.console.sign_in.models import Letter
from compliance.interfaces.console.sign_in.sessions import describe_device
from compliance.letters.mail_server import REFUSALS, RUN_LASTS, MailServer

log = logging.getLogger(__name__)
TASK = "compliance.sign_in.send_letters"
MOST_ATTEMPTS = 8
AUDITOR_INVITED = "auditor invited"
"""The only letter with a link: to an auditor, who needs it to open a new account."""

KINDS = {
    "password changed": "Your password was changed.",
    "password set": "A password was set for your account by whoever keeps the staff accounts.",
    "factor added": "An authenticator app was added to your account. All other sessions were ended.",
    "factor removed": "The authenticator app was removed from your account.",
    "passkey added": "A passkey was added to your account. All other sessions were ended.",
    "passkey removed": "A passkey was removed from your account.",
    "codes made": "New recovery codes were made for your account. The old ones stopped working.",
    "code used": "A recovery code was used to sign in to your account.",
    "new device": "Your account was used in a browser in which it was never used before.",
    "wrong codes": "Somebody who knows your password typed wrong codes of the second factor. Change your password.",
    "invitation made": "An invitation was made for your account by whoever keeps the staff accounts.",
    "invitation used": "The invitation to your account was used.",
    "second factor reset": "The second factor of your account was removed by whoever keeps the staff accounts.",
    "address changed": "The e-mail address of your account was changed. This letter went to the address before.",
    "access granted": "Your account may see the records of a company until another day.",
    "access ended": "The access of your account to the records of a company was ended.",
    "company account linked": "An account at the company's sign-in was linked to yours by whoever keeps the staff"
    " accounts. Whoever has that account can sign in to yours.",
    "company account changed": "Another account at the company's sign-in was linked to yours by whoever keeps the staff"
    " accounts. Whoever has that account can sign in to yours.",
    "company account removed": "Your account at the company's sign-in was unlinked from this one by whoever keeps the"
    " staff accounts.",
    "company account bound": "Your account at the company's sign-in was used for the first time and is now linked.",
}


def tell(
    request: HttpRequest, user: User, kind: str, now: datetime, *, by: User | None = None, address: str | None = None
) -> None:
    """Writes the line of the access log and the letter about a change that `by` made to the account of `user`."""
    access_log.account(request, by=by or user, user_id=user.pk, act=kind, at=now)
    own = by is None or by == user
    network, device = (client_address(request), describe_device(request)) if own else ("", "")
    write(user, kind, now, address=address, network=network, device=device)


def write(
    user: User,
    kind: str,
    now: datetime,
    *,
    address: str | None = None,
    network: str = "",
    device: str = "",
    code: str = "",
) -> None:
    """Writes the letter about a change, to be sent by the worker, unless the account has no address.

    The `code` of an invitation is stored sealed, and removed with the letter.
    """
    if to := address or user.email:
        sealed = _ring().encrypt(code.encode()).decode() if code else ""
        Letter.objects.create(
            user=user, address=to, kind=kind, at=now, due_at=now, network=network, device=device, sealed=sealed
        )
        transaction.on_commit(_ask_to_send)


def tell_once(request: HttpRequest, user: User, kind: str, now: datetime) -> None:
    """As `tell`, but at most one letter a day, so that strangers cannot fill a mailbox."""
    recently = AccessLog.objects.filter(user_id=user.pk, page="account", act=kind, at__gt=now - timedelta(days=1))
    if not recently.exists():
        tell(request, user, kind, now)


def send_due(clock: Callable[[], datetime]) -> int:
    """Sends the letters that are due. Returns how many were sent. Several workers may run it at once.

    What is left when the mail server is away, or when the run has lasted long enough, is sent by the next run.
    """
    began, sent = clock(), 0
    with closing(MailServer()) as server:
        while not server.away and (now := clock()) - began < RUN_LASTS:
            letter = _claim(now)
            if letter is None:
                break
            try:
                message = _message(letter, now)
                if message is not None:
                    server.hand_over(message)
            except (*REFUSALS, InvalidToken) as error:
                log.warning("letter_refused", extra={"kind": letter.kind, "error": type(error).__name__})
                if letter.attempts >= MOST_ATTEMPTS:
                    log.error("letter_given_up", extra={"kind": letter.kind, "user_id": letter.user_id})
                    letter.delete()
                continue
            letter.delete()
            sent += message is not None
    return sent


def _claim(now: datetime) -> Letter | None:
    """The next due letter, postponed so that no other worker takes it while it is sent; None if none is due."""
    with transaction.atomic():
        letter = Letter.objects.select_for_update(skip_locked=True).filter(due_at__lte=now).order_by("due_at").first()
        if letter is not None:
            letter.attempts += 1
            letter.due_at = now + timedelta(minutes=2**letter.attempts)
            letter.save(update_fields=["attempts", "due_at"])
        return letter


def _message(letter: Letter, now: datetime) -> EmailMessage | None:
    """The letter as mail; None for an invitation that was used, replaced or withdrawn since, whose link is dead."""
    values = {"letter": letter, "host": urlsplit(settings.BASE_URL).netloc}
    if letter.kind == AUDITOR_INVITED:
        code = _ring().decrypt(letter.sealed.encode()).decode()
        if not invitations.is_open(code, now):
            return None
        template, subject = "sign_in/auditor_letter.txt", "You are invited to look at compliance records"
        values["link"] = invitations.link(code)
        values["waiting"] = invitations.of(letter.user)
    else:
        template, subject = "sign_in/letter.txt", f"Your account of the compliance records: {letter.kind}"
        values["words"] = KINDS[letter.kind]
    return EmailMessage(
        subject=subject,
        body=render_to_string(template, values),
        to=[letter.address],
        headers={"Auto-Submitted": "auto-generated"},
    )


def _ring() -> MultiFernet:
    """The keys for sealing codes, from the secret that the web process (invitations) and the worker (letters) share."""
    return sealing.ring((settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS), b"compliance invitation letter 1")


def _ask_to_send() -> None:
    try:
        current_app.send_task(TASK, retry=False)
    except (OperationalError, OSError):
        log.warning("letters_wait", extra={"reason": "the broker is away; the next tick sends them"})
