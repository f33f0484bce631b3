"""The commitments of people, invitations and certificates in the rows of one capture, and what lies behind them.

A row of the history holds only the commitment (`svc.identity/1`); salts and names are in tables that erasure clears.
"""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import Any

from compliance.facts.certificates import queries as certificates
from compliance.facts.certificates.actions import Issuing
from compliance.facts.people import identities as people
from compliance.facts.people import resolving
from compliance.facts.people.identities import Behind, PeopleIdentities
from compliance.tenancy import arrays, reading


class Identities:
    """The commitments that one capture uses, and those of them that are new."""

    def __init__(self, organization_id: uuid.UUID, until: datetime) -> None:
        """Leave out what takes effect after `until`, as a capture does."""
        self._organization_id = organization_id
        self.people = PeopleIdentities(organization_id, until)
        self.certificates = Issuing(organization_id)

    def keep(self, capture_sequence: int) -> None:
        """Store the new commitments, in the transaction of the capture.

        This and an erasure wait for each other, so nothing is kept about a person who is being erased.
        """
        wanted = self.people.profiles() | self.certificates.profiles()
        found = resolving.profiles(self._organization_id, wanted, resolving.WRITING)
        erased = {profile_id for profile_id, is_erased in found.items() if is_erased}
        self.people.keep(capture_sequence, erased)
        self.certificates.keep(erased)


def behind(organization_id: uuid.UUID, identities: Collection[str]) -> dict[str, Behind]:
    """Return what lies behind the commitments (hexadecimal) of rows, in the company's context; one statement.

    Commitments of erased people, and what is no commitment of the company, are left out. A certificate has no address.
    """
    asked = {"organization": organization_id, "identities": arrays.digests(list(identities))}
    return _opened(f"{people.BEHIND} UNION ALL {certificates.BEHIND}", asked)


def _opened(statement: str, asked: dict[str, Any]) -> dict[str, Behind]:
    found = reading.fetch(statement, asked)
    return {identity: opened for identity, (_, opened) in people.opened(found).items() if opened is not None}


def identity_behind(organization_id: uuid.UUID, identity_sha256: str) -> Behind | None:
    """Return what lies behind the commitment (hexadecimal) of a row, in the company's context.

    None once the person is erased, or if the company has no such commitment. A certificate has no address.
    """
    asked = {"organization": organization_id, "identity": bytes.fromhex(identity_sha256)}
    return _opened(f"{people.BEHIND_ONE} UNION ALL {certificates.BEHIND_ONE}", asked).get(identity_sha256)
