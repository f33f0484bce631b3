"""Reads for signing: what a person owes through a share, sealed versions, and receipts."""

import uuid
from collections.abc import Collection
from datetime import date, datetime
from typing import Any, NamedTuple

import orjson
from django.db.models import F, Max, Subquery

from compliance.facts.policies.loading import load_person_policies
from compliance.facts.policies.models import PolicyVersion, RawSignature, Receipt
from compliance.facts.shares.resolving import shares
from compliance.rules.policies.decide import decide
from compliance.rules.policies.decisions import RecordContent
from compliance.rules.policies.signing import record_at, refusal
from compliance.rules.vocabulary import Door
from compliance.tenancy import sql
from compliance.tenancy.queries import organization


class SigningState(NamedTuple):
    """What a share asks of a person at a moment.

    `record` is None if nothing is owed; `door` is the one through which the person may sign now, None if they may not;
    `latest_receipt_id` is the person's newest receipt for the policy, even if it settles nothing.
    """

    course_id: uuid.UUID
    record: RecordContent | None
    door: Door | None
    latest_receipt_id: uuid.UUID | None


class StoredVersion(NamedTuple):
    """A policy version as sealed."""

    course_id: uuid.UUID
    course_release_id: uuid.UUID
    version: int
    published_at: datetime
    act: str
    statement: str
    effective_on: date | None
    renew_months: int
    html: str
    policy_title: str
    statement_sha256: str
    document_sha256: str
    version_digest: str


class StoredReceipt(NamedTuple):
    """A receipt as written, with what the person typed or drew unless they are erased."""

    receipt_id: uuid.UUID
    number: int
    learner_profile_id: uuid.UUID
    course_release_id: uuid.UUID
    share_id: uuid.UUID
    cycle_id: uuid.UUID
    door: str
    act: str
    signed_at: datetime
    statement_sha256: str
    document_sha256: str
    signature_sha256: str | None
    previous_sha256: str
    receipt_sha256: str
    signature: dict[str, Any] | None
    signer_company: str | None


def signing_state(
    organization_id: uuid.UUID, *, share_id: uuid.UUID, learner_profile_id: uuid.UUID, moment: datetime
) -> SigningState | None:
    """Return what the share asks of the person at `moment`; None if it is not of a policy. In the company's context."""
    share = shares(organization_id, [share_id]).get(share_id)
    if share is None or share.kind != "policy":
        return None
    return _state(organization_id, share.course_id, share_id, learner_profile_id, moment)


def policy_state(
    organization_id: uuid.UUID, *, course_id: uuid.UUID, learner_profile_id: uuid.UUID, moment: datetime
) -> SigningState | None:
    """Return what a policy asks of the person at `moment`, through the share with the earliest deadline.

    None if it is not a policy. In the company's context.
    """
    return _state(organization_id, course_id, None, learner_profile_id, moment)


def _state(
    organization_id: uuid.UUID,
    course_id: uuid.UUID,
    share_id: uuid.UUID | None,
    learner_profile_id: uuid.UUID,
    moment: datetime,
) -> SigningState | None:
    """What the share asks; without a share, the one by which the record is owed. None for a policy without versions."""
    pair = (learner_profile_id, course_id)
    facts = load_person_policies(organization_id, [pair])
    policy, signer, receipts = facts.policies[course_id], facts.signers[learner_profile_id], facts.receipts[pair]
    if not policy.versions:
        return None
    zone = organization(organization_id).time_zone
    timelines = decide(organization_id, zone, policy, signer, tuple(receipts), moment)
    record = record_at(timelines, moment)
    door = None
    if record is not None:
        through = share_id or record.assignment_id
        preferred = [record.door] if record.assignment_id == through else []
        door = next(
            (
                each
                for each in [*preferred, *Door]
                if refusal(
                    policy, signer, course_release_id=record.course_release_id, share_id=through, door=each, at=moment
                )
                is None
            ),
            None,
        )
    latest = receipts[-1].receipt_id if receipts and signer.learner.erased_at is None else None
    return SigningState(course_id, record, door, latest)


def stored_version(organization_id: uuid.UUID, course_release_id: uuid.UUID) -> StoredVersion:
    """Return the version, which must exist. In the company's context."""
    (row,) = sql.fetch(
        f"SELECT {', '.join(StoredVersion._fields)} FROM policies_policyversion"  # noqa: S608 - SQL of our own
        " WHERE organization_id = %s AND course_release_id = %s",
        [organization_id, course_release_id],
    )
    return StoredVersion._make(row)


def stored_receipt(organization_id: uuid.UUID, receipt_id: uuid.UUID) -> StoredReceipt:
    """Return the receipt, which must exist. In the company's context."""
    (row,) = sql.fetch(_RECEIPT, [organization_id, receipt_id])
    return _read_receipt(row)


