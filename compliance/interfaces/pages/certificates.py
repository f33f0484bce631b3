"""The content of the check page and the printed certificate: one certificate, in words, with its status at a moment.

Read from the history's rows, so both agree with `/v1/certificates`.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import orjson
from django.utils import translation
from django.utils.translation import gettext

from compliance.catalogue.certificates import CERTIFICATES
from compliance.facts.certificates.naming import NamedCertificate, name_on
from compliance.facts.certificates.queries import FoundCertificate
from compliance.facts.training.queries import trainer_of
from compliance.history import records
from compliance.learning import words
from compliance.rules.owed_learning.outcome import certificate_status
from compliance.rules.vocabulary import CertificateKind, CertificateStatus, LiveSessionFormat
from compliance.tenancy.queries import organization


@dataclass(frozen=True, slots=True)
class PublicCertificate:
    """A certificate in words. Days are the company's; the printed certificate has everything here but the status."""

    certificate_id: uuid.UUID
    check_code: str
    company: str
    person_name: str
    title: str
    kind: str
    heading: str
    sentence: str
    earned_on: str
    issued_on: str
    valid_until: str | None
    session: str | None
    year: str
    status: CertificateStatus
    changed_on: str | None
    checked_on: str

    @property
    def printable(self) -> bool:
        """Whether the certificate may be printed: one that was revoked or replaced may not."""
        return self.status in (CertificateStatus.VALID, CertificateStatus.EXPIRED)


Stated = Callable[[FoundCertificate, datetime], PublicCertificate | None]
"""`public_certificate` or `printed_certificate`."""


def public_certificate(found: FoundCertificate, now: datetime) -> PublicCertificate | None:
    """What a check code opens at `now`; None while the history does not hold it. Needs the company's context."""
    current = records.current(found.organization_id, CERTIFICATES.number, found.certificate_id, now)
    if current is None:
        return None
    body, state, valid_until, changed_at = current
    row: dict[str, Any] = orjson.loads(body)
    company = organization(found.organization_id)
    zone = ZoneInfo(company.time_zone)
    issued_at = datetime.fromisoformat(row["issued_at"])
    earned = datetime.fromisoformat(row["earned_at"]).astimezone(zone).date()
    name = name_on(found.organization_id, NamedCertificate(found.certificate_id, found.learner_profile_id, issued_at))
    status = certificate_status(state or "", valid_until, now)
    assessed = row["kind"] == CertificateKind.ASSESSED
    return PublicCertificate(
        certificate_id=found.certificate_id,
        check_code=found.check_code,
        company=company.name,
        person_name=name or gettext("The holder"),
        title=row["certificate_title"],
        kind=gettext("Assessed") if assessed else gettext("Completed"),
        heading=gettext("Certificate of achievement") if assessed else gettext("Certificate of completion"),
        sentence=gettext("has passed the assessment of") if assessed else gettext("has completed"),
        earned_on=written_day(earned),
        issued_on=written_day(issued_at.astimezone(zone).date()),
        valid_until=None if valid_until is None else written_day(valid_until.astimezone(zone).date()),
        session=_session(found.organization_id, row, zone),
        year=str(earned.year),
        status=status,
        changed_on=written_day(changed_at.astimezone(zone).date())
        if changed_at is not None and status in (CertificateStatus.REVOKED, CertificateStatus.REPLACED)
        else None,
        checked_on=written_day(now.astimezone(zone).date()),
    )


def printed_certificate(found: FoundCertificate, now: datetime) -> PublicCertificate | None:
    """The certificate as its PDF states it: the same for every reader, in the language of the PDF's layout."""
    with translation.override("en"):
        return public_certificate(found, now)


def written_day(day: date) -> str:
    """A day as people write it in the active language: 7 March 2026."""
    return words.day(day)


def written_moment(moment: datetime, time_zone: str) -> str:
    """A moment as people write it, in a named time zone: 7 March 2026, 14:05 (Europe/Paris)."""
    local = moment.astimezone(ZoneInfo(time_zone))
    return f"{written_day(local.date())}, {local:%H:%M} ({time_zone})"


def _session(organization_id: uuid.UUID, row: dict[str, Any], zone: ZoneInfo) -> str | None:
    """One sentence about the live session in which the course was finished, if there was one."""
    if row.get("live_session_id") is None:
        return None
    trainer = trainer_of(organization_id, uuid.UUID(row["live_session_id"]))
    starts_at = datetime.fromisoformat(row["live_session_starts_at"]).astimezone(zone)
    on_site = LiveSessionFormat(row["live_session_format"]) is LiveSessionFormat.ON_SITE
    values = {"day": written_day(starts_at.date()), "minutes": row["live_session_minutes"], "trainer": trainer}
    if on_site and trainer:
        sentence = gettext("in a live session on site on %(day)s, %(minutes)s minutes, led by %(trainer)s")
    elif on_site:
        sentence = gettext("in a live session on site on %(day)s, %(minutes)s minutes, led by the trainer")
    elif trainer:
        sentence = gettext("in a live session online on %(day)s, %(minutes)s minutes, led by %(trainer)s")
    else:
        sentence = gettext("in a live session online on %(day)s, %(minutes)s minutes, led by the trainer")
    return sentence % values
