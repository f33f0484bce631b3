"""Problems of the machinery: operators solve them, and everybody who reads the page sees them."""

from collections.abc import Iterator

from django.conf import settings
from django.utils.translation import gettext as _

from compliance.facts.ledger import queries as ledger
from compliance.interfaces.console.today.lines import Heading, Line
from compliance.interfaces.console.visit import Visit
from compliance.interfaces.operations.models import CompanyStanding


def lines(visit: Visit) -> Iterator[Line]:
    """Lines for subjects that were set aside, a late writer, and a history that failed its last verification."""
    organization_id = visit.organization.organization_id
    waits = ledger.waiting(organization_id)
    yield Line(
        part=Heading.WAITS,
        what=_("Changes that could not be taken up"),
        number=waits.set_aside,
        address=visit.address("waiting"),
        act=_("See why"),
        act_address=visit.address("waiting"),
        alarm=True,
    )
    if waits.lag(visit.now).total_seconds() > settings.WRITER_LAG_SECONDS:
        yield Line(
            part=Heading.WAITS,
            what=_("Changes that wait too long: is the worker running?"),
            number=waits.waiting,
            address=visit.address("waiting"),
            alarm=True,
        )
    status = CompanyStanding.objects.filter(organization_id=organization_id).first()
    if status is not None and status.verified_at and not status.verified_well:
        yield Line(
            part=Heading.WAITS,
            what=_("The last verification found that the history does not hold"),
            number=1,
            address=visit.address("history"),
            act=_("See what it found"),
            act_address=visit.address("history"),
            alarm=True,
        )
