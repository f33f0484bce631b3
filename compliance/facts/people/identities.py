"""The commitments in rows of people: one for each person and invitation, to their displayed name and address.

A capture requests the commitments of the people whose rows it decides. While name and address stay the same, salt and
commitment do too; otherwise they get a fresh salt. What lies behind each commitment is kept until erasure clears it,
for every past version.
"""

import secrets
import uuid
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from compliance.facts.rows import append
from compliance.proofs.identity import SALT_BYTES, identity_sha256
from compliance.rules.company_days import LAST_INSTANT
from compliance.tenancy import arrays, sql

NO_IDENTITY = ""
"""Used instead of a commitment for people who are erased."""


class Behind(NamedTuple):
    """What lies behind a commitment: `salt` in hexadecimal, and the displayed name and address."""

    salt: str
    person_name: str | None
    work_email: str | None


class _New(NamedTuple):
    identity_sha256: str
    behind: Behind
    learner_profile_id: uuid.UUID | None


# What a profile displays at `until`: if facts about it take effect later, the latest details before that.
_PROFILE = """
    CASE WHEN a.ahead THEN a.person_name ELSE p.person_name END AS person_name,
    CASE WHEN a.ahead THEN a.work_email ELSE p.work_email END AS work_email
FROM people_profile p LEFT JOIN LATERAL (
    SELECT true AS ahead, d.* FROM (
        SELECT FROM people_personaldetail d WHERE d.organization_id = (SELECT %(organization)s::uuid)
            AND d.learner_profile_id = p.learner_profile_id AND d.at > %(until)s LIMIT 1) later
    CROSS JOIN LATERAL (SELECT
        (array_agg(person_name ORDER BY at DESC, fact_id DESC)
            FILTER (WHERE person_name IS NOT NULL))[1] AS person_name,
        (array_agg(work_email ORDER BY at DESC, fact_id DESC)
            FILTER (WHERE work_email IS NOT NULL))[1] AS work_email
        FROM people_personaldetail d WHERE d.organization_id = (SELECT %(organization)s::uuid)
            AND d.learner_profile_id = p.learner_profile_id AND d.at <= %(until)s) d) a ON true
WHERE p.organization_id = (SELECT %(organization)s::uuid)"""
_PEOPLE = f"""
SELECT p.id, p.learner_profile_id AS subject_id, p.learner_profile_id, p.erased_at, {_PROFILE}"""
# The name of the person who joined by the invitation, and the address to which it was sent (registers/people.py).
_INVITATIONS = f"""
SELECT i.id, i.invitation_id AS subject_id, e.learner_profile_id,
    CASE WHEN e.learner_profile_id IS NULL THEN i.erased_at ELSE p.erased_at END AS erased_at,
    coalesce(nullif(p.person_name, ''), i.person_name) AS person_name,
    coalesce(nullif(i.work_email, ''), p.work_email) AS work_email
FROM people_invitation i
LEFT JOIN LATERAL (SELECT learner_profile_id FROM people_employment e
    WHERE e.organization_id = (SELECT %(organization)s::uuid) AND e.invitation_id = i.invitation_id
      AND e.joined_at <= %(until)s LIMIT 1) e ON true
LEFT JOIN LATERAL (SELECT p.erased_at, {_PROFILE} AND p.learner_profile_id = e.learner_profile_id LIMIT 1) p ON true
WHERE i.organization_id = (SELECT %(organization)s::uuid)"""  # noqa: S608
"""Profiles and invitations of the company, with their displayed name and address as of `until`."""

_ALL = (_PEOPLE, _INVITATIONS)
_THESE_PEOPLE = f"{_PEOPLE} AND p.learner_profile_id = ANY(%(subjects)s::uuid[])"
_THESE_INVITATIONS = f"{_INVITATIONS} AND i.invitation_id = ANY(%(subjects)s::uuid[])"