def receipt_versions(organization_id: uuid.UUID, receipt_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, int]:
    """Return the version that each receipt was given for, which a later editorial version does not change."""
    found = Receipt.objects.filter(organization_id=organization_id, receipt_id__in=receipt_ids)
    return dict(found.values_list("receipt_id", "version"))


def own_receipt(
    organization_id: uuid.UUID, *, learner_profile_id: uuid.UUID, receipt_id: uuid.UUID
) -> StoredReceipt | None:
    """Return the receipt if it is this person's, else None. In the company's context."""
    rows = sql.fetch(f"{_RECEIPT} AND r.learner_profile_id = %s", [organization_id, receipt_id, learner_profile_id])
    return _read_receipt(rows[0]) if rows else None


_RECEIPT = f"""
SELECT {", ".join(f"r.{name}" for name in StoredReceipt._fields[:-2])}, s.signature::text, s.signer_company
  FROM policies_receipt r LEFT JOIN policies_rawsignature s USING (organization_id, receipt_id)
  WHERE r.organization_id = %s AND r.receipt_id = %s"""  # noqa: S608 - names of our own


def _read_receipt(row: tuple[Any, ...]) -> StoredReceipt:
    *fields, signature, company = row
    return StoredReceipt._make([*fields, None if signature is None else orjson.loads(signature), company])


class SealedVersion(NamedTuple):
    """All sealed fields of a policy version."""

    course_id: uuid.UUID
    course_release_id: uuid.UUID
    policy_title: str
    version: int
    act: str
    doors: list[str]
    statement: str
    statement_sha256: str
    effective_on: date | None
    renew_months: int
    change_kind: str
    published_at: datetime
    document_sha256: str
    version_digest: str
    html: str


class SealedReceipt(NamedTuple):
    """All sealed fields of a receipt, with the title of its policy at that time, and nothing that erasure clears."""

    receipt_id: uuid.UUID
    learner_profile_id: uuid.UUID
    door: str
    course_id: uuid.UUID
    policy_title: str
    course_release_id: uuid.UUID
    version: int
    effective_on: date | None
    version_digest: str
    act: str
    signed_at: datetime
    sign_in_methods: list[str]
    share_id: uuid.UUID
    cycle_id: uuid.UUID
    statement_sha256: str
    document_sha256: str
    signature_sha256: str | None
    previous_sha256: str
    receipt_sha256: str


_OF_VERSION = ("policy_title", "effective_on", "version_digest")
_SEALED_VERSIONS = f"""
SELECT {", ".join(SealedVersion._fields)}
FROM policies_policyversion WHERE organization_id = (SELECT %s::uuid) AND course_release_id = ANY(%s::uuid[])
    AND published_at <= %s
ORDER BY published_at, course_id, version
"""  # noqa: S608 - names of our own
_SEALED_RECEIPTS = f"""
SELECT {", ".join(f"{'v' if name in _OF_VERSION else 'r'}.{name}" for name in SealedReceipt._fields)}
FROM policies_receipt r
JOIN policies_policyversion v ON v.organization_id = r.organization_id AND v.course_release_id = r.course_release_id
WHERE r.organization_id = (SELECT %s::uuid) AND r.receipt_id = ANY(%s::uuid[]) ORDER BY r.number
"""  # noqa: S608 - names of our own


def sealed_versions(
    organization_id: uuid.UUID, course_release_ids: Collection[uuid.UUID], until: datetime
) -> list[SealedVersion]:
    """Those of the versions that were published by `until`, oldest first. In the company's context."""
    return [
        SealedVersion(*row) for row in sql.fetch(_SEALED_VERSIONS, [organization_id, list(course_release_ids), until])
    ]


def sealed_receipts(organization_id: uuid.UUID, receipt_ids: Collection[uuid.UUID]) -> list[SealedReceipt]:
    """The receipts, in the order of the chain. In the company's context."""
    return [SealedReceipt(*row) for row in sql.fetch(_SEALED_RECEIPTS, [organization_id, list(receipt_ids)])]


def signer_company(receipt: str) -> str:
    """SQL of the company for which the receipt of the column was signed; null for an employee, and once erased."""
    return f"""(SELECT s.signer_company FROM policies_rawsignature s
      WHERE s.organization_id = (SELECT %(organization)s::uuid) AND s.receipt_id = {receipt} LIMIT 1)"""  # noqa: S608


SIGNED = """
SELECT t.signed_at, t.act, jsonb_build_object('version', t.version, 'door', t.door), t.course_id
  FROM policies_receipt t
  WHERE t.organization_id = %(organization)s AND t.learner_profile_id = %(learner)s AND {course}
"""
"""SQL of what %(learner)s signed of the policies that {course} selects (see `facts.happenings`)."""

PUBLISHED = """
SELECT published_at, 'published', jsonb_build_object('version', version, 'change', change_kind)
  FROM policies_policyversion WHERE organization_id = %(organization)s AND course_id = %(course)s
"""
"""SQL of what happened to the policy %(course)s (see `facts.happenings`)."""


