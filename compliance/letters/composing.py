"""Composes a letter when it is sent: the recipient, what is still current, and a link made for it.

People who left, are suspended or erased get no letter, and what was done meanwhile is left out; if nothing remains, no
letter is sent. The link is made here because it is not stored.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import orjson
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.utils import translation

from compliance.facts.certificates.queries import check_code_of
from compliance.facts.courses.queries import offered, titles_of
from compliance.facts.people.presence import open_invitation
from compliance.facts.policies.queries import stored_receipt, stored_version
from compliance.facts.shares.queries import lessons_of
from compliance.history.owed import Owed, issued, owed
from compliance.learning import links
from compliance.letters import wording
from compliance.letters.content import Content, Enclosure
from compliance.letters.message import can_be_written_to, language_for, message
from compliance.letters.models import Letter
from compliance.letters.recipients import Recipient, recipients
from compliance.letters.wording import ToDo, Way, Writing
from compliance.rules.vocabulary import ReceiptAct
from compliance.tenancy.models import Organization
from compliance.tenancy.queries import organization

Kind = Letter.Kind
Enclose = Callable[[uuid.UUID, uuid.UUID, datetime], Enclosure | None]
"""Returns the file of a certificate by company and identifier, as the public pages draw it; None for none."""


def no_enclosure(organization_id: uuid.UUID, certificate_id: uuid.UUID, now: datetime) -> Enclosure | None:
    """Sends letters without files."""
    return None


def compose(letter: Letter, now: datetime, enclose: Enclose) -> EmailMultiAlternatives | None:
    """The mail of a letter, with its link; None without a recipient or a subject. In the company's context."""
    if letter.kind == Kind.INVITATION:
        return _to_the_invited(letter, now)
    assert letter.learner_profile_id is not None  # a constraint ensures that a letter has one of the two
    learner = letter.learner_profile_id
    to_work_address = letter.to_work_address
    found = recipients(letter.organization_id, [learner], now, to_work_address=to_work_address).get(learner)
    if found is None:
        return None
    company = organization(letter.organization_id)
    with translation.override(found.language):
        writing = Writing(company.name, found.person_name, now, ZoneInfo(company.time_zone))
        content = _content(letter, learner, found.address, writing, enclose)
        if content is None:
            return None
        return message(content, company=company.name, address=found.address, letter_id=letter.letter_id)


def reminder(
    company: Organization,
    learner_profile_id: uuid.UUID,
    recipient: Recipient,
    things: Sequence[Owed],
    *,
    letter_id: uuid.UUID,
    now: datetime,
) -> EmailMultiAlternatives:
    """The mail that reminds a person of what they owe, with its link. In the company's context."""
    with translation.override(recipient.language):
        writing = Writing(company.name, recipient.person_name, now, ZoneInfo(company.time_zone))
        lessons = lessons_among(company.organization_id, things)
        way = _way(company.organization_id, learner_profile_id, recipient.address, now, lead(things, lessons))
        content = wording.reminder(writing, way, to_do(company.organization_id, things, lessons))
        return message(content, company=company.name, address=recipient.address, letter_id=letter_id)


def lead(things: Sequence[Owed], lessons: Mapping[uuid.UUID, uuid.UUID]) -> str:
    """Where the link of a letter about things to do leads: to the only one, or to the home page."""
    if len(things) != 1:
        return ""
    share_id = things[0].lesson_share_id
    if share_id is not None and share_id in lessons:
        return f"lessons/{lessons[share_id]}/"
    return f"policies/{things[0].course_id}" if things[0].policy else f"courses/{things[0].course_id}/"


def to_do(organization_id: uuid.UUID, things: Sequence[Owed], lessons: Mapping[uuid.UUID, uuid.UUID]) -> list[ToDo]:
    """Those things with their current titles. One statement, and one for lessons, in the company's context."""
    titles = titles_of(organization_id, {each.course_id for each in things})
    alone = offered(organization_id, (), lessons.values()) if lessons else {}
    found = []
    for each in things:
        lesson = lessons.get(each.lesson_share_id) if each.lesson_share_id else None
        title = alone[lesson].title if lesson in alone else titles.get(each.course_id, "")
        found.append(ToDo(title, each.policy, each.due_at, lesson=lesson is not None))
    return found


