"""The pages of captures, pending subjects, API keys and sources."""

from django.conf import settings
from django.http import HttpResponse
from django.utils.translation import gettext

from compliance.access.models import ApiKey, Source
from compliance.access.sources import GOES_ON
from compliance.catalogue import REGISTERS
from compliance.facts.ledger.models import PendingSubject
from compliance.history import queries, records
from compliance.history.models import Capture
from compliance.interfaces.console import issuers, keyset
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.visit import Visit


def captures(visit: Visit) -> HttpResponse:
    """The commits of the writer, newest first, each chained to the one before."""
    written = Capture.objects.filter(organization_id=visit.organization.organization_id)
    lines, following = keyset.page(visit.request, written, "capture_sequence", newest_first=True)
    return visit.render("console/see/captures.html", {"captures": lines, "following": following})


def capture(visit: Visit, capture_sequence: int) -> HttpResponse:
    """One capture and the row versions it wrote."""
    visit.crumb(gettext("Captures"), "captures")
    organization_id = visit.organization.organization_id
    found = queries.capture_row(organization_id, capture_sequence)
    if found is None:
        raise NothingThereError(
            gettext("There is no capture %(capture_sequence)s.") % {"capture_sequence": capture_sequence}
        )
    position = keyset.after(visit.request, 1)
    after = position[0] if position else found.first_sequence - 1
    lines = records.rows_between(organization_id, after, found.last_sequence, keyset.PAGE + 1)
    last = (lines[keyset.PAGE - 1]["sequence"],) if len(lines) > keyset.PAGE else None
    del lines[keyset.PAGE :]
    for line in lines:
        line["register"] = REGISTERS[line["register"]].name
    values = {
        "title": gettext("Capture %(capture_sequence)s") % {"capture_sequence": capture_sequence},
        "capture": found,
        "rows": lines,
    }
    return visit.render("console/see/capture.html", values | {"following": keyset.following(visit.request, last)})


def waiting(visit: Visit) -> HttpResponse:
    """The subjects that the writer has yet to decide, and those that it set aside after failures."""
    pending = PendingSubject.objects.filter(organization_id=visit.organization.organization_id)
    lines, following = keyset.page(visit.request, pending, "id")
    return visit.render("console/see/waiting.html", {"waiting": lines, "following": following})


def keys(visit: Visit) -> HttpResponse:
    """The company's API keys: what each permits, and when it was last used. The keys themselves are not stored."""
    found = ApiKey.objects.filter(organization_id=visit.organization.organization_id).order_by("-created_at", "key_id")
    issued = issuers.issued(list(found[:200]), visit.now)
    values = {
        "keys": issued,
        "left": [each for each in issued if each.issuer_left],
        "may_act": visit.staff.may(Permission.OPERATE),
    }
    return visit.render("console/see/keys.html", values)


def sources(visit: Visit) -> HttpResponse:
    """The company's sources: what each may bring, from where, until when, and when it last called."""
    found = Source.objects.filter(organization_id=visit.organization.organization_id)
    issued = issuers.issued(list(found.order_by("-created_at", "source_id")[:200]), visit.now)
    values = {
        "sources": issued,
        "left": [each for each in issued if each.issuer_left],
        "may_act": visit.staff.may(Permission.OPERATE),
        "goes_on": GOES_ON,
        "facts_url": f"{settings.BASE_URL}/in/v1/facts",
        "scim_url": f"{settings.BASE_URL}/scim/v2",
    }
    return visit.render("console/see/sources.html", values)
