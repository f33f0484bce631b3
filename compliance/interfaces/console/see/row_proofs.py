"""The proof of a record: whether it is signed yet, the file to download, and how to verify it."""

import uuid
from collections.abc import Callable

from django.http import HttpResponse
from django.utils.translation import gettext, gettext_lazy

from compliance.catalogue import REGISTERS
from compliance.catalogue.declaration import Register
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.page import register_page
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.sign_in import sessions
from compliance.interfaces.console.visit import Visit
from compliance.interfaces.proof import making
from compliance.interfaces.proof.errors import HistoryRefutedError, NothingToProveError, NotSignedYetError
from compliance.log import keys

_CLOSED = gettext_lazy(
    "What is stored is not what was signed. The company is closed to readers until a verification holds again."
)

Draw = Callable[[Visit, Register, uuid.UUID, str], HttpResponse]


def page(visit: Visit, register: str, record_id: uuid.UUID) -> HttpResponse:
    """What the proof holds and how to verify it. While the row is not signed yet, the page reloads by itself."""
    return _answer(visit, register, record_id, _explain)


def file(visit: Visit, register: str, record_id: uuid.UUID) -> HttpResponse:
    """The proof as a file; while the row is not signed yet, the page that waits for it."""
    return _answer(visit, register, record_id, _hand_over)


def _answer(visit: Visit, register: str, record_id: uuid.UUID, draw: Draw) -> HttpResponse:
    """The proof of the version in force now, as `draw` renders it. It holds names only for staff who may export."""
    declared = next((each for each in REGISTERS.values() if each.name == register), None)
    if declared is None:
        raise NothingThereError(gettext("There is no register %(register)s.") % {"register": register})
    organization_id = visit.organization.organization_id
    personal = visit.staff.may(Permission.EXPORT)
    try:
        proof = making.prove(organization_id, declared, record_id, visit.now, personal=personal)
    except NothingToProveError as error:
        raise NothingThereError(str(error)) from None
    except NotSignedYetError:
        response = _explain(visit, declared, record_id, "")
        sessions.refresh(visit.request, response)
        return response
    except HistoryRefutedError as error:
        making.refute(organization_id, error)
        values = {"title": gettext("This history cannot be proved"), "words": f"{error} {_CLOSED}"}
        return visit.render("console/refused.html", values, status=503)
    return draw(visit, declared, record_id, proof)


def _hand_over(visit: Visit, register: Register, record_id: uuid.UUID, proof: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{_file_name(register.name, record_id)}"'}
    return HttpResponse(proof, content_type="application/json", headers=headers)


def _explain(visit: Visit, register: Register, record_id: uuid.UUID, proof: str) -> HttpResponse:
    visit.crumb(gettext(register.title), register_page(register.page))
    visit.crumb(gettext("Story"), "record", register=register.name, record_id=record_id)
    values = {
        "title": gettext("Proof of a record"),
        "register": register.name,
        "record_id": record_id,
        "signed": bool(proof),
        "named": '"identity":{' in proof,
        "file_name": _file_name(register.name, record_id),
        "log_keys": keys.verifier_keys(),
    }
    return visit.render("console/see/row_proof.html", values)


def _file_name(register: str, record_id: uuid.UUID) -> str:
    return f"proof-{register}-{record_id}.json"