def lessons_among(organization_id: uuid.UUID, things: Sequence[Owed]) -> dict[uuid.UUID, uuid.UUID]:
    """The lessons that were shared alone, by the share. At most one statement."""
    shares = {each.lesson_share_id for each in things if each.lesson_share_id is not None}
    return lessons_of(organization_id, shares) if shares else {}


def _content(letter: Letter, learner: uuid.UUID, address: str, writing: Writing, enclose: Enclose) -> Content | None:
    company, now = letter.organization_id, writing.now

    def way(leads_to: str, life: timedelta = links.IN_A_LETTER) -> Way:
        return _way(company, learner, address, now, leads_to, life)

    match letter.kind:
        case Kind.LINK:
            return wording.link(writing, way("", links.ASKED_FOR))
        case Kind.STAFF_LINK:
            return wording.staff_link(writing, way(""))
        case Kind.NEW | Kind.POLICY:
            things = owed(company, letter.subject_ids, now)
            if not things:
                return None
            write = wording.policy if all(each.policy for each in things) else wording.new
            lessons = lessons_among(company, things)
            return write(writing, way(lead(things, lessons)), to_do(company, things, lessons))
        case Kind.SIGNED:
            return _signed(company, learner, letter.subject_ids[0], writing, way)
        case Kind.CERTIFICATE:
            return _certificate(company, letter.subject_ids[0], writing, way, enclose)
        case _:
            raise AssertionError(f"No letter of the kind {letter.kind} waits in this table.")


def _signed(
    company: uuid.UUID, learner: uuid.UUID, receipt_id: uuid.UUID, writing: Writing, way: Callable[[str], Way]
) -> Content | None:
    receipt = stored_receipt(company, receipt_id)
    if receipt.learner_profile_id != learner:
        return None
    version = stored_version(company, receipt.course_release_id)
    stated = wording.Receipt(
        version.policy_title,
        version.version,
        receipt.act == ReceiptAct.SIGNED,
        receipt.signed_at,
        str(receipt.receipt_id),
        receipt.receipt_sha256,
    )
    return wording.signed(writing, way(f"receipts/{receipt_id}"), stated)


def _certificate(
    company: uuid.UUID, certificate_id: uuid.UUID, writing: Writing, way: Callable[[str], Way], enclose: Enclose
) -> Content | None:
    found = issued(company, certificate_id, writing.now)
    check_code = check_code_of(company, certificate_id)
    if found is None or check_code is None:
        return None
    fields = orjson.loads(found.body)
    stated = wording.Certificate(
        fields["certificate_title"],
        datetime.fromisoformat(fields["earned_at"]),
        found.due_at,
        check_code,
        f"{settings.BASE_URL}/check/{check_code}",
    )
    enclosed = enclose(company, certificate_id, writing.now)
    return wording.certificate(writing, way(f"certificates/{certificate_id}"), stated, (enclosed,) if enclosed else ())


def _to_the_invited(letter: Letter, now: datetime) -> EmailMultiAlternatives | None:
    assert letter.invitation_id is not None
    found = open_invitation(letter.organization_id, letter.invitation_id, now)
    if found is None or not found.work_email or not can_be_written_to(found.work_email):
        return None
    company = organization(letter.organization_id)
    until = min(now + links.IN_A_LETTER, found.expires_at or datetime.max.replace(tzinfo=now.tzinfo))
    token = links.make(letter.organization_id, now=now, life=until - now, invitation_id=letter.invitation_id)
    with translation.override(language_for(None)):
        writing = Writing(company.name, found.person_name, now, ZoneInfo(company.time_zone))
        content = wording.invitation(writing, Way(links.address_of(token), until))
        return message(content, company=company.name, address=found.work_email, letter_id=letter.letter_id)


def _way(
    organization_id: uuid.UUID,
    learner: uuid.UUID,
    address: str,
    now: datetime,
    leads_to: str,
    life: timedelta = links.IN_A_LETTER,
) -> Way:
    token = links.make(
        organization_id, now=now, life=life, learner_profile_id=learner, leads_to=leads_to, address=address
    )
    return Way(links.address_of(token), now + life)
