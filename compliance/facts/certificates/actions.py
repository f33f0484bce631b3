"""Writes of this room: check codes. What happens to certificates comes in as facts (recorders.py)."""

import uuid
from collections.abc import Collection

from compliance.facts.certificates.codes import new_code
from compliance.facts.certificates.queries import erased_profiles
from compliance.tenancy import sql


def provide_codes(*, organization_id: uuid.UUID, certificates: Collection[tuple[uuid.UUID, uuid.UUID]]) -> None:
    """Give each (certificate_id, learner_profile_id) that has no check code yet a fresh one.

    Called by the history's writer, in its transaction, for the certificates that it decides. An erased holder's
    certificate gets a row without a code, so that it never will have one.
    """
    erased = erased_profiles(organization_id, (profile_id for _, profile_id in certificates))
    sql.insert(
        "certificates_checkcode",
        {"organization_id": "uuid", "certificate_id": "uuid", "learner_profile_id": "uuid", "check_code": "text"},
        [
            (organization_id, certificate_id, profile_id, None if profile_id in erased else new_code())
            for certificate_id, profile_id in certificates
        ],
        ending="ON CONFLICT (organization_id, certificate_id) DO NOTHING",
    )
