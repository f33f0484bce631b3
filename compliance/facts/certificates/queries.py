"""Reads about certificates that are joined at read: names issued, check codes, and whom a code speaks of."""

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from compliance.facts.certificates.codes import read_code
from compliance.tenancy import sql


class FoundCertificate(NamedTuple):
    """The certificate that a check code opens."""

    organization_id: uuid.UUID
    certificate_id: uuid.UUID
    learner_profile_id: uuid.UUID
    check_code: str


def name_at(certificate: str, learner: str, moment: str) -> str:
    """SQL of the name that a certificate bears when it is issued at `moment`; null when none is known.

    The latest that was told by then: of the person, or by the corrections that led to the certificate, whose own word
    comes first. Before any was told, the first that was. Takes SQL of our own words, and %(organization)s.
    """
    return f"""(
    WITH RECURSIVE chain AS (
        SELECT c.supersedes_id, c.person_name, c.at FROM certificates_certificatecorrection c
        WHERE c.organization_id = (SELECT %(organization)s::uuid) AND c.certificate_id = {certificate}
        UNION
        SELECT c.supersedes_id, c.person_name, c.at FROM chain JOIN certificates_certificatecorrection c
            ON c.organization_id = (SELECT %(organization)s::uuid) AND c.certificate_id = chain.supersedes_id)
    SELECT told.person_name FROM (
        SELECT d.at, 0 AS rank, d.fact_id, d.person_name FROM people_personaldetail d
        WHERE d.organization_id = (SELECT %(organization)s::uuid) AND d.learner_profile_id = {learner}
        UNION ALL SELECT chain.at, 1, chain.supersedes_id, chain.person_name FROM chain) told
    WHERE told.person_name IS NOT NULL
    ORDER BY told.at > {moment}, CASE WHEN told.at <= {moment} THEN told.at END DESC,
        CASE WHEN told.at > {moment} THEN told.at END, told.rank DESC, told.fact_id DESC LIMIT 1)"""  # noqa: S608


def issued_name(certificate: str, learner: str, issued_at: str) -> str:
    """SQL of the name issued on a certificate: the one kept, else what is known for its issue. As `name_at`."""
    return f"""coalesce((
    SELECT k.person_name FROM certificates_issuedname k
    WHERE k.organization_id = (SELECT %(organization)s::uuid) AND k.certificate_id = {certificate}),
    {name_at(certificate, learner, issued_at)})"""  # noqa: S608


def name_on(
    *, organization_id: uuid.UUID, certificate_id: uuid.UUID, learner_profile_id: uuid.UUID, issued_at: datetime
) -> str | None:
    """Return the name issued on a certificate; null where none is known, or none any more."""
    ((name,),) = sql.fetch(
        "SELECT " + issued_name("%(certificate)s", "%(learner)s", "%(issued_at)s"),
        {
            "organization": organization_id,
            "certificate": certificate_id,
            "learner": learner_profile_id,
            "issued_at": issued_at,
        },
    )
    return name


def certificate_of_code(text: str) -> FoundCertificate | None:
    """Return what a code opens. Needs no company: a visitor has none (`database_functions`).

    One query, whether the text is a code, was one, or never could be: the time says nothing.
    """
    code = read_code(text) or ""
    rows = sql.fetch(
        "SELECT organization_id, certificate_id, learner_profile_id FROM certificate_of_code(%s::text)", [code]
    )
    return FoundCertificate._make((*rows[0], code)) if rows else None


def erased_profiles(organization_id: uuid.UUID, profile_ids: Iterable[uuid.UUID]) -> frozenset[uuid.UUID]:
    """Return those of `profile_ids` that were erased."""
    return frozenset(
        profile_id
        for (profile_id,) in sql.fetch(
            "SELECT learner_profile_id FROM people_erasure WHERE organization_id = %s AND learner_profile_id = ANY(%s)",
            [organization_id, list(set(profile_ids))],
        )
    )


HAPPENED = """
SELECT t.at, 'Certificate revoked', '' FROM certificates_certificaterevocation t
  WHERE t.organization_id = %(organization)s AND t.learner_profile_id = %(learner)s AND {course}
UNION ALL SELECT t.at, 'Certificate corrected', '' FROM certificates_certificatecorrection t
  WHERE t.organization_id = %(organization)s AND t.learner_profile_id = %(learner)s AND {course}
"""
"""SQL of what happened to certificates of %(learner)s of the courses that {course} says (see `facts.happenings`)."""

ABOUT = """
SELECT certificate_id FROM certificates_certificaterevocation
  WHERE organization_id = %(organization)s AND learner_profile_id = %(learner)s
"""
"""SQL of the identifiers under which the ledger keeps facts of this room about %(learner)s."""
