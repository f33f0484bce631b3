"""The auditor's room: one page with the pack, the verifier's result, the timeline, and a sample with its proofs.

The page is about one pack, so about one period as known at one capture; it stays the same as long as the pack is kept.
"""

import io
import uuid
import zipfile
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.utils.translation import gettext as _

from compliance.catalogue.declaration import Register
from compliance.errors import ComplianceError
from compliance.history.comparing import known_at_each
from compliance.history.queries import NamedRecord, named_records
from compliance.interfaces.console import identifiers
from compliance.interfaces.console.errors import NothingThereError, UnreadableInputError
from compliance.interfaces.console.evidence import keeping
from compliance.interfaces.console.evidence.models import Pack
from compliance.interfaces.console.evidence.sampling import DRAWN, SAMPLED, place_of
from compliance.interfaces.console.visit import Visit
from compliance.interfaces.operations.models import VerificationRun
from compliance.interfaces.proof import making
from compliance.interfaces.proof.errors import HistoryRefutedError
from compliance.log import keys
from compliance.rules import company_days

SIZES = (10, 25, 50, DRAWN)
MONTHS = 13
_PACKS = 20


class Month(NamedTuple):
    """A month of the timeline: how many captures and versions of records it has, and its last capture.

    `first_day` is a day of the company: in UTC, the month may begin on another day.
    """

    first_day: date
    captures: int
    rows: int
    last_capture: int


def room(visit: Visit) -> HttpResponse:
    """The newest built pack, or the requested one, and everything that an auditor does with it."""
    organization = visit.organization
    keeping.forget(organization.organization_id, visit.now)
    packs = list(
        Pack.objects.filter(organization_id=organization.organization_id, built=True).order_by("-begun_at")[:_PACKS]
    )
    asked = identifiers.asked(visit.request, "pack")
    pack = next((each for each in packs if asked in (None, each.job_id)), None)
    if asked is not None and pack is None:
        raise NothingThereError(_("This pack is not kept any more. Have it built again."))
    today = visit.now.astimezone(visit.zone).date()
    complete = organization.history_complete_from.astimezone(visit.zone).date()
    values: dict[str, Any] = {
        "packs": packs,
        "pack": pack,
        "first": max(complete, today - timedelta(days=364)),
        "last": today,
        "complete": complete,
        "log_key": next(iter(keys.verifier_keys()), ""),
        "months": _timeline(visit),
        "runs": _verifications(visit),
    }
    if pack is not None:
        values |= _sample(visit, pack)
    return visit.render("console/evidence/room.html", values)


def _size(visit: Visit) -> int:
    """How many records of each register the sample has, from the address. Raises UnreadableInputError."""
    text = visit.request.GET.get("size", "10")
    if text not in {str(each) for each in SIZES}:
        raise UnreadableInputError(_("Choose how many records from the form."))
    return int(text)


def _register(visit: Visit, sample: dict[str, Any]) -> Register:
    """The register whose sample is displayed: the requested one, or the first that has a record."""
    name = visit.request.GET.get("register", "")
    filled = [each for each in SAMPLED if sample.get("records", {}).get(each.name)]
    found = next((each for each in SAMPLED if each.name == name), None) if name else next(iter(filled), SAMPLED[0])
    if found is None:
        raise UnreadableInputError(_("There is no such list. Choose one from the form."))
    return found


def _sample(visit: Visit, pack: Pack) -> dict[str, Any]:
    """The sample of one register, in the order in which it was drawn, with today's names."""
    size, register = _size(visit), _register(visit, pack.sample)
    drawn = [uuid.UUID(each) for each in pack.sample.get("records", {}).get(register.name, [])[:size]]
    known: dict[uuid.UUID, NamedRecord] = (
        named_records(visit.organization.organization_id, register.number, drawn) if drawn else {}
    )
    visit.saw(each.learner_profile_id for each in known.values())
    root = pack.sample.get("root", "")
    return {
        "size": size,
        "sizes": SIZES,
        "register": register,
        "registers": [(each, len(pack.sample.get("records", {}).get(each.name, []))) for each in SAMPLED],
        "drawn": [(known.get(each), each, place_of(root, register.name, str(each))) for each in drawn],
        "proofs": visit.link("audit-proofs", {"register": register.name, "size": size}, job_id=pack.job_id),
    }


def _timeline(visit: Visit) -> list[Month]:
    """The last months of the history, the newest first. One statement."""
    organization = visit.organization
    zone = organization.time_zone
    month = company_days.day_of(zone, visit.now).replace(day=1)
    first_days = [company_days.add_months(month, -each) for each in range(MONTHS - 1, -1, -1)]
    ends = [company_days.start_of_day(zone, each) - company_days.ONE_MICROSECOND for each in first_days] + [visit.now]
    known = known_at_each(organization.organization_id, ends)
    if not known:
        return []
    found = [
        Month(first_day, known[end].capture_sequence - known[before].capture_sequence,
              known[end].sequence - known[before].sequence, known[end].capture_sequence)
        for first_day, before, end in zip(first_days, ends, ends[1:], strict=False)
    ]  # fmt: skip
    return [each for each in reversed(found) if each.captures]


def _verifications(visit: Visit) -> list[VerificationRun]:
    """The newest run of each kind of the service's own verification."""
    runs = VerificationRun.objects.filter(organization_id=visit.organization.organization_id)
    newest: dict[str, VerificationRun] = {}
    for run in runs.order_by("-finished_at")[: 2 * len(VerificationRun.Kind)]:
        newest.setdefault(run.kind, run)
    return list(newest.values())


def proofs(visit: Visit, job_id: uuid.UUID) -> HttpResponse:
    """The proofs of a sample in one file: of each record as it was at the end of the pack's period.

    Each proof takes a constant number of statements, and a sample has at most a hundred records.
    """
    organization_id = visit.organization.organization_id
    pack = keeping.pack_of(organization_id, job_id, visit.now)
    register, size = _register(visit, pack.sample), _size(visit)
    zone = visit.organization.time_zone
    moment = min(company_days.end_of_day(zone, pack.last_day), visit.now)
    drawn = [uuid.UUID(each) for each in pack.sample.get("records", {}).get(register.name, [])[:size]]
    if not drawn:
        raise NothingThereError(_("This pack has no such record."))
    visit.saw(each.learner_profile_id for each in named_records(organization_id, register.number, drawn).values())
    content, without = io.BytesIO(), []
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for record_id in drawn:
            try:
                proof = making.prove(organization_id, register, record_id, moment, personal=True)
            except HistoryRefutedError as error:
                making.refute(organization_id, error)
                values = {"title": _("This history cannot be proved"), "words": str(error)}
                return visit.render("console/refused.html", values, status=503)
            except ComplianceError as error:
                without.append(f"{record_id}: {error}\n")
                continue
            archive.writestr(_entry(f"proof-{register.name}-{record_id}.json", moment), proof)
        if without:
            archive.writestr(_entry("without-a-proof.txt", moment), "".join(without))
    headers = {"Content-Disposition": f'attachment; filename="sample-{register.name}-{pack.last_day}.zip"'}
    return HttpResponse(content.getvalue(), content_type="application/zip", headers=headers)


def _entry(name: str, moment: datetime) -> zipfile.ZipInfo:
    """A file of the archive, dated with the moment that it is about."""
    return zipfile.ZipInfo(name, date_time=moment.timetuple()[:6])
