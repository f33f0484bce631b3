"""Records `certificate_revoked` and `certificate_corrected` (design 3 and 4, Certificates).

Whether the certificate was earned at all is for the judge of training facts, which knows the rules; here it is only
found out whose it would be.
"""

import uuid
from typing import TypeVar

from compliance.facts.certificates.resolving import CertificateOwner, certificate_owners
from compliance.facts.lines import CertificateCorrected, CertificateRevoked
from compliance.facts.pending.models import SubjectKind
from compliance.facts.people import resolving
from compliance.facts.recording.batch import Batch, Staged, Why
from compliance.facts.recording.rows import append, lookup

_Line = TypeVar("_Line", CertificateCorrected, CertificateRevoked)


def record_certificate_revoked(batch: Batch[CertificateRevoked]) -> None:
    """Keep who revoked which certificate, and when; once for each certificate."""
    ids = [staged.line.certificate_id for staged in batch.lines]
    owners = certificate_owners(batch.organization_id, ids)
    people = resolving.profiles(
        batch.organization_id, {owner.learner_profile_id for owner in owners.values()}, resolving.WRITING
    )
    revoked = set(
        lookup(
            "SELECT certificate_id, at FROM certificates_certificaterevocation"
            " WHERE organization_id = %s AND certificate_id = ANY(%s)",
            batch.organization_id,
            ids,
        )
    )
    rows = []
    for staged in batch.standing():
        line = staged.line
        owner = _owner(batch, staged, "certificate_id", line.certificate_id, owners, people)
        if owner is None:
            continue
        if line.certificate_id in revoked:
            batch.refuse(staged, Why.EXISTS, f"certificate_id: certificate {line.certificate_id} was revoked before.")
            continue
        revoked.add(line.certificate_id)
        rows.append((line.fact_id, line.certificate_id, *owner, line.at, line.actor_id))
        batch.subject(SubjectKind.PERSON_COURSE, *owner)
    append(
        "certificates_certificaterevocation",
        batch.organization_id,
        {
            "fact_id": "uuid",
            "certificate_id": "uuid",
            "learner_profile_id": "uuid",
            "course_id": "uuid",
            "at": "timestamptz",
            "actor_id": "uuid",
        },
        rows,
    )


def record_certificate_corrected(batch: Batch[CertificateCorrected]) -> None:
    """Keep which new certificate took the place of which earlier one, with the corrected name; once for each."""
    new_ids = [staged.line.certificate_id for staged in batch.lines]
    superseded_ids = [staged.line.supersedes_id for staged in batch.lines]
    owners = certificate_owners(batch.organization_id, {*new_ids, *superseded_ids})
    people = resolving.profiles(
        batch.organization_id, {owner.learner_profile_id for owner in owners.values()}, resolving.WRITING
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
    rows = []
    for staged in batch.standing():
        line = staged.line
        if line.certificate_id in owners or line.certificate_id == line.supersedes_id:
            batch.refuse(staged, Why.EXISTS, f"certificate_id: a certificate {line.certificate_id} stands already.")
            continue
        owner = _owner(batch, staged, "supersedes_id", line.supersedes_id, owners, people)
        if owner is None:
            continue
        if line.supersedes_id in corrected:
            reason = f"supersedes_id: certificate {line.supersedes_id} was corrected before; correct the newest one."
            batch.refuse(staged, Why.EXISTS, reason)
            continue
        if line.supersedes_id in revoked and revoked[line.supersedes_id] < line.at:
            reason = f"supersedes_id: certificate {line.supersedes_id} was revoked; the revoked is not corrected."
            batch.refuse(staged, Why.RULE, reason)
            continue
        corrected.add(line.supersedes_id)
        owners[line.certificate_id] = owner
        rows.append((line.certificate_id, line.supersedes_id, *owner, line.at, line.actor_id, line.person_name))
        batch.subject(SubjectKind.PERSON_COURSE, *owner)
    append(
        "certificates_certificatecorrection",
        batch.organization_id,
        {
            "certificate_id": "uuid",
            "supersedes_id": "uuid",
            "learner_profile_id": "uuid",
            "course_id": "uuid",
            "at": "timestamptz",
            "actor_id": "uuid",
            "person_name": "text",
        },
        rows,
    )


def _owner(
    batch: Batch[_Line],
    staged: Staged[_Line],
    field: str,
    certificate: uuid.UUID,
    owners: dict[uuid.UUID, CertificateOwner],
    people: dict[uuid.UUID, bool],
) -> CertificateOwner | None:
    """Return whose certificate it is; refuse the line when nobody's is known, or the holder was erased."""
    owner = owners.get(certificate)
    if owner is None:
        batch.refuse(staged, Why.UNRESOLVED, f"{field}: no certificate {certificate} is known.")
        return None
    if people.get(owner.learner_profile_id, True):
        batch.refuse(staged, Why.ERASED, resolving.ERASED)
        return None
    return owner
