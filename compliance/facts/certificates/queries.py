"""Reads about certificates for rows that are being read: check codes, their certificates, and commitments."""

import uuid
from collections.abc import Iterable
from typing import NamedTuple

from compliance.facts.certificates.codes import read_code
from compliance.facts.certificates.models import CheckCode
from compliance.facts.people.identities import Behind, one_of, opened
from compliance.facts.people.resolving import profiles
from compliance.tenancy import arrays, lost, nodes, sql


class FoundCertificate(NamedTuple):
    """The certificate that a check code opens."""

    organization_id: uuid.UUID
    certificate_id: uuid.UUID
    learner_profile_id: uuid.UUID
    check_code: str


def certificate_of_code(text: str) -> FoundCertificate | None:
    """Return what a code opens. Needs no company, because a visitor has none (`database_functions`).

    Always one query (on a cluster one for each node), whether the text is a code, was one, or cannot be one, so that
    the response time reveals nothing. Raises Django's OperationalError while a node that may have the certificate is
    unavailable.
    """
    code = read_code(text) or ""
    away: set[uuid.UUID] = set()
    rows = nodes.fetch(
        "SELECT organization_id, certificate_id, learner_profile_id"
        " FROM certificate_of_code(%(code)s::text, %(companies)s::uuid[])",
        {"code": code},
        away=away,
    )
    if not rows and away:
        raise lost.node_away()
    return FoundCertificate._make((*rows[0], code)) if rows else None


_KEPT = """SELECT identity_sha256, certificate_id, salt, person_name, NULL AS work_email FROM certificates_issuedname
    WHERE organization_id = (SELECT %(organization)s::uuid) AND identity_sha256"""
BEHIND = f"{_KEPT} = ANY(%(identities)s::bytea[])"
"""SQL of the given commitments, each with its certificate and what lies behind it; there is no address."""
BEHIND_ONE = one_of(_KEPT)
"""The same SQL for one commitment, `identity`, for use in a request."""


def code_kept(certificate: str) -> str:
    """SQL, for a lateral join, of the `check_code` of the certificate of the column; null once erased."""
    return f"""(SELECT check_code FROM certificates_checkcode
    WHERE organization_id = (SELECT %(organization)s::uuid) AND certificate_id = {certificate} LIMIT 1)"""  # noqa: S608


def check_code_of(organization_id: uuid.UUID, certificate_id: uuid.UUID) -> str | None:
    """Return the certificate's check code; None if it has none or its holder was erased. In the company's context."""
    found = CheckCode.objects.filter(organization_id=organization_id, certificate_id=certificate_id)
    return found.values_list("check_code", flat=True).first()


def behind(organization_id: uuid.UUID, identities: Iterable[str]) -> dict[str, tuple[uuid.UUID, Behind | None]]:
    """Return the certificate of each commitment ever made, and what lies behind it: None once the holder is erased.

    One statement.
    """
    asked = {"organization": organization_id, "identities": arrays.digests(list(identities))}
    return opened(sql.fetch(BEHIND, asked))


def incompletely_kept(organization_id: uuid.UUID) -> list[uuid.UUID]:
    """Return the certificates of which less is kept than their rows commit to, though their holders are not erased.

    This includes a name without its commitment. No erasure leaves either.
    """
    found = sql.fetch(
        "SELECT certificate_id, learner_profile_id, person_name IS NOT NULL FROM certificates_issuedname"
        " WHERE organization_id = %s AND identity_sha256 IS NOT NULL AND salt IS NULL ORDER BY id",
        [organization_id],
    )
    erased = profiles(organization_id, {profile_id for _, profile_id, _ in found})
    return [certificate_id for certificate_id, profile_id, named in found if named or not erased.get(profile_id, True)]


HAPPENED = """
SELECT t.at, 'revocation', jsonb_build_object(), t.course_id FROM certificates_certificaterevocation t
  WHERE t.organization_id = %(organization)s AND t.learner_profile_id = %(learner)s AND {course}
UNION ALL SELECT t.at, 'correction', jsonb_build_object(), t.course_id
  FROM certificates_certificatecorrection t
  WHERE t.organization_id = %(organization)s AND t.learner_profile_id = %(learner)s AND {course}
"""
"""SQL of what happened to certificates of %(learner)s of the courses that {course} selects (see `facts.happenings`)."""

ABOUT = """
SELECT certificate_id FROM certificates_certificaterevocation
  WHERE organization_id = %(organization)s AND learner_profile_id = %(learner)s
"""
"""SQL of the identifiers under which the ledger keeps facts of this room about %(learner)s."""


def code_of(organization_id: uuid.UUID, certificate_id: uuid.UUID) -> FoundCertificate | None:
    """The certificate's holder and check code; None if the company has no such certificate or the holder is erased."""
    rows = sql.fetch(
        "SELECT learner_profile_id, check_code FROM certificates_checkcode WHERE organization_id = %s"
        " AND certificate_id = %s AND check_code IS NOT NULL",
        [organization_id, certificate_id],
    )
    return FoundCertificate(organization_id, certificate_id, *rows[0]) if rows else None
