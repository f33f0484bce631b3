"""Records `policy_published` and `policy_signed`."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from compliance.facts.courses import resolving as courses
from compliance.facts.courses.recorders import StatedPolicy, keep_policies
from compliance.facts.ledger.models import SubjectKind
from compliance.facts.lines.kinds import PolicyPublished, PolicySigned, Signature
from compliance.facts.people import resolving
from compliance.facts.policies import chain
from compliance.facts.policies.canonical import CanonicalPolicy, check
from compliance.facts.policies.errors import PolicyHtmlError, SignatureError
from compliance.facts.policies.loading import PersonPolicyFacts, load_person_policies
from compliance.facts.policies.models import PolicyVersion
from compliance.facts.policies.resolving import versions_named
from compliance.facts.policies.served import served_bytes
from compliance.facts.policies.signatures import read_signature
from compliance.facts.recording.batch import Batch, Staged
from compliance.facts.refusal_reasons import RefusalReason
from compliance.facts.rows import keep
from compliance.proofs.digests import (
    ZERO_DIGEST,
    document_sha256,
    normalise_statement,
    policy_version_digest,
    statement_sha256,
)
from compliance.proofs.errors import UnhashableValue
from compliance.rules.limits import MAXIMUM_ROW_BYTES
from compliance.rules.policies.signing import SigningRefusalCode, refusal
from compliance.rules.vocabulary import ChangeKind, Door, PolicyAct, ReceiptAct
from compliance.tenancy import sql

LONGEST_STATEMENT = 2_000
_ACTS = {PolicyAct.ACKNOWLEDGE: ReceiptAct.ACKNOWLEDGED, PolicyAct.SIGN: ReceiptAct.SIGNED}


class _Newest(NamedTuple):
    """The newest known version of a policy while a batch is recorded."""

    version: int
    published_at: datetime


def record_policy_published(batch: Batch[PolicyPublished]) -> None:
    """Seal each version with its digests, in order of version; the first one of a policy makes the policy."""
    organization_id = batch.organization_id
    course_ids = list({staged.line.course_id for staged in batch.lines})
    release_ids = [staged.line.course_release_id for staged in batch.lines]
    newest = {
        course_id: _Newest(version, published_at)
        for course_id, version, published_at in sql.fetch(
            "SELECT DISTINCT ON (course_id) course_id, version, published_at FROM policies_policyversion"
            " WHERE organization_id = %s AND course_id = ANY(%s) ORDER BY course_id, version DESC",
            [organization_id, course_ids],
        )
    }
    kinds = courses.kinds_of_courses(organization_id, course_ids)
    taken = versions_named(organization_id, release_ids) | courses.releases(organization_id, release_ids).keys()
    sealed: list[tuple[PolicyPublished, CanonicalPolicy]] = []
    for staged in batch.accepted():
        line = staged.line
        reason = _out_of_order(line, newest.get(line.course_id))
        if kinds.get(line.course_id, "policy") != "policy":
            batch.refuse(
                staged, RefusalReason.EXISTS, f"course_id: {line.course_id} is a training course, not a policy."
            )
        elif line.course_release_id in taken:
            batch.refuse(staged, RefusalReason.EXISTS, f"course_release_id: {line.course_release_id} exists already.")
        elif reason is not None:
            batch.refuse(staged, RefusalReason.RULE, reason)
        else:
            policy = _checked(batch, staged)
            if policy is not None:
                sealed.append((line, policy))
                taken.add(line.course_release_id)
                newest[line.course_id] = _Newest(line.version, line.at)
    _write_versions(organization_id, sealed)
    for line, _ in sealed:
        batch.subject(SubjectKind.POLICY_VERSION, line.course_release_id)
        batch.subject(SubjectKind.EVERYONE_OF_COURSE, line.course_id)


def record_policy_signed(batch: Batch[PolicySigned]) -> None:
    """Append a receipt to the chain for each act of a person with whom the version was shared at that moment."""
    organization_id = batch.organization_id
    recorded = _known_receipts(batch)
    versions = _versions(organization_id, {staged.line.course_release_id for staged in batch.lines})
    people = resolving.profiles(
        organization_id, {staged.line.learner_profile_id for staged in batch.lines}, resolving.WRITING
    )
    facts = load_person_policies(
        organization_id,
        {
            (staged.line.learner_profile_id, versions[staged.line.course_release_id].course_id)
            for staged in batch.lines
            if staged.line.course_release_id in versions
        },
    )
    companies = _companies(organization_id, batch.lines)
    accepted: dict[uuid.UUID, tuple[Staged[PolicySigned], uuid.UUID]] = {}
    receipts: list[chain.NewReceipt] = []
    for staged in batch.accepted():
        line = staged.line
        version = versions.get(line.course_release_id)
        if line.receipt_id in recorded or line.receipt_id in accepted:
            batch.refuse(staged, RefusalReason.EXISTS, f"receipt_id: a receipt {line.receipt_id} exists already.")
        elif version is None:
            reason = f"course_release_id: no policy version {line.course_release_id} is known."
            batch.refuse(staged, RefusalReason.UNRESOLVED, reason)
        elif line.learner_profile_id not in people:
            batch.refuse(staged, RefusalReason.UNRESOLVED, resolving.NO_SUCH_PERSON)
        elif people[line.learner_profile_id]:
            batch.refuse(staged, RefusalReason.ERASED, resolving.ERASED)
        elif not _refused(batch, staged, version, facts):
            receipt = _receipt(batch, staged, version, companies)
            if receipt is not None:
                receipts.append(receipt)
                accepted[line.receipt_id] = (staged, version.course_id)
    for written in chain.append(organization_id, receipts):
        staged, course_id = accepted[written.receipt_id]
        batch.next_in_order(SubjectKind.RECEIPT, written.receipt_id)  # record numbers keep the order of the chain
        batch.subject(SubjectKind.PERSON_POLICY, staged.line.learner_profile_id, course_id)
        if written.redated:
            batch.note(
                staged,
                f"The receipt is older than the end of the chain and was dated {written.signed_at.isoformat()}.",
            )


class _Version(NamedTuple):
    """What a receipt repeats of its version."""

    course_id: uuid.UUID
    version: int
    act: str
    statement_sha256: str
    document_sha256: str


def _out_of_order(line: PolicyPublished, newest: _Newest | None) -> str | None:
    """Return why the version does not continue its policy; None if it does."""
    expected = 1 if newest is None else newest.version + 1
    if line.version != expected:
        return f"version: the next version of policy {line.course_id} is {expected}, not {line.version}."
    if (line.change_kind == ChangeKind.FIRST) != (newest is None):
        return "change_kind: the first version of a policy is `first`, and no other."
    if newest is not None and line.at <= newest.published_at:
        return f"at: version {line.version} must be published later than version {newest.version}."
    return None


def _checked(batch: Batch[PolicyPublished], staged: Staged[PolicyPublished]) -> CanonicalPolicy | None:
    statement = normalise_statement(staged.line.statement)
    if not statement:
        batch.refuse(staged, RefusalReason.CONTENT, "statement: it is nothing but white space.")
        return None
    if len(statement) > LONGEST_STATEMENT:
        reason = f"statement: it has {len(statement)} characters; at most {LONGEST_STATEMENT} are allowed."
        batch.refuse(staged, RefusalReason.CONTENT, reason)
        return None
    try:
        policy = check(staged.line.html)
    except (PolicyHtmlError, UnhashableValue) as error:
        batch.refuse(staged, RefusalReason.CONTENT, f"html: {error}")
        return None
    size = _served_bytes(staged.line, policy)
    if size > MAXIMUM_ROW_BYTES:
        reason = f"html: the version takes {size:,} bytes as JSON; a page can serve {MAXIMUM_ROW_BYTES:,} at most."
        batch.refuse(staged, RefusalReason.CONTENT, reason)
        return None
    return policy


def _served_bytes(line: PolicyPublished, policy: CanonicalPolicy) -> int:
    """The size in bytes of a version's row; a digest always has the same length."""
    return served_bytes(
        {
            "course_id": line.course_id,
            "course_release_id": line.course_release_id,
            "policy_title": policy.policy_title,
            "version": line.version,
            "act": line.act,
            "doors": line.doors,
            "statement": line.statement,
            "statement_sha256": ZERO_DIGEST,
            "effective_on": line.effective_on,
            "renew_months": line.renew_months,
            "change_kind": line.change_kind,
            "published_at": line.at,
            "document_sha256": ZERO_DIGEST,
            "version_digest": ZERO_DIGEST,
            "html": policy.html,
        }
    )


