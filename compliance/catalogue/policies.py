"""Policy versions, what people owe of them, and the receipts of those who signed."""

from datetime import date
from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, Field

from compliance.catalogue.declaration import Column, Register, Window
from compliance.catalogue.fields import AT_READ, CLOCK, Digest, HashedInstant, Personal, PersonalAddress, Tenant
from compliance.rules.vocabulary import ChangeKind, Door, PolicyAct, PolicyRecordState, ReceiptAct, Scope


class PolicyVersion(Tenant):
    """A published version of a policy. `version_digest` can be checked without the service."""

    course_id: UUID
    """Policy id. In the digest."""
    course_release_id: UUID
    """Published version id."""
    policy_title: str = Field(examples=["Code of conduct"])
    """From the file's main heading."""
    version: int
    """In the digest."""
    act: PolicyAct
    """What people do. In the digest."""
    doors: list[Door]
    """Who may receive it, sorted. In the digest."""
    statement: str = Field(examples=["I have read the policy and will keep to it."])
    """The words people confirm."""
    statement_sha256: Digest
    """SHA-256 of the normalised statement. In the digest."""
    effective_on: date | None
    """In the digest; an empty line when null."""
    renew_months: int = Field(ge=0)
    """Months after a signature before asking again; 0 means never. In the digest."""
    change_kind: ChangeKind
    """How it relates to the version before. In the digest."""
    published_at: AwareDatetime
    """When it was published."""
    document_sha256: Digest
    """SHA-256 of `html`. In the digest."""
    version_digest: Digest
    """See the digest rule of the contract."""
    html: str = Field(examples=["<h1>Code of conduct</h1><p>Be fair.</p>"])
    """The canonical policy file, exactly as people read and signed it."""


class PolicyRecord(Tenant):
    """What a person owes of a policy version."""

    record_id: UUID
    """Stable id of a person's record of a policy version."""
    course_id: UUID
    """Policy id."""
    course_release_id: UUID
    """The policy version."""
    policy_title: str = Field(examples=["Code of conduct"])
    """Title of the version."""
    version: int
    """The policy version."""
    learner_profile_id: UUID
    """The person."""
    person_name: Personal
    """Current name; a fixed label once the person is erased."""
    account_email: PersonalAddress
    """Null when erased."""
    door: Door
    """The audience through which the person is reached."""
    company: Annotated[str | None, AT_READ] = Field(examples=["Harbour Freight Ltd"])
    """For partners and customers: the company on the receipt, else their group in that audience."""
    assignment_id: UUID
    """Share id."""
    state: PolicyRecordState = Field(json_schema_extra=CLOCK)
    """State at the moment for which the rows were read. Depends on the clock."""
    due_at: AwareDatetime | None
    """Null for no deadline."""
    signed_at: HashedInstant | None
    """Same format as on receipts."""
    receipt_id: UUID | None
    """Receipt that settled it."""
    act: ReceiptAct | None
    """What the person did."""


class Receipt(Tenant):
    """A policy receipt. Receipts form one hash chain per company."""

    receipt_id: UUID
    """In the receipt hash."""
    learner_profile_id: UUID
    """In the receipt hash."""
    person_name: Personal
    """Current profile name, or the account email when the profile has none."""
    account_email: PersonalAddress
    """Email of the person's account when read. Null when erased."""
    door: Door
    """The audience through which the person reached the policy."""
    signer_company: Annotated[str | None, AT_READ] = Field(examples=["Harbour Freight Ltd"])
    """Partner's or customer's company as the person signed; null for employees and after erasure."""
    course_id: UUID
    """Policy id."""
    policy_title: str = Field(examples=["Code of conduct"])
    """Title when the version was published."""
    course_release_id: UUID
    """In the receipt hash."""
    version: int
    """The policy version."""
    effective_on: date | None
    """Of the policy version."""
    version_digest: Digest
    """As for policy versions."""
    act: ReceiptAct
    """In the receipt hash."""
    signed_at: HashedInstant
    """When the receipt was written, in exactly the form that is hashed."""
    sign_in_methods: str | None = Field(examples=["password totp"])
    """How the signing session had signed in, in order of use."""
    assignment_id: UUID
    """Share id. In the receipt hash."""
    cycle_id: UUID
    """The receipt that this one asks again after; all zeros the first time. In the receipt hash."""
    statement_sha256: Digest
    """In the receipt hash."""
    document_sha256: Digest
    """SHA-256 of the version's canonical HTML. In the receipt hash."""
    signature_sha256: Digest | None
    """SHA-256 of the signature as text; null for an acknowledgement. In the receipt hash."""
    previous_sha256: Digest
    """`receipt_sha256` of the receipt written immediately before; 64 zeros for the first. In the receipt hash."""
    receipt_sha256: Digest
    """See the receipt hash rule of the contract."""


