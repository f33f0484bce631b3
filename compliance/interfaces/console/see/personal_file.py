"""The file of all data kept about a person, made by staff for a person who asks their company for it."""

import uuid

from django.http import HttpResponse
from django.utils.translation import gettext

from compliance.facts.people import queries
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.visit import Visit
from compliance.interfaces.personal_file.gathering import as_text, personal_file


def file(visit: Visit, learner_profile_id: uuid.UUID) -> HttpResponse:
    """The same file that the person can download; the access log records whose it is and who took it."""
    if queries.person(visit.organization.organization_id, learner_profile_id) is None:
        raise NothingThereError(
            gettext("This company knows no person %(learner_profile_id)s.") % {"learner_profile_id": learner_profile_id}
        )
    visit.saw([learner_profile_id])
    found = personal_file(visit.organization, learner_profile_id, visit.now)
    headers = {"Content-Disposition": f'attachment; filename="person-{learner_profile_id}.json"'}
    return HttpResponse(as_text(found), content_type="application/json", headers=headers)
