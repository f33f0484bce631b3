"""Finds the owner of a certificate by its id. Certificates are decided, not stored, and their ids are derived.

A `certificate_id` is a UUIDv5 of the completion receipt that earned it (or of the identifier used after full attendance
of a live session); a correction's id is its fact's own. So an id is looked up among the corrections, then, if it is a
UUIDv5, among the completions of the person whom its check code names, then, if the history has not recorded it yet,
among all completions.
"""

import uuid
from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple

from compliance.facts.training import queries as training
from compliance.rules.owed_learning.identity import attendance_receipt_id, certificate_id
from compliance.tenancy import sql


class CertificateOwner(NamedTuple):
    """The owner of a certificate, and its course."""

    learner_profile_id: uuid.UUID
    course_id: uuid.UUID


def certificate_owners(
    organization_id: uuid.UUID, certificate_ids: Collection[uuid.UUID]
) -> dict[uuid.UUID, CertificateOwner]:
    """Return the owner of each of `certificate_ids` that a completion or a correction of this company made."""
    wanted = set(certificate_ids)
    found = {
        row[0]: CertificateOwner(row[1], row[2])
        for row in sql.fetch(
            "SELECT certificate_id, learner_profile_id, course_id FROM certificates_certificatecorrection"
            " WHERE organization_id = %s AND certificate_id = ANY(%s)",
            [organization_id, list(wanted)],
        )
    }
    missing = {each for each in wanted - found.keys() if each.version == 5}
    if missing:
        holders = [
            row[0]
            for row in sql.fetch(
                "SELECT DISTINCT learner_profile_id FROM certificates_checkcode"
                " WHERE organization_id = %s AND certificate_id = ANY(%s)",
                [organization_id, list(missing)],
            )
        ]
        for people in (holders, None):
            if missing and people != []:
                for each, owner in _derived(organization_id, people):
                    if each in missing:
                        found[each] = owner
                        missing.discard(each)
    return found


def _derived(
    organization_id: uuid.UUID, profile_ids: list[uuid.UUID] | None
) -> Iterator[tuple[uuid.UUID, CertificateOwner]]:
    """Yield the id of each certificate that completions and full attendance could have earned; None: of everybody."""
    for receipt_id, profile_id, course_id in training.completed(organization_id, profile_ids):
        yield certificate_id(organization_id, receipt_id), CertificateOwner(profile_id, course_id)
    occasions: Counter[tuple[uuid.UUID, uuid.UUID]] = Counter()
    for session_id, profile_id, course_id in training.attended_in_full(organization_id, profile_ids):
        occasions[session_id, profile_id] += 1
        receipt_id = attendance_receipt_id(organization_id, session_id, profile_id, occasions[session_id, profile_id])
        yield certificate_id(organization_id, receipt_id), CertificateOwner(profile_id, course_id)
