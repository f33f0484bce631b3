"""Writes of this room beside its facts (recorders.py): the names and check codes of certificates."""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from compliance.facts.certificates.codes import new_code
from compliance.facts.certificates.queries import erased_profiles, name_at
from compliance.tenancy import sql


class Issued(NamedTuple):
    """A certificate that the history records for the first time."""

    certificate_id: uuid.UUID
    learner_profile_id: uuid.UUID
    issued_at: datetime


_KEEP_NAMES = f"""
INSERT INTO certificates_issuedname (organization_id, certificate_id, learner_profile_id, person_name)
SELECT %(organization)s, n.certificate_id, n.learner_profile_id, n.person_name FROM (
    SELECT w.certificate_id, w.learner_profile_id,
        {name_at("w.certificate_id", "w.learner_profile_id", "w.issued_at")} AS person_name
    FROM unnest(%(certificates)s::uuid[], %(learners)s::uuid[], %(moments)s::timestamptz[])
        AS w (certificate_id, learner_profile_id, issued_at)) n
WHERE n.person_name IS NOT NULL
ON CONFLICT (organization_id, certificate_id) DO NOTHING
"""  # noqa: S608


def keep_issued(*, organization_id: uuid.UUID, certificates: Collection[Issued]) -> None:
    """Keep beside each certificate the name it is issued on, and give it a fresh check code; what is kept stays.

    Called by the history's writer, in its transaction, for the certificates that it records. An erased holder's
    certificate gets a row without a code, so that it never will have one, and no name.
    """
    given = {
        row[0]
        for row in sql.fetch(
            "SELECT certificate_id FROM certificates_checkcode WHERE organization_id = %s AND certificate_id = ANY(%s)",
            [organization_id, [each.certificate_id for each in certificates]],
        )
    }
    missing = [each for each in certificates if each.certificate_id not in given]
    if not missing:
        return
    profile_ids = list({each.learner_profile_id for each in missing})
    # An erasure of a holder waits for this, or this for it: neither code nor name is kept of one who is being erased.
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
            for certificate_id, profile_id, _ in missing
        ],
        ending="ON CONFLICT (organization_id, certificate_id) DO NOTHING",
    )
    certificate_ids, learners, moments = zip(*missing, strict=True)
    sql.execute(
        _KEEP_NAMES,
        {
            "organization": organization_id,
            "certificates": list(certificate_ids),
            "learners": list(learners),
            "moments": list(moments),
        },
    )