POLICIES = Register(
    number=5,
    name="policies",
    scope=Scope.ACKNOWLEDGEMENTS_READ,
    row=PolicyVersion,
    identity="course_release_id",
    columns={"begins_at": "published_at"},
    subjects=("policy_version",),
    noun="policy versions",
    title="Policy versions",
    explains="Every policy version published by the chosen moment, oldest first.",
    listed=(
        Column("policy_title", "Policy", "policy"),
        Column("version", "Version", "number"),
        Column("act", "What people do", "word"),
        Column("doors", "For", "list"),
        Column("change_kind", "Change", "word"),
        Column("effective_on", "In effect from", "day"),
        Column("renew_months", "Again after (months)", "number"),
        Column("published_at", "Published", "day"),
    ),
    operation="listPolicies",
    summary="Policy versions",
    description="Every policy version published by `as_at`, oldest first.",
    tag="policies",
    few=True,
    signed=True,
)
POLICY_RECORDS = Register(
    number=6,
    name="policy-records",
    scope=Scope.ACKNOWLEDGEMENTS_READ,
    row=PolicyRecord,
    identity="record_id",
    columns={"due_at": "due_at", "done_at": "signed_at", "door": "door", "receipt_id": "receipt_id"},
    subjects=("person_policy",),
    noun="policy records",
    title="Policy records",
    explains="Everybody who is asked to sign or acknowledge a policy, and who has.",
    listed=(
        Column("person_name", "Person", "person"),
        Column("policy_title", "Policy"),
        Column("state", "State", "badge"),
        Column("due_at", "Due by", "day"),
        Column("signed_at", "Signed", "moment"),
        Column("version", "Version", "number"),
        Column("door", "Person is", "word"),
        Column("company", "Their company"),
        Column("record_id", "Why", "record"),
    ),
    operation="listPolicyRecords",
    summary="Who owes a policy version",
    description="Everyone who owed a policy version at `as_at`, with state, due date and the receipt that settled it.",
    tag="policies",
    tally="signature",
    owed="policy",
    of_person="policies",
)
ACKNOWLEDGEMENTS = Register(
    number=7,
    name="acknowledgements",
    scope=Scope.ACKNOWLEDGEMENTS_READ,
    row=Receipt,
    identity="receipt_id",
    columns={"begins_at": "signed_at", "door": "door"},
    subjects=("receipt",),
    noun="receipts",
    title="Receipts",
    explains="The receipts of everybody who has signed or acknowledged a policy, in the order in which they did.",
    listed=(
        Column("signed_at", "Signed", "moment"),
        Column("person_name", "Person", "person"),
        Column("policy_title", "Policy"),
        Column("version", "Version", "number"),
        Column("act", "What was done", "badge"),
        Column("door", "Person is", "word"),
        Column("signer_company", "Their company"),
        Column("receipt_id", "Proof", "receipt"),
    ),
    operation="listAcknowledgements",
    summary="Policy receipts",
    description="The company's policy receipts in the order in which the service wrote them.",
    tag="policies",
    window=Window.SINCE,
    signed=True,
    of_person="receipts",
)
REGISTERS = (POLICIES, POLICY_RECORDS, ACKNOWLEDGEMENTS)
