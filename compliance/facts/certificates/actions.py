"""Writes of this room: check codes, revocations, corrections (facts, recorded by recorders.py)."""

import uuid
from collections.abc import Collection
from datetime import datetime

from compliance.facts.certificates.codes import new_code
from compliance.facts.certificates.queries import erased_profiles
from compliance.facts.lines import CertificateCorrected, CertificateRevoked
from compliance.facts.recording.acting import act
from compliance.tenancy import sql


def provide_codes(*, organization_id: uuid.UUID, certificates: Collection[tuple[uuid.UUID, uuid.UUID]]) -> None:
    """Give each (certificate_id, learner_profile_id) that has no check code yet a fresh one.

    Called by the history's writer, in its transaction, for the certificates that it decides. An erased holder's
    certificate gets a row without a code, so that it never will have one.
    """
    given = {
        row[0]
        for row in sql.fetch(
            "SELECT certificate_id FROM certificates_checkcode WHERE organization_id = %s AND certificate_id = ANY(%s)",
            [organization_id, [certificate_id for certificate_id, _ in certificates]],
        )
    }
    missing = [pair for pair in certificates if pair[0] not in given]
    if not missing:
        return
    profile_ids = list({profile_id for _, profile_id in missing})
    # An erasure of a holder waits for this, or this for it: no code is given to one who is being erased.
    sql.fetch(
        "SELECT 1 FROM people_profile WHERE organization_id = %s AND learner_profile_id = ANY(%s)"
        " ORDER BY id FOR SHARE",
        [organization_id, profile_ids],
    )
    erased = erased_profiles(organization_id, profile_ids)
    sql.insert(
        "certificates_checkcode",
        {"organization_id": "uuid", "certificate_id": "uuid", "learner_profile_id": "uuid", "check_code": "text"},
        [
            (organization_id, certificate_id, profile_id, None if profile_id in erased else new_code())
            for certificate_id, profile_id in missing
        ],
        ending="ON CONFLICT (organization_id, certificate_id) DO NOTHING",
    )


def revoke_certificate(
    *, organization_id: uuid.UUID, certificate_id: uuid.UUID, at: datetime, actor_id: uuid.UUID
) -> None:
    """Revoke a certificate. Raises the errors of `facts.errors`: unknown, or revoked before."""
    act(
        CertificateRevoked,
        organization_id=organization_id,
        at=at,
        now=at,
        actor_id=actor_id,
        certificate_id=certificate_id,
    )


def correct_certificate(
    *,
    organization_id: uuid.UUID,
    supersedes_id: uuid.UUID,
    at: datetime,
    actor_id: uuid.UUID,
    person_name: str | None = None,
    certificate_id: uuid.UUID | None = None,
) -> uuid.UUID:
    """Correct a certificate by a new one, and return the new one's id. Raises the errors of `facts.errors`."""
    return act(
        CertificateCorrected,
        organization_id=organization_id,
        at=at,
        now=at,
        actor_id=actor_id,
        certificate_id=certificate_id or uuid.uuid4(),
        supersedes_id=supersedes_id,
        person_name=person_name,
    ).certificate_id
