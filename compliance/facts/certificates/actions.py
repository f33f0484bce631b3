"""Writes of this room beside its recorders: names, their commitments and the check codes of certificates."""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from compliance.facts.certificates.codes import new_code
from compliance.facts.certificates.naming import Names
from compliance.facts.people.identities import NO_IDENTITY
from compliance.facts.people.resolving import profiles
from compliance.facts.rows import append
from compliance.proofs.identity import identity_sha256, new_salt
from compliance.tenancy import arrays, sql

_KEPT = """
SELECT certificate_id, identity_sha256, person_name FROM certificates_issuedname
WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[])
"""
_CLEAR = """
UPDATE certificates_issuedname SET salt = NULL, person_name = NULL
WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[]) AND salt IS NOT NULL
"""


class _Named(NamedTuple):
    learner_profile_id: uuid.UUID
    identity_sha256: str
    salt: str
    person_name: str | None


class Issuing:
    """The certificates that one capture records: the names on them, and the commitments in their rows.

    `load` reads what is known of their holders before anything is decided; `keep` stores what is new.
    """

    def __init__(self, organization_id: uuid.UUID) -> None:
        self._organization_id = organization_id
        self._names = Names()
        self._erased: dict[uuid.UUID, bool] = {}
        self._identities: dict[uuid.UUID, str] = {}
        self._kept_names: dict[uuid.UUID, str | None] = {}
        self._named: dict[uuid.UUID, _Named] = {}
        self._begun: dict[uuid.UUID, uuid.UUID] = {}

    def load(self, learner_profile_ids: Collection[uuid.UUID]) -> None:
        """Read what is known of people who may hold certificates. Four statements."""
        wanted = [profile_id for profile_id in learner_profile_ids if profile_id not in self._erased]
        if not wanted:
            return
        self._erased |= dict.fromkeys(wanted, False) | profiles(self._organization_id, wanted)
        self._names.load(self._organization_id, wanted)
        kept = sql.fetch(_KEPT, [self._organization_id, arrays.uuids(wanted)])
        for certificate_id, identity, person_name in kept:
            self._kept_names[certificate_id] = person_name
            if identity is not None:
                self._identities[certificate_id] = identity.hex()

    def begin(self, certificate_id: uuid.UUID, learner_profile_id: uuid.UUID, issued_at: datetime) -> str:
        """Return the commitment of a certificate that the history records for the first time. It gets a check code."""
        self._begun[certificate_id] = learner_profile_id
        return self.identity(certificate_id, learner_profile_id, issued_at)

    def identity(self, certificate_id: uuid.UUID, learner_profile_id: uuid.UUID, issued_at: datetime) -> str:
        """Return the commitment to the name on a certificate, which never changes once made.

        `NO_IDENTITY` if it has none yet and its holder is erased.
        """
        settled = self._identities.get(certificate_id)
        if settled is None:
            if self._erased[learner_profile_id]:
                return NO_IDENTITY
            person_name = self._kept_names.get(certificate_id) or self._names.at(
                certificate_id, learner_profile_id, issued_at
            )
            salt = new_salt()
            settled = self._identities[certificate_id] = identity_sha256(salt, person_name, None)
            self._named[certificate_id] = _Named(learner_profile_id, settled, salt, person_name)
        return settled

    def profiles(self) -> set[uuid.UUID]:
        """Return the holders for whom `keep` stores anything: the caller locks them first."""
        return {*self._begun.values(), *(named.learner_profile_id for named in self._named.values())}

    def keep(self, erased: Collection[uuid.UUID]) -> None:
        """Store names, salts and commitments that are new, and give each certificate that began a fresh check code.

        For an `erased` holder neither name, salt nor code is kept: a row without a code states that there never will be
        one.
        """
        gone = [profile_id for profile_id, is_erased in self._erased.items() if is_erased]
        if gone:  # written by an older release, without commitments, that runs beside this one
            sql.execute(_CLEAR, [self._organization_id, arrays.uuids(gone)])
        append(
            "certificates_checkcode",
            self._organization_id,
            {"certificate_id": "uuid", "learner_profile_id": "uuid", "check_code": "text"},
            [
                (certificate_id, profile_id, None if profile_id in erased else new_code())
                for certificate_id, profile_id in self._begun.items()
            ],
            ending="ON CONFLICT (organization_id, certificate_id) DO NOTHING",
        )
        rows = []
        for certificate_id, (profile_id, identity, salt, person_name) in self._named.items():
            secrets = (None, None) if profile_id in erased else (bytes.fromhex(salt), person_name)
            rows.append((certificate_id, profile_id, bytes.fromhex(identity), *secrets))
        append(
            "certificates_issuedname",
            self._organization_id,
            {"certificate_id": "uuid", "learner_profile_id": "uuid", "identity_sha256": "bytea", "salt": "bytea",
             "person_name": "text"},
            rows,
            ending="ON CONFLICT (organization_id, certificate_id) DO UPDATE"
            " SET identity_sha256 = EXCLUDED.identity_sha256, salt = EXCLUDED.salt, person_name = EXCLUDED.person_name"
            " WHERE certificates_issuedname.identity_sha256 IS NULL",
        )  # fmt: skip