_LATEST = """LATERAL (
    SELECT k.identity_sha256, k.salt IS NOT NULL AND k.person_name IS NOT DISTINCT FROM s.person_name
        AND k.work_email IS NOT DISTINCT FROM s.work_email AS holds
    FROM people_identity k WHERE k.organization_id = (SELECT %(organization)s::uuid) AND k.subject_id = s.subject_id
    ORDER BY k.capture_sequence DESC LIMIT 1) k"""
_SETTLED = f"""
SELECT s.subject_id, s.learner_profile_id, s.erased_at, s.person_name, s.work_email, k.identity_sha256, k.holds
FROM ({{displayed}}) s LEFT JOIN {_LATEST} ON true ORDER BY s.id
"""  # noqa: S608
_DIFFER = f"""
SELECT s.subject_id, s.learner_profile_id FROM ({{displayed}}) s CROSS JOIN {_LATEST}
WHERE s.erased_at IS NULL AND NOT k.holds ORDER BY s.id
"""  # noqa: S608
_CLEARED = f"SELECT s.subject_id FROM ({_THESE_INVITATIONS}) s WHERE s.erased_at IS NOT NULL"  # noqa: S608
_LOCK_INVITATIONS = """
SELECT 1 FROM people_invitation
WHERE organization_id = (SELECT %s::uuid) AND invitation_id = ANY(%s::uuid[]) ORDER BY id FOR SHARE
"""


