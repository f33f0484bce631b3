"""The page of exports: scheduled exports, their problems, and the files to download."""

import uuid

from django.http import HttpResponse, StreamingHttpResponse
from django.utils.translation import gettext

from compliance.interfaces.console import keyset
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.exports import keeping
from compliance.interfaces.console.exports.models import ExportFile, StandingExport
from compliance.interfaces.console.exports.writing import MEDIA_TYPES
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.tables import answers
from compliance.interfaces.console.visit import Visit


def exports(visit: Visit) -> HttpResponse:
    """Scheduled exports and a page of the kept files, newest first, without names from before an erasure."""
    organization_id = visit.organization.organization_id
    keeping.forget(organization_id, visit.now)
    found = StandingExport.objects.filter(organization_id=organization_id, stopped_at=None)
    files, following = keyset.page(visit.request, keeping.ready(organization_id), "id", newest_first=True)
    values = {
        "standing": list(found.order_by("made_at")[:100]),
        "files": files,
        "following": following,
        "may_act": visit.staff.may(Permission.CHANGE_RECORDS),
    }
    return visit.render("console/exports/exports.html", values)


def file(visit: Visit, file_id: uuid.UUID) -> StreamingHttpResponse:
    """A file, as it was written."""
    organization_id = visit.organization.organization_id
    keeping.forget(organization_id, visit.now)
    found = ExportFile.objects.filter(organization_id=organization_id, file_id=file_id, ready=True).first()
    if found is None:
        raise NothingThereError(
            gettext(
                "This file is gone: its time was over, a newer one took its place, or a person was erased since it was"
                " written. Standing exports are written again after an erasure."
            )
        )
    visit.everybody = True
    response = answers.file(found.file_name, MEDIA_TYPES[found.written_as], keeping.content(found))
    response.headers["Content-Length"] = str(found.size)
    return response
