"""Sample letters with invented people and things, for staff who want to see letters beforehand.

Nothing is read or stored: the address of the button opens nothing.
"""

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext

from compliance.learning import links
from compliance.letters import wording
from compliance.letters.content import Content
from compliance.letters.message import Drawn, draw
from compliance.letters.models import Letter
from compliance.letters.wording import Certificate, Receipt, ToDo, Way, Writing
from compliance.tenancy.models import Organization

Kind = Letter.Kind
_CODE = "7QK2M-0XV9T-HB4ZR-3WCEN"


def sample(kind: Letter.Kind, company: Organization, language: str, now: datetime) -> Drawn:
    """A sample letter of the kind from the company to an invented person, in one of the languages of letters."""
    with translation.override(language):
        writing = Writing(company.name, gettext("Alex Example"), now, ZoneInfo(company.time_zone))
        way = Way(links.address_of("example"), now + links.IN_A_LETTER)
        return draw(_SAMPLES[kind](writing, way), company.name)


def _things(writing: Writing) -> list[ToDo]:
    now = writing.now
    return [
        ToDo(gettext("Fire safety"), policy=False, due_at=now + timedelta(days=4)),
        ToDo(gettext("Code of conduct"), policy=True, due_at=None),
    ]


def _reminder(writing: Writing, way: Way) -> Content:
    late = ToDo(gettext("Data protection"), policy=False, due_at=writing.now - timedelta(days=3))
    return wording.reminder(writing, way, [late, *_things(writing)])


def _signed(writing: Writing, way: Way) -> Content:
    receipt_id = str(uuid.UUID("5e1f2a30-0c4d-4b7a-9a55-3f2f0f6f8d10"))
    receipt = Receipt(gettext("Code of conduct"), 3, True, writing.now, receipt_id, "4f" * 32)
    return wording.signed(writing, way, receipt)


def _certificate(writing: Writing, way: Way) -> Content:
    issued = Certificate(
        gettext("Fire safety"),
        writing.now,
        writing.now + timedelta(days=365),
        _CODE,
        f"{settings.BASE_URL}/check/{_CODE}",
    )
    return wording.certificate(writing, way, issued)


_SAMPLES: dict[Letter.Kind, Callable[[Writing, Way], Content]] = {
    Kind.LINK: wording.link,
    Kind.STAFF_LINK: wording.staff_link,
    Kind.INVITATION: wording.invitation,
    Kind.NEW: lambda writing, way: wording.new(writing, way, _things(writing)),
    Kind.POLICY: lambda writing, way: wording.policy(writing, way, _things(writing)[1:]),
    Kind.REMINDER: _reminder,
    Kind.SIGNED: _signed,
    Kind.CERTIFICATE: _certificate,
}
