"""Records `certificate_revoked` and `certificate_corrected`.

Whether the certificate was earned at all is validated with the facts of training (training/validating.py); this module
only determines whose it would be.
"""

import uuid
from collections.abc import Iterator
from typing import Any, TypeVar

from compliance.facts.certificates.models import CertificateCorrection, CertificateRevocation
from compliance.facts.certificates.resolving import CertificateOwner, certificate_owners
from compliance.facts.ledger.models import SubjectKind
from compliance.facts.lines.kinds import CertificateCorrected, CertificateRevoked
from compliance.facts.people import resolving
from compliance.facts.recording.batch import Batch, Staged
from compliance.facts.refusal_reasons import RefusalReason
from compliance.facts.rows import keep, lookup
from compliance.tenancy.models import CompanyRow

_Line = TypeVar("_Line", CertificateCorrected, CertificateRevoked)


def record_certificate_revoked(batch: Batch[CertificateRevoked]) -> Iterator[None]:
    """Keep who revoked which certificate, and when; once for each certificate.

    Of several in one file the rules accept the earliest that is possible. Of several of one moment only the first is
    given to them, because they cannot tell these apart.
    """
    ids = [staged.line.certificate_id for staged in batch.lines]
    owners = certificate_owners(batch.organization_id, ids) | batch.unwritten["owner"]
    people = resolving.profiles(
        batch.organization_id, {owner.learner_profile_id for owner in owners.values()}, resolving.VALIDATED
    )
    revoked = set(
        lookup(
            "SELECT certificate_id, at FROM certificates_certificaterevocation"
            " WHERE organization_id = %s AND certificate_id = ANY(%s)",
            batch.organization_id,
            ids,
        )
    )
    for staged in batch.accepted():
        line = staged.line
        owner = _owner(batch, staged, "certificate_id", line.certificate_id, owners, people)
        if owner is None:
            continue
        if line.certificate_id in revoked or (line.certificate_id, line.at) in batch.unwritten["revoked"]:
            batch.refuse(
                staged, RefusalReason.EXISTS, f"certificate_id: certificate {line.certificate_id} was revoked before."
            )
            continue
        batch.unwritten["revoked"][line.certificate_id, line.at] = line
        batch.unwritten["owner"][line.certificate_id] = owner
    yield
    _keep(batch, CertificateRevocation, owners)


def record_certificate_corrected(batch: Batch[CertificateCorrected]) -> Iterator[None]:
    """Keep which new certificate replaced which earlier one, with the corrected name; once for each, as above."""
    new_ids = [staged.line.certificate_id for staged in batch.lines]
    superseded_ids = [staged.line.supersedes_id for staged in batch.lines]
    owners = certificate_owners(batch.organization_id, {*new_ids, *superseded_ids}) | batch.unwritten["owner"]
    people = resolving.profiles(
        batch.organization_id, {owner.learner_profile_id for owner in owners.values()}, resolving.VALIDATED
    )
    corrected = set(
        lookup(
            "SELECT supersedes_id, at FROM certificates_certificatecorrection"
            " WHERE organization_id = %s AND supersedes_id = ANY(%s)",
            batch.organization_id,
            superseded_ids,
        )
    )
    revoked = lookup(
        "SELECT certificate_id, at FROM certificates_certificaterevocation"
        " WHERE organization_id = %s AND certificate_id = ANY(%s)",
        batch.organization_id,
        superseded_ids,
    )
    for staged in batch.accepted():
        line = staged.line
        if line.certificate_id in owners or line.certificate_id == line.supersedes_id:
            batch.refuse(
                staged, RefusalReason.EXISTS, f"certificate_id: a certificate {line.certificate_id} exists already."
            )
            continue
        owner = _owner(batch, staged, "supersedes_id", line.supersedes_id, owners, people)
        if owner is None:
            continue
        if line.supersedes_id in corrected or (line.supersedes_id, line.at) in batch.unwritten["corrected"]:
            reason = f"supersedes_id: certificate {line.supersedes_id} was corrected before; correct the newest one."
            batch.refuse(staged, RefusalReason.EXISTS, reason)
            continue
        if line.supersedes_id in revoked and revoked[line.supersedes_id] < line.at:
            reason = f"supersedes_id: certificate {line.supersedes_id} was revoked; the revoked is not corrected."
            batch.refuse(staged, RefusalReason.RULE, reason)
            continue
        batch.unwritten["corrected"][line.supersedes_id, line.at] = line
        owners[line.certificate_id] = batch.unwritten["owner"][line.certificate_id] = owner
    yield
    _keep(batch, CertificateCorrection, owners)


def _keep(batch: Batch[Any], model: type[CompanyRow], owners: dict[uuid.UUID, CertificateOwner]) -> None:
    lines = batch.accepted_lines()
    pairs = [owners[line.certificate_id] for line in lines]
    people, courses = [pair.learner_profile_id for pair in pairs], [pair.course_id for pair in pairs]
    keep(model, batch.organization_id, lines, learner_profile_id=people, course_id=courses)
    batch.subjects_of_pairs(SubjectKind.PERSON_COURSE, pairs)


def _owner(
    batch: Batch[_Line],
    staged: Staged[_Line],
    field: str,
    certificate: uuid.UUID,
    owners: dict[uuid.UUID, CertificateOwner],
    people: dict[uuid.UUID, bool],
) -> CertificateOwner | None:
    """Return the certificate's owner; refuse the line if no owner is known, or the holder was erased."""
    owner = owners.get(certificate)
    if owner is None:
        batch.refuse(staged, RefusalReason.UNRESOLVED, f"{field}: no certificate {certificate} is known.")
        return None
    if people.get(owner.learner_profile_id, True):
        batch.refuse(staged, RefusalReason.ERASED, resolving.ERASED)
    else:
        batch.refuse_after_erasure(staged, owner.learner_profile_id)
    return None if staged.number in batch.refused else owner
