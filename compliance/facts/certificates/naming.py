"""The name on a certificate: the latest that was recorded for its holder by the moment of its issue.

The name that a correction states takes precedence, along the chain of corrections that led to a certificate. A
certificate issued before any name was recorded has the first name that was.
"""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from compliance.facts.people.queries import RecordedName, recorded_names
from compliance.tenancy import arrays, sql

_CORRECTIONS = """
SELECT certificate_id, supersedes_id, person_name, at FROM certificates_certificatecorrection
WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[])
"""


class _Correction(NamedTuple):
    supersedes_id: uuid.UUID
    person_name: str | None
    at: datetime


class Names:
    """All names recorded for some people, and by corrections of their certificates."""

    def __init__(self) -> None:
        self._recorded: dict[uuid.UUID, list[RecordedName]] = {}
        self._corrections: dict[uuid.UUID, _Correction] = {}

    def load(self, organization_id: uuid.UUID, learner_profile_ids: Collection[uuid.UUID]) -> None:
        """Also read what was recorded for these people. Two statements."""
        wanted = [profile_id for profile_id in learner_profile_ids if profile_id not in self._recorded]
        if not wanted:
            return
        self._recorded |= recorded_names(organization_id, wanted)
        for certificate_id, *correction in sql.fetch(_CORRECTIONS, [organization_id, arrays.uuids(wanted)]):
            self._corrections[certificate_id] = _Correction(*correction)

    def at(self, certificate_id: uuid.UUID, learner_profile_id: uuid.UUID, moment: datetime) -> str | None:
        """Return the name on a certificate that is issued at `moment`; None if no name is known."""
        names = [(each.at, 0, each.fact_id, each.person_name) for each in self._recorded[learner_profile_id]]
        seen: set[uuid.UUID] = set()
        while (correction := self._corrections.get(certificate_id)) is not None and certificate_id not in seen:
            seen.add(certificate_id)
            if correction.person_name is not None:
                names.append((correction.at, 1, correction.supersedes_id, correction.person_name))
            certificate_id = correction.supersedes_id
        by_then = [each for each in names if each[0] <= moment]
        if not by_then and names:
            first = min(each[0] for each in names)
            by_then = [each for each in names if each[0] == first]
        return max(by_then)[3] if by_then else None


class NamedCertificate(NamedTuple):
    """A certificate whose name is requested."""

    certificate_id: uuid.UUID
    learner_profile_id: uuid.UUID
    issued_at: datetime


def name_kept(certificate: str) -> str:
    """SQL, for a lateral join, of the `person_name` kept with a certificate. `certificate` must be SQL of our own."""
    return f"""(SELECT person_name FROM certificates_issuedname
    WHERE organization_id = (SELECT %(organization)s::uuid) AND certificate_id = {certificate} LIMIT 1)"""  # noqa: S608


def name_on(organization_id: uuid.UUID, certificate: NamedCertificate) -> str | None:
    """Return the name on a certificate: the one kept when it was recorded, else the one known for its issue.

    None if no name is known, or it was erased.
    """
    asked = {"organization": organization_id, "certificate": certificate.certificate_id}
    kept = sql.fetch(f"SELECT * FROM {name_kept('%(certificate)s')} n", asked)  # noqa: S608
    if kept and kept[0][0] is not None:
        return str(kept[0][0])
    names = Names()
    names.load(organization_id, [certificate.learner_profile_id])
    return names.at(*certificate)
