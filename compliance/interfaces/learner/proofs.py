"""The proof of a record of one's own, as from `/proof/v1`: a file to download, or a page that asks to wait."""

import uuid

from django.http import HttpResponse

from compliance.catalogue import REGISTERS
from compliance.interfaces.learner.visit import Visit
from compliance.interfaces.proof import making
from compliance.interfaces.proof.errors import HistoryRefutedError, NothingToProveError, NotSignedYetError


def proof_file(visit: Visit, of: str, record_id: uuid.UUID) -> HttpResponse:
    """The proof, with the person's name, of a record that the signed-in person is known to hold.

    `of` is the register's name for the rows of a person: certificates, receipts.
    """
    register = next(each for each in REGISTERS.values() if each.of_person == of)
    try:
        proof = making.prove(visit.organization_id, register, record_id, visit.now, personal=True)
    except (NothingToProveError, NotSignedYetError):  # the first: no capture contains the record yet
        response = visit.render("home/proof_waits.html", status=503)
        response.headers["Retry-After"] = str(making.RETRY_AFTER_SECONDS)
        return response
    except HistoryRefutedError as error:
        making.refute(visit.organization_id, error)
        return visit.render("home/proof_refuted.html", status=503)
    headers = {"Content-Disposition": f'attachment; filename="proof-{register.name}-{record_id}.json"'}
    return HttpResponse(proof, content_type="application/json", headers=headers)
