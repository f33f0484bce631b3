"""A plain reading of the contract's digests and chain: the registers of policy versions and of receipts.

may_publish(told, line) -> whether a version may come next
may_sign(told, line) -> whether a person may sign a version, through a share and a door, at a moment
sign(told, line) -> the receipt is written at the end of the chain
versions(told, moment), receipts(told, moment) -> rows of the two registers, in their order
"""

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from unicodedata import normalize
from uuid import UUID

from compliance.facts.lines import kinds
from tests.oracle.owed_learning import TICK
from tests.oracle.people import detail
from tests.oracle.shares import reach
from tests.oracle.standing import erased_at, standing
from tests.oracle.told import Receipt, Row, Told

ZEROS = UUID(int=0)
ACTS = {"acknowledge": "acknowledged", "sign": "signed"}


def title(line: kinds.PolicyPublished) -> str:
    """What the main heading says."""
    return line.html.partition("<h1>")[2].partition("</h1>")[0]


def versions(told: Told, moment: datetime) -> list[Row]:
    """The rows of the versions published by a moment, oldest first."""
    return [
        {
            "course_id": line.course_id,
            "course_release_id": line.course_release_id,
            "policy_title": title(line),
            "version": line.version,
            "act": line.act,
            "doors": sorted(line.doors),
            "statement": line.statement,
            "effective_on": line.effective_on,
            "renew_months": line.renew_months,
            "change_kind": line.change_kind,
            "published_at": line.at,
            "html": line.html,
            **digests(line),
        }
        for line in told.of(kinds.PolicyPublished, moment)
    ]


def digests(line: kinds.PolicyPublished) -> Row:
    """What the contract says of the three digests of a version."""
    statement, document = digest(" ".join(normalize("NFC", line.statement).split())), digest(line.html)
    return {
        "statement_sha256": statement,
        "document_sha256": document,
        "version_digest": digest(
            "svc.policy/2", line.course_id, line.version, document, statement, line.act, line.effective_on or "",
            line.change_kind, line.renew_months, ",".join(sorted(line.doors)),
        ),
    }  # fmt: skip


def digest(*said: Any) -> str:
    """SHA-256 of lines."""
    return sha256("\n".join(map(str, said)).encode()).hexdigest()


def may_publish(told: Told, line: kinds.PolicyPublished) -> bool:
    """Versions are told one after the other, each later than the one before."""
    before = told.of(kinds.PolicyPublished, course_id=line.course_id)
    return line.version == len(before) + 1 and (not before or line.at > before[-1].at)


def may_sign(told: Told, line: kinds.PolicySigned) -> bool:
    """Whether the version was published by then, and the share reached the person through that door."""
    release = told.of(kinds.PolicyPublished, line.at, course_release_id=line.course_release_id)
    if not release or erased_at(told, line.learner_profile_id) is not None:
        return False
    share = told.of(kinds.PolicyShared, line.at, share_id=line.share_id, course_id=release[0].course_id)
    doors = {line.door} & set(release[0].doors)
    return bool(share) and reach(told, share[0], line.learner_profile_id, line.at, doors) is not None


def sign(told: Told, line: kinds.PolicySigned) -> None:
    """Writes a receipt: `signed_at` rises along the chain, and an older receipt is dated just after the last."""
    signed_at = max([line.at, *(told.chain[-1].signed_at + TICK for _ in told.chain[-1:])])
    policy = version_of(told, line).course_id
    earlier = [each for each in told.chain if signer(told, each) == (line.learner_profile_id, policy)]
    company = standing(told, line.learner_profile_id, line.at).companies.get(line.door)
    told.add(line)
    told.chain.append(Receipt(line, signed_at, earlier[-1].line.receipt_id if earlier else ZEROS, company))


def version_of(told: Told, line: kinds.PolicySigned) -> kinds.PolicyPublished:
    """The version that was signed."""
    return told.of(kinds.PolicyPublished, course_release_id=line.course_release_id)[0]


def signer(told: Told, receipt: Receipt) -> tuple[UUID, UUID]:
    """Who signed which policy."""
    return receipt.line.learner_profile_id, version_of(told, receipt.line).course_id


def receipts(told: Told, moment: datetime) -> list[Row]:
    """The rows of the receipts written by a moment, in the order of the chain."""
    rows: list[Row] = []
    previous = "0" * 64
    for line, signed_at, cycle_id, company in told.chain:
        version = version_of(told, line)
        signature = digest("typed", line.signature.typed) if line.signature else None
        sealed = digests(version)
        row = {
            "receipt_id": line.receipt_id,
            "learner_profile_id": line.learner_profile_id,
            **names(told, line.learner_profile_id, receipt=True),
            "door": line.door,
            "signer_company": None if erased_at(told, line.learner_profile_id) else company,
            "course_id": version.course_id,
            "policy_title": title(version),
            "course_release_id": version.course_release_id,
            "version": version.version,
            "effective_on": version.effective_on,
            "version_digest": sealed["version_digest"],
            "act": ACTS[version.act],
            "signed_at": written(signed_at),
            "sign_in_methods": line.sign_in_methods,
            "assignment_id": line.share_id,
            "cycle_id": cycle_id,
            "statement_sha256": sealed["statement_sha256"],
            "document_sha256": sealed["document_sha256"],
            "signature_sha256": signature,
            "previous_sha256": previous,
        }
        hashed = (
            "receipt_id",
            "course_release_id",
            "learner_profile_id",
            "assignment_id",
            "cycle_id",
            "act",
            "statement_sha256",
            "document_sha256",
            "signature_sha256",
            "signed_at",
            "previous_sha256",
        )
        values = [row[name] or "" for name in hashed]
        previous = row["receipt_sha256"] = digest("svc.receipt/2", values[0], told.organization_id, *values[1:])
        rows += [row] if signed_at <= moment else []
    return rows


def written(moment: datetime) -> str:
    """An instant as it is hashed."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def names(told: Told, learner: UUID, *, receipt: bool = False) -> Row:
    """A person's current name and account address; on a receipt the address takes the place of no name."""
    if erased_at(told, learner) is not None:
        return {"person_name": "Erased person", "account_email": None}
    address = detail(told, learner, "account_email")
    name = detail(told, learner, "person_name")
    return {"person_name": name or (address if receipt else None), "account_email": address}
