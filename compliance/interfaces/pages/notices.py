"""Notices by mail to whoever signed by a personal link: what was signed in their name, and when.

A notice is due in the transaction of the signature, so none is lost. Its address is read when it is sent, and kept
nowhere: whoever was erased meanwhile gets none. Sent at least once: a process that dies between sending a notice and
noting it sends it again.
"""

import logging
import smtplib
import uuid
from datetime import datetime, timedelta

from celery import current_app
from django.core.mail import EmailMessage
from django.db import transaction
from django.template.loader import render_to_string
from kombu.exceptions import OperationalError

from compliance.facts.people.queries import shown_people
from compliance.facts.shares.queries import title_of
from compliance.interfaces.pages.certificates import written_moment
from compliance.interfaces.pages.models import Link
from compliance.tenancy import context
from compliance.tenancy.queries import organization

log = logging.getLogger(__name__)
TASK = "compliance.pages.send_notices"
MOST_ATTEMPTS = 8


def ask_to_send(organization_id: uuid.UUID) -> None:
    """Has the worker send what is due once the transaction is committed; the regular look finds it too."""

    def send() -> None:
        try:
            current_app.send_task(TASK, args=[str(organization_id)], retry=False)
        except (OperationalError, OSError):
            log.warning("notices_wait", extra={"reason": "the broker is away; the next look sends them"})

    transaction.on_commit(send)


def send_due(organization_id: uuid.UUID, now: datetime) -> int:
    """Sends a company's notices that are due. Returns how many went out. Any number of workers may run it at once."""
    sent = 0
    while True:
        with context.company(organization_id):
            link = (
                Link.objects.select_for_update(skip_locked=True)
                .filter(organization_id=organization_id, notice_due_at__lte=now)
                .order_by("notice_due_at")
                .first()
            )
            if link is None:
                return sent
            link.notice_attempts += 1
            last = link.notice_attempts >= MOST_ATTEMPTS
            link.notice_due_at = None if last else now + timedelta(minutes=2**link.notice_attempts)
            link.save(update_fields=["notice_attempts", "notice_due_at"])
            letter = _letter(link)
        try:
            if letter is not None:
                letter.send()
                sent += 1
        except (smtplib.SMTPException, OSError, ValueError) as error:
            log.warning("notice_refused", extra={"error": type(error).__name__, "last": last})
            continue
        with context.company(organization_id):
            Link.objects.filter(organization_id=organization_id, pk=link.pk).update(notice_due_at=None)


def _letter(link: Link) -> EmailMessage | None:
    """The letter; None for whoever was erased or has no address."""
    person = shown_people(link.organization_id, [link.learner_profile_id]).get(link.learner_profile_id)
    address = person and (person.work_email or person.account_email)
    if person is None or not address or link.signed_at is None:
        return None
    company = organization(link.organization_id)
    values = {
        "company": company.name,
        "person_name": person.person_name,
        "policy": title_of(link.organization_id, link.share_id) or "a policy",
        "signed_at": written_moment(link.signed_at, company.time_zone),
    }
    return EmailMessage(
        subject="Something was signed in your name",
        body=render_to_string("pages/notice.txt", values),
        to=[address],
        headers={"Auto-Submitted": "auto-generated"},
    )