def doors(course: str) -> str:
    """SQL of the doors for which the newest version at %(at)s of the policy of the column is meant."""
    return f"""(SELECT v.doors FROM policies_policyversion v WHERE v.organization_id = %(organization)s
    AND v.course_id = {course} AND v.published_at <= %(at)s ORDER BY v.version DESC LIMIT 1)"""  # noqa: S608 - ours


def newest_version(organization_id: uuid.UUID, course_id: uuid.UUID) -> int:
    """The number of the policy's newest version, 0 before the first."""
    found = PolicyVersion.objects.filter(organization_id=organization_id, course_id=course_id)
    return found.aggregate(newest=Max("version"))["newest"] or 0


class Version(NamedTuple):
    """A version of a policy without its text, and the number of versions that the policy had then."""

    course_id: uuid.UUID
    course_release_id: uuid.UUID
    version: int
    policy_title: str
    published_at: datetime
    act: str
    doors: list[str]
    effective_on: date | None
    renew_months: int
    change_kind: str


_VERSION = ", ".join(Version._fields)


def newest_versions(
    organization_id: uuid.UUID, now: datetime, after: tuple[str, uuid.UUID] | None, most: int
) -> list[tuple[str, Version]]:
    """The version of each policy that is in force, by title, after `after`; each with its sort key."""
    rows = sql.fetch(
        f"SELECT sorted, {_VERSION} FROM ("  # noqa: S608 - expressions of our own
        f" SELECT DISTINCT ON (course_id) lower(policy_title) AS sorted, {_VERSION} FROM policies_policyversion"
        " WHERE organization_id = %(organization)s AND published_at <= %(now)s ORDER BY course_id, version DESC) v"
        " WHERE %(title)s::text IS NULL OR (sorted, course_id) > (%(title)s::text, %(course)s::uuid)"
        " ORDER BY sorted, course_id LIMIT %(most)s",
        {
            "organization": organization_id,
            "now": now,
            "title": after[0] if after else None,
            "course": after[1] if after else None,
            "most": most,
        },
    )
    return [(row[0], Version._make(row[1:])) for row in rows]


def versions_of(organization_id: uuid.UUID, course_id: uuid.UUID) -> list[Version]:
    """Every version of a policy, newest first; empty if the company has no such policy."""
    rows = sql.fetch(
        f"SELECT {_VERSION} FROM policies_policyversion"  # noqa: S608 - expressions of our own
        " WHERE organization_id = %s AND course_id = %s ORDER BY version DESC",
        [organization_id, course_id],
    )
    return [Version._make(row) for row in rows]


def newest_row(organization_id: uuid.UUID, course_id: uuid.UUID) -> PolicyVersion | None:
    """The newest version of a policy as sealed; None if the company has no such policy."""
    found = PolicyVersion.objects.filter(organization_id=organization_id, course_id=course_id)
    return found.order_by("-version").first()


def version_row(organization_id: uuid.UUID, course_release_id: uuid.UUID) -> PolicyVersion | None:
    """A published version as sealed; None if there is none with this identifier."""
    return PolicyVersion.objects.filter(organization_id=organization_id, course_release_id=course_release_id).first()


def receipt_and_neighbours(organization_id: uuid.UUID, receipt_id: uuid.UUID) -> dict[int, Receipt]:
    """The receipt, and the ones before and after it in the company's chain, keyed by their distance from it."""
    wanted = Receipt.objects.filter(organization_id=organization_id, receipt_id=receipt_id).values("number")[:1]
    found = Receipt.objects.filter(organization_id=organization_id).annotate(distance=F("number") - Subquery(wanted))
    return {each.distance: each for each in found.filter(distance__range=(-1, 1))}


def raw_signature(organization_id: uuid.UUID, receipt_id: uuid.UUID) -> dict[str, Any] | None:
    """What the person typed or drew; None once erased, and for an acknowledgement."""
    found = RawSignature.objects.filter(organization_id=organization_id, receipt_id=receipt_id)
    return found.values_list("signature", flat=True).first()


class Signed(NamedTuple):
    """A receipt of a person: the version and policy, the moment, and what they did."""

    receipt_id: uuid.UUID
    course_id: uuid.UUID
    course_release_id: uuid.UUID
    version: int
    policy_title: str
    act: str
    signed_at: datetime


def signed_by(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> list[Signed]:
    """All receipts of the person, newest first, including those that no capture has processed yet. One statement."""
    rows = sql.fetch(
        "SELECT r.receipt_id, r.course_id, r.course_release_id, r.version, v.policy_title, r.act, r.signed_at"
        " FROM policies_receipt r JOIN policies_policyversion v"
        " ON v.organization_id = r.organization_id AND v.course_release_id = r.course_release_id"
        " WHERE r.organization_id = %s AND r.learner_profile_id = %s ORDER BY r.signed_at DESC, r.number DESC",
        [organization_id, learner_profile_id],
    )
    return [Signed(*row) for row in rows]