def _write_versions(organization_id: uuid.UUID, sealed: Collection[tuple[PolicyPublished, CanonicalPolicy]]) -> None:
    lines = [line for line, _ in sealed]
    statements = [statement_sha256(line.statement) for line in lines]
    documents = [document_sha256(policy.html) for _, policy in sealed]
    digests = [
        policy_version_digest(
            course_id=line.course_id,
            version=line.version,
            document_sha256=document,
            statement_sha256=statement,
            act=line.act,
            effective_on=line.effective_on,
            change_kind=line.change_kind,
            renew_months=line.renew_months,
            doors=line.doors,
        )
        for line, statement, document in zip(lines, statements, documents, strict=True)
    ]
    keep(
        PolicyVersion,
        organization_id,
        lines,
        published_at=[line.at for line in lines],
        policy_title=[policy.policy_title for _, policy in sealed],
        html=[policy.html for _, policy in sealed],
        statement_sha256=statements,
        document_sha256=documents,
        version_digest=digests,
    )
    titles = {line.course_id: (policy.policy_title, line.at) for line, policy in sealed}  # versions come in order
    first_at: dict[uuid.UUID, datetime] = {}
    for line, _ in sealed:
        first_at.setdefault(line.course_id, line.at)
    keep_policies(
        organization_id,
        [StatedPolicy(course_id, first_at[course_id], title, at) for course_id, (title, at) in titles.items()],
    )


