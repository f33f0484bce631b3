"""Whom the rows of one capture are about: commitments of people, invitations and certificates, and what lies behind.

A row of the history holds the commitment alone (`svc.identity/1`); salts and names stand in tables that erasure clears.
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
    """The commitments that one capture uses, and what is new of them."""

    def __init__(self, organization_id: uuid.UUID, until: datetime) -> None:
        """What takes effect after `until` is left out, as a capture leaves out all that does."""
        self._organization_id = organization_id
        self.people = PeopleIdentities(organization_id, until)
        self.certificates = Issuing(organization_id)

    def keep(self, capture_sequence: int) -> None:
        """Store what is new, in the transaction of the capture.

        An erasure waits for this, or this for it: nothing is kept of whoever is being erased.
        """
        wanted = self.people.profiles() | self.certificates.profiles()
        found = resolving.profiles(self._organization_id, wanted, resolving.WRITING)
        erased = {profile_id for profile_id, is_erased in found.items() if is_erased}
        self.people.keep(capture_sequence, erased)
        self.certificates.keep(erased)


def behind(organization_id: uuid.UUID, identities: Collection[str]) -> dict[str, Behind]:
    """Return what lies behind the commitments (hexadecimal) of rows, in the company's context; one statement.

    Those of the erased are left out, and what is no commitment of the company. Of a certificate there is no address.
    """
    asked = {"organization": organization_id, "identities": arrays.digests(list(identities))}
    return _opened(f"{people.BEHIND} UNION ALL {certificates.BEHIND}", asked)


def _opened(statement: str, asked: dict[str, Any]) -> dict[str, Behind]:
    found = reading.fetch(statement, asked)
    return {identity: opened for identity, (_, opened) in people.opened(found).items() if opened is not None}


def identity_behind(organization_id: uuid.UUID, identity_sha256: str) -> Behind | None:
    """Return what lies behind the commitment (hexadecimal) of a row, in the company's context.

    None once the person is erased, and of what is no commitment of the company. Of a certificate there is no address.
    """
    asked = {"organization": organization_id, "identity": bytes.fromhex(identity_sha256)}
    return _opened(f"{people.BEHIND_ONE} UNION ALL {certificates.BEHIND_ONE}", asked).get(identity_sha256)
