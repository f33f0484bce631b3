"""A plain implementation of the contract's digests and chain: the registers of policy versions and of receipts.

may_publish(recorded, line) -> whether a version may come next
may_sign(recorded, line) -> whether a person may sign a version, through a share and a door, at a moment
sign(recorded, line) -> the receipt is written at the end of the chain
versions(recorded, moment), receipts(recorded, moment) -> rows of the two registers, in their order
"""

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from unicodedata import normalize
from uuid import UUID

from compliance.facts.lines import kinds
from tests.oracle.owed_learning import TICK
from tests.oracle.people import detail
from tests.oracle.recorded import Receipt, Recorded, Row
from tests.oracle.shares import coverage
from tests.oracle.status import erased_at, status

ZEROS = UUID(int=0)
ACTS = {"acknowledge": "acknowledged", "sign": "signed"}


def title(line: kinds.PolicyPublished) -> str:
    """The text of the main heading."""
    return line.html.partition("<h1>")[2].partition("</h1>")[0]


def versions(recorded: Recorded, moment: datetime) -> list[Row]:
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
        for line in recorded.of(kinds.PolicyPublished, moment)
    ]


def digests(line: kinds.PolicyPublished) -> Row:
    """The three digests of a version, by the contract."""
    statement, document = digest(" ".join(normalize("NFC", line.statement).split())), digest(line.html)
    return {
        "statement_sha256": statement,
        "document_sha256": document,
        "version_digest": digest(
            "svc.policy/2", line.course_id, line.version, document, statement, line.act, line.effective_on or "",
            line.change_kind, line.renew_months, ",".join(sorted(line.doors)),
        ),
    }  # fmt: skip


def digest(*lines: Any) -> str:
    """SHA-256 of lines."""
    return sha256("\n".join(map(str, lines)).encode()).hexdigest()


def may_publish(recorded: Recorded, line: kinds.PolicyPublished) -> bool:
    """Whether the version comes after all others: versions are recorded one by one, each later than the one before."""
    before = recorded.of(kinds.PolicyPublished, course_id=line.course_id)
    return line.version == len(before) + 1 and (not before or line.at > before[-1].at)


def may_sign(recorded: Recorded, line: kinds.PolicySigned) -> bool:
    """Whether the version was published by then, and a share covers the person through that door."""
    release = recorded.of(kinds.PolicyPublished, line.at, course_release_id=line.course_release_id)
    if not release or erased_at(recorded, line.learner_profile_id) is not None:
        return False
    share = recorded.of(kinds.PolicyShared, line.at, share_id=line.share_id, course_id=release[0].course_id)
    doors = {line.door} & set(release[0].doors)
    return bool(share) and coverage(recorded, share[0], line.learner_profile_id, line.at, doors) is not None


def sign(recorded: Recorded, line: kinds.PolicySigned) -> None:
    """Writes a receipt: `signed_at` rises along the chain, so a receipt dated earlier is dated just after the last."""
    signed_at = max([line.at, *(recorded.chain[-1].signed_at + TICK for _ in recorded.chain[-1:])])
    policy = version_of(recorded, line).course_id
    earlier = [each for each in recorded.chain if signer(recorded, each) == (line.learner_profile_id, policy)]
    company = status(recorded, line.learner_profile_id, line.at).companies.get(line.door)
    recorded.add(line)
    recorded.chain.append(Receipt(line, signed_at, earlier[-1].line.receipt_id if earlier else ZEROS, company))


def version_of(recorded: Recorded, line: kinds.PolicySigned) -> kinds.PolicyPublished:
    """The version that was signed."""
    return recorded.of(kinds.PolicyPublished, course_release_id=line.course_release_id)[0]


def signer(recorded: Recorded, receipt: Receipt) -> tuple[UUID, UUID]:
    """Who signed which policy."""
    return receipt.line.learner_profile_id, version_of(recorded, receipt.line).course_id


def receipts(recorded: Recorded, moment: datetime) -> list[Row]:
    """The rows of the receipts written by a moment, in the order of the chain."""
    rows: list[Row] = []
    previous = "0" * 64
    for line, signed_at, cycle_id, company in recorded.chain:
        version = version_of(recorded, line)
        signature = digest("typed", line.signature.typed) if line.signature else None
        sealed = digests(version)
        row = {
            "receipt_id": line.receipt_id,
            "learner_profile_id": line.learner_profile_id,
            **names(recorded, line.learner_profile_id, receipt=True),
            "door": line.door,
            "signer_company": None if erased_at(recorded, line.learner_profile_id) else company,
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
        previous = row["receipt_sha256"] = digest("svc.receipt/2", values[0], recorded.organization_id, *values[1:])
        rows += [row] if signed_at <= moment else []
    return rows


def written(moment: datetime) -> str:
    """An instant in the form in which it is hashed."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def names(recorded: Recorded, learner: UUID, *, receipt: bool = False) -> Row:
    """A person's current name and account address; on a receipt the address replaces a missing name."""
    if erased_at(recorded, learner) is not None:
        return {"person_name": "Erased person", "account_email": None}
    address = detail(recorded, learner, "account_email")
    name = detail(recorded, learner, "person_name")
    return {"person_name": name or (address if receipt else None), "account_email": address}