def _known_receipts(batch: Batch[PolicySigned]) -> frozenset[uuid.UUID]:
    return frozenset(
        row[0]
        for row in sql.fetch(
            "SELECT receipt_id FROM policies_receipt WHERE organization_id = %s AND receipt_id = ANY(%s)",
            [batch.organization_id, [staged.line.receipt_id for staged in batch.lines]],
        )
    )


def _versions(organization_id: uuid.UUID, release_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, _Version]:
    return {
        release_id: _Version(*rest)
        for release_id, *rest in sql.fetch(
            "SELECT course_release_id, course_id, version, act, statement_sha256, document_sha256"
            " FROM policies_policyversion WHERE organization_id = %s AND course_release_id = ANY(%s)",
            [organization_id, list(release_ids)],
        )
    }


def _refused(
    batch: Batch[PolicySigned], staged: Staged[PolicySigned], version: _Version, facts: PersonPolicyFacts
) -> bool:
    """Refuse a person with whom the version was not shared at that moment; return whether it was refused."""
    line = staged.line
    reason = refusal(
        facts.policies[version.course_id],
        facts.signers[line.learner_profile_id],
        course_release_id=line.course_release_id,
        share_id=line.share_id,
        door=line.door,
        at=line.at,
    )
    if reason is None:
        return False
    unknown = reason.code is SigningRefusalCode.NO_SUCH_SHARE
    batch.refuse(staged, RefusalReason.UNRESOLVED if unknown else RefusalReason.RULE, reason.sentence)
    return True


def _receipt(
    batch: Batch[PolicySigned],
    staged: Staged[PolicySigned],
    version: _Version,
    companies: Mapping[tuple[uuid.UUID, str], list[tuple[datetime, str | None]]],
) -> chain.NewReceipt | None:
    line = staged.line
    try:
        signature = read_signature(version.act, _raw(line.signature))
    except SignatureError as error:
        batch.refuse(staged, RefusalReason.CONTENT, f"signature: {error}")
        return None
    events = companies.get((line.learner_profile_id, line.door), [])
    return chain.NewReceipt(
        receipt_id=line.receipt_id,
        learner_profile_id=line.learner_profile_id,
        course_id=version.course_id,
        course_release_id=line.course_release_id,
        version=version.version,
        share_id=line.share_id,
        door=line.door,
        act=_ACTS[PolicyAct(version.act)],
        at=line.at,
        statement_sha256=version.statement_sha256,
        document_sha256=version.document_sha256,
        signature=signature,
        signer_company=next((company for at, company in reversed(events) if at <= line.at), None),
        sign_in_methods=line.sign_in_methods,
    )


def _companies(
    organization_id: uuid.UUID, lines: Collection[Staged[PolicySigned]]
) -> dict[tuple[uuid.UUID, str], list[tuple[datetime, str | None]]]:
    """Return the companies of partners and customers, by person and door, in order of time."""
    people = {staged.line.learner_profile_id for staged in lines if staged.line.door != Door.EMPLOYEE}
    found: dict[tuple[uuid.UUID, str], list[tuple[datetime, str | None]]] = defaultdict(list)
    for profile_id, door, at, company in resolving.contacts_joined(organization_id, people):
        found[profile_id, door].append((at, company))
    return found


def _raw(signature: Signature | None) -> dict[str, Any] | None:
    """The signature of a line in the form in which a page submits it."""
    if signature is None:
        return None
    return {"typed": signature.typed} if signature.typed is not None else {"drawn": signature.drawn}
