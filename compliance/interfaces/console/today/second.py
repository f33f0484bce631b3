"""Acts that others prepared and that the reader may confirm."""

from collections.abc import Iterator

from django.conf import settings
from django.utils.translation import gettext as _

from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.today.lines import Heading, Line
from compliance.interfaces.console.visit import Visit


def lines(visit: Visit) -> Iterator[Line]:
    """A line with the number of acts in the inbox that this person has permission to confirm."""
    if not settings.FOUR_EYES:
        return
    prepared = jobs.prepared(visit.organization.organization_id, visit.now)
    waiting = prepared.exclude(user_id=visit.staff.user_id).values_list("act", flat=True)[:200]
    mine = sum(name in ACTS and visit.staff.may(ACTS[name].permission) for name in waiting)
    yield Line(
        part=Heading.WAITS,
        what=_("Prepared by somebody else, for a second person"),
        number=mine,
        address=visit.address("inbox"),
        act=_("Look and decide"),
        act_address=visit.address("inbox"),
        alarm=True,
    )