class PeopleIdentities:
    """The commitments that one capture uses; `keep` stores what lies behind the new ones."""

    def __init__(self, organization_id: uuid.UUID, until: datetime) -> None:
        """Leave out what takes effect after `until`, as a capture does."""
        self._organization_id = organization_id
        self._until = until
        self._new: dict[uuid.UUID, _New] = {}
        self._erased: list[uuid.UUID] = []

    def of_people(self, learner_profile_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
        """Return the commitment of each of those profiles, in one statement; `NO_IDENTITY` for erased ones."""
        return self._settle(_THESE_PEOPLE, learner_profile_ids)

    def of_invitations(self, invitation_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
        """Return the commitment of each of those invitations, as `of_people` does."""
        return self._settle(_THESE_INVITATIONS, invitation_ids)

    def _settle(self, displayed: str, subject_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
        found = sql.fetch(_SETTLED.format(displayed=displayed), self._asked(subject_ids))
        salts = secrets.token_bytes(SALT_BYTES * len(found)).hex()
        settled = {}
        for number, (subject_id, profile_id, erased_at, person_name, work_email, latest, holds) in enumerate(found):
            if erased_at is not None and latest is not None:
                self._erased.append(subject_id)
            if erased_at is not None and (latest is None or erased_at <= self._until):
                settled[subject_id] = NO_IDENTITY
            elif holds or erased_at is not None:  # names are cleared as soon as an erasure is recorded
                settled[subject_id] = latest.hex()
            else:
                salt = salts[2 * SALT_BYTES * number : 2 * SALT_BYTES * (number + 1)]
                identity = settled[subject_id] = identity_sha256(salt, person_name, work_email)
                self._new[subject_id] = _New(identity, Behind(salt, person_name, work_email), profile_id)
        return settled

    def _asked(self, subject_ids: Collection[uuid.UUID]) -> dict[str, Any]:
        subjects = arrays.uuids(list(subject_ids))
        return {"organization": self._organization_id, "until": self._until, "subjects": subjects}

    def profiles(self) -> set[uuid.UUID]:
        """Return the profiles whose names `keep` will store: the caller locks them first."""
        return {new.learner_profile_id for new in self._new.values() if new.learner_profile_id is not None}

    def keep(self, capture_sequence: int, erased: Collection[uuid.UUID]) -> None:
        """Store what lies behind the commitments that are new in this capture.

        For profiles that are `erased` by now, and for erased invitations, nothing is stored behind the commitment.
        """
        if self._erased:  # written by an older release, without commitments, that runs beside this one
            clear(self._organization_id, self._erased)
        gone = self._cleared_invitations()
        rows = []
        for subject_id, (identity, behind, profile_id) in self._new.items():
            cleared = subject_id in gone or profile_id in erased
            salt = None if cleared else bytes.fromhex(behind.salt)
            personal = (None, None) if cleared else (behind.person_name, behind.work_email)
            rows.append((subject_id, bytes.fromhex(identity), salt, *personal))
        append(
            "people_identity",
            self._organization_id,
            {"subject_id": "uuid", "identity_sha256": "bytea", "salt": "bytea", "person_name": "text",
             "work_email": "text"},
            rows,
            constants={"capture_sequence": ("bigint", capture_sequence)},
        )  # fmt: skip

    def _cleared_invitations(self) -> set[uuid.UUID]:
        """Return those invitations that were erased before this capture; a later erasure waits for the capture."""
        invitations = [subject_id for subject_id, new in self._new.items() if subject_id != new.learner_profile_id]
        if not invitations:
            return set()
        sql.fetch(_LOCK_INVITATIONS, [self._organization_id, arrays.uuids(invitations)])
        return {subject_id for (subject_id,) in sql.fetch(_CLEARED, self._asked(invitations))}


_KEPT = """SELECT identity_sha256, subject_id, salt, person_name, work_email FROM people_identity
    WHERE organization_id = (SELECT %(organization)s::uuid) AND identity_sha256"""
BEHIND = f"{_KEPT} = ANY(%(identities)s::bytea[])"
"""SQL of the given commitments, each with its profile or invitation, and what lies behind it."""


def one_of(kept: str) -> str:
    """The same for one commitment, `identity`, for use in a request; `kept` ends before the comparison.

    It selects the first commitment that is not smaller: without sorting (`tenancy.reading`), only the index of company
    and commitment can find it. With equality, a planner with wrong statistics could read the whole company by another
    index.
    """
    return f"""SELECT k.* FROM ({kept} >= %(identity)s::bytea ORDER BY identity_sha256 LIMIT 1) k
    WHERE k.identity_sha256 = %(identity)s::bytea"""  # noqa: S608 - SQL of our own


BEHIND_ONE = one_of(_KEPT)


def behind(organization_id: uuid.UUID, identities: Iterable[str]) -> dict[str, tuple[uuid.UUID, Behind | None]]:
    """Return the profile or invitation of each commitment ever made, and what lies behind it: None once erased.

    One statement.
    """
    asked = {"organization": organization_id, "identities": arrays.digests(list(identities))}
    return opened(sql.fetch(BEHIND, asked))


def opened(rows: Iterable[sql.Row]) -> dict[str, tuple[uuid.UUID, Behind | None]]:
    """Return the rows of `BEHIND`, or of another room's statement of that form, as `behind` does."""
    return {
        identity.hex(): (subject_id, None if salt is None else Behind(salt.hex(), person_name, work_email))
        for identity, subject_id, salt, person_name, work_email in rows
    }


class Displayed(NamedTuple):
    """A profile or an invitation whose displayed name or address differs from its last commitment."""

    subject_id: uuid.UUID
    learner_profile_id: uuid.UUID | None


def differing(organization_id: uuid.UUID) -> list[Displayed]:
    """Return those whose displayed name or address differs from their last commitment; without one they are left out.

    Either no capture has processed the fact that changed it yet, or somebody has altered stored data.
    """
    asked = {"organization": organization_id, "until": LAST_INSTANT}
    return [Displayed._make(row) for displayed in _ALL for row in sql.fetch(_DIFFER.format(displayed=displayed), asked)]


def clear(organization_id: uuid.UUID, subject_ids: Collection[uuid.UUID]) -> None:
    """Clear what lies behind the commitments of erased profiles and invitations."""
    sql.execute(
        "UPDATE people_identity SET salt = NULL, person_name = NULL, work_email = NULL"
        " WHERE organization_id = (SELECT %s::uuid) AND subject_id = ANY(%s::uuid[]) AND salt IS NOT NULL",
        [organization_id, arrays.uuids(list(subject_ids))],
    )
