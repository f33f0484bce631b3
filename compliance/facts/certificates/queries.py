"""Reads about certificates that are joined at read: names issued, check codes, and whom a code speaks of."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from compliance.facts.certificates.codes import read_code
from compliance.tenancy import sql


class NamedCertificate(NamedTuple):
    """What must be known of a certificate to tell the name on it."""

    certificate_id: uuid.UUID
    learner_profile_id: uuid.UUID
    issued_at: datetime


class FoundCertificate(NamedTuple):
    """The certificate that a check code opens."""

    organization_id: uuid.UUID
    certificate_id: uuid.UUID
    learner_profile_id: uuid.UUID
    check_code: str


def issued_names(organization_id: uuid.UUID, certificates: Collection[NamedCertificate]) -> dict[uuid.UUID, str | None]:
    """Return the name issued on each certificate, by its id; null where none is known, or none any more.

    A correction's own name, or the one of the nearest correction before it, else the person's name as it was known at
    the issue, else the first that became known.
    """
    profiles = list({each.learner_profile_id for each in certificates})
    known: dict[uuid.UUID, list[tuple[datetime, str]]] = defaultdict(list)
    for profile_id, at, name in sql.fetch(
        "SELECT learner_profile_id, at, person_name FROM people_personaldetail"
        " WHERE organization_id = %s AND learner_profile_id = ANY(%s) AND person_name IS NOT NULL ORDER BY at, id",
        [organization_id, profiles],
    ):
        known[profile_id].append((at, name))
    corrections = {
        certificate_id: (supersedes_id, name)
        for certificate_id, supersedes_id, name in sql.fetch(
            "SELECT certificate_id, supersedes_id, person_name FROM certificates_certificatecorrection"
            " WHERE organization_id = %s AND learner_profile_id = ANY(%s)",
            [organization_id, profiles],
        )
    }
    return {
        each.certificate_id: _corrected(each.certificate_id, corrections)
        or _at(known[each.learner_profile_id], each.issued_at)
        for each in certificates
    }


def check_codes(organization_id: uuid.UUID, certificate_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
    """Return the check code of each certificate that has one; an erased holder's has none."""
    return dict(
        sql.fetch(
            "SELECT certificate_id, check_code FROM certificates_checkcode"
            " WHERE organization_id = %s AND certificate_id = ANY(%s) AND check_code IS NOT NULL",
            [organization_id, list(certificate_ids)],
        )
    )


def certificate_of_code(text: str) -> FoundCertificate | None:
    """Return what a code opens. Needs no company: a visitor has none.

    One query, whether the text is a code, was one, or never could be: the time says nothing.
    """
    rows = sql.fetch(
        "SELECT organization_id, certificate_id, learner_profile_id, check_code"
        " FROM certificates_checkcode WHERE check_code = %s",
        [read_code(text) or ""],
    )
    return FoundCertificate._make(rows[0]) if rows else None


def erased_profiles(organization_id: uuid.UUID, profile_ids: Iterable[uuid.UUID]) -> frozenset[uuid.UUID]:
    """Return those of `profile_ids` that were erased."""
    return frozenset(
        profile_id
        for (profile_id,) in sql.fetch(
            "SELECT learner_profile_id FROM people_erasure WHERE organization_id = %s AND learner_profile_id = ANY(%s)",
            [organization_id, list(set(profile_ids))],
        )
    )


def _corrected(certificate_id: uuid.UUID, corrections: dict[uuid.UUID, tuple[uuid.UUID, str | None]]) -> str | None:
    seen: set[uuid.UUID] = set()
    while certificate_id in corrections and certificate_id not in seen:
        seen.add(certificate_id)
        certificate_id, name = corrections[certificate_id]
        if name is not None:
            return name
    return None


def _at(known: list[tuple[datetime, str]], moment: datetime) -> str | None:
    before = [name for at, name in known if at <= moment]
    if before:
        return before[-1]
    return known[0][1] if known else None
