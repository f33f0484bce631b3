"""What /v1 answers with, one class a register (contract, Resources and their fields).

The OpenAPI document is made from these classes, and the suite reads every answer through them, so a field cannot be
in one and not in the other. Personal fields are optional: they are left out unless the key holds `people:read`.
"""

from datetime import date
from typing import Annotated, Any
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from compliance.rules.vocabulary import (
    AccessState,
    Cause,
    CertificateKind,
    CertificateStatus,
    ChangeKind,
    Door,
    DueBasis,
    EndedReason,
    EntryType,
    InvitationState,
    InvitationStatus,
    LiveSessionFormat,
    MarkedBy,
    Outcome,
    PolicyAct,
    PolicyRecordState,
    ReceiptAct,
    Requirement,
    SourceKind,
    WaiverReasonCode,
)

CLOCK: dict[str, Any] = {"x-clock-dependent": True}


class Shape(BaseModel):
    """Base of all: no other member than those named here."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$", examples=["9f" * 32])]
Personal = Annotated[str | None, Field(default=None, examples=["Ada Osei"])]
PersonalAddress = Annotated[str | None, Field(default=None, examples=["ada@example.com"])]
HashedInstant = Annotated[
    str,
    Field(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$",
        json_schema_extra={"format": "date-time"},
        examples=["2026-03-02T09:30:00.000000Z"],
    ),
]


class Tenant(Shape):
    """The members that say whose row it is."""

    deployment_id: UUID
    """The installation of the service."""
    organization_id: UUID
    """The company: the tenant boundary."""
    learning_space_id: UUID
    """The company's learning space."""


class Versioned(Tenant):
    """The members that say which version of a row it is."""

    sequence: int
    """Sequence of this row version in the company's history."""
    valid_from: AwareDatetime
    """When the facts behind this version took effect."""
    recorded_at: AwareDatetime
    """When the history writer captured this version."""
    cause: Cause
    """Why this version was written."""
    logic_version: int
    """Version of the shared owed-learning decider that computed it."""


class TrainingRecord(Versioned):
    """What an employee owes of one course, and with what outcome."""

    record_id: UUID
    """Stable id of the owed record: person, course and published release, or renewal cycle."""
    learner_profile_id: UUID
    """Employee profile. Retained after erasure."""
    person_name: Personal
    """Current name; a fixed label once the person is erased. Left out unless the key also holds `people:read`."""
    work_email: PersonalAddress
    """Address on the current source employee invitation. Left out unless the key also holds `people:read`."""
    course_id: UUID
    """The course."""
    course_release_id: UUID | None
    """Immutable published course version."""
    renews_certificate_id: UUID | None
    """Certificate whose renewal created this record."""
    requirement: Requirement
    """Whether it must be done."""
    assigned_at: AwareDatetime
    """When the requirement began."""
    due_at: AwareDatetime | None
    """The deadline; null means none."""
    due_time_zone: str = Field(examples=["Europe/Paris"])
    """IANA time zone name."""
    due_basis: DueBasis
    """Where the deadline comes from."""
    completed_at: AwareDatetime | None
    """Server receipt time of the completion."""
    completion_receipt_id: UUID | None
    """The completion's receipt."""
    ended_at: AwareDatetime | None
    """When the record stopped applying."""
    ended_reason: EndedReason | None
    """Why it stopped applying; `source_removed` when the person was erased."""
    waived_at: AwareDatetime | None
    """When an administrator waived the obligation."""
    waiver_actor_id: UUID | None
    """The administrator."""
    waiver_reason_code: WaiverReasonCode | None
    """The reason for the waiver."""
    outcome: Outcome = Field(json_schema_extra=CLOCK)
    """Outcome at the requested moment. Depends on the clock: it can change without a sequence change."""
    days_late: int | None = Field(json_schema_extra=CLOCK, ge=1)
    """Whole days past the deadline, rounded up. Depends on the clock."""
    reminders_sent: int = Field(ge=0)
    """Completed reminder sends known at the pinned capture."""
    share_ids: list[UUID]
    """All contributing shares."""
    doors: list[Door]
    """Audience doors; includes `employee`."""
    certificate_id: UUID | None
    """The certificate that the completion earned."""
    obligation_change_id: int | None
    """Source obligation-change id."""


class Person(Versioned):
    """An employee or an invitation; an accepted invitation and its employee are distinct rows."""

    person_id: UUID
    """Stable employee or invitation row id."""
    learner_profile_id: UUID | None
    """Retained after erasure."""
    invitation_id: UUID | None
    """Set for invitation rows."""
    entry_type: EntryType
    """Which of the two it is."""
    person_name: Personal
    """Current name; a fixed label once the person is erased."""
    work_email: PersonalAddress
    """Null when erased."""
    invited_at: AwareDatetime | None
    """When the invitation was sent."""
    joined_at: AwareDatetime | None
    """When the person joined; not an employment start date."""
    left_at: AwareDatetime | None
    """When access ended."""
    invitation_expires_at: AwareDatetime | None
    """When the invitation expires."""
    invitation_state: InvitationState | None
    """Stored invitation state."""
    invitation_status: InvitationStatus | None = Field(json_schema_extra=CLOCK)
    """Invitation state at the requested moment, including expiry. Depends on the clock."""
    access_state: AccessState
    """Whether the person may come in; `erased` means removed at the company's instruction."""
    team_ids: list[UUID]
    """The person's teams."""
    doors: list[Door]
    """Audience doors; includes `employee`."""
    records_owed: int = Field(ge=0)
    """Open required employee records at the requested moment."""
    records_completed: int = Field(ge=0)
    """Completed employee records at the requested moment."""
    no_required_records: bool
    """True when no required records are open."""


class Certificate(Tenant):
    """A certificate issued to an employee."""

    certificate_id: UUID
    """The certificate."""
    learner_profile_id: UUID
    """The holder."""
    person_name: Personal
    """The name issued on the certificate; a fixed label once the holder is erased."""
    course_id: UUID
    """The course."""
    course_release_id: UUID | None
    """The published course version that was completed."""
    course_release_version: int | None
    """Its version."""
    certificate_title: str = Field(examples=["Fire safety"])
    """Title recorded on the certificate edition."""
    kind: CertificateKind
    """What it attests."""
    earned_at: AwareDatetime
    """Completion or assessment time."""
    issued_at: AwareDatetime
    """When it was issued."""
    valid_until: AwareDatetime | None
    """Null means no expiry."""
    status: CertificateStatus = Field(json_schema_extra=CLOCK)
    """State at the requested moment. Depends on the clock."""
    changed_at: AwareDatetime | None
    """Revocation or replacement time, when known at the snapshot."""
    changed_by: UUID | None
    """Actor of the revocation or replacement."""
    supersedes_id: UUID | None
    """Earlier certificate that this one corrects."""
    renews_id: UUID | None
    """Earlier certificate that this one renews."""
    check_code: str = Field(default="", examples=["7KQ2-MM4T-X9"])
    """Opens the public check page; empty once the holder is erased. Left out unless the key holds `people:read`."""
    live_session_id: UUID | None
    """Set when the course was finished by attending a live session in full."""
    live_session_format: LiveSessionFormat | None
    """Where the session was held."""
    live_session_starts_at: AwareDatetime | None
    """When it started."""
    live_session_ends_at: AwareDatetime | None
    """When it ended."""
    live_session_minutes: int | None
    """How long it took."""
    live_session_marked_by: MarkedBy | None
    """Who made the final register mark."""
    trainer_name: str | None = Field(examples=["Trainer"])
    """From the trainer's current profile; `Trainer` until a name is set."""


class Lesson(Shape):
    """A lesson within a course version."""

    release_id: UUID
    """The lesson's release."""
    title: str = Field(examples=["Leaving the building"])
    """Current source title."""
    version: int
    """The lesson's version."""
    content_sha256: str = Field(pattern="^([0-9a-f]{64})?$", examples=["9f" * 32])
    """Fingerprint of the lesson's content; empty where a shared lesson came without one."""


class CourseVersion(Shape):
    """A published course version behind employee training records."""

    row_id: UUID
    """Stable course-release row id."""
    course_id: UUID
    """The course."""
    course_release_id: UUID | None
    """The release."""
    course_title: str | None = Field(examples=["Fire safety"])
    """From the current source course."""
    version: int | None
    """The release's version."""
    published_at: AwareDatetime | None
    """When the release was sealed."""
    publisher_id: UUID | None
    """Who published it."""
    content_sha256: Digest | None
    """Immutable content fingerprint."""
    contents_sha256: Digest | None
    """Fingerprint of the list of contained releases."""
    source_kind: SourceKind
    """What stands behind the row."""
    lessons: list[Lesson]
    """The lessons in their order."""


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
    signer_company: str | None = Field(examples=["Harbour Freight Ltd"])
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
    company: str | None = Field(examples=["Harbour Freight Ltd"])
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


class Logic(Shape):
    """The shared owed-learning decider."""

    version: int
    """Its version."""
    date: date
    """The day on which that version took effect."""


class Snapshot(Shape):
    """The pinned state of the company's history from which an answer was read."""

    organization_id: UUID
    """The company."""
    deployment_id: UUID
    """The installation of the service."""
    as_at: AwareDatetime
    """The moment that the answer is about: the resolved `as_at` or `to`."""
    from_: AwareDatetime | None = Field(alias="from")
    """The resolved `from`, where the endpoint has one."""
    known_at: AwareDatetime
    """When the pinned capture was written: nothing later is known to the answer."""
    sequence: int
    """Sequence of the last row version within the pin."""
    capture_sequence: int
    """Number of the pinned capture."""
    chain_hash: Digest
    """Chain hash of the pinned capture."""
    logic: Logic
    """The decider's version."""
    history_complete_from: AwareDatetime
    """Moments before this one are refused with `before_history`."""
    available: bool
    """Whether the registers answer."""


class SnapshotAnswer(Shape):
    """What /v1/snapshot answers."""

    snapshot: Snapshot
    """The company's latest snapshot."""


class Page(Shape):
    """What every register answers with."""

    total: int = Field(ge=0)
    """How many rows the whole pull returns."""
    snapshot: Snapshot
    """The snapshot from which the page was read."""
    next_cursor: str | None = Field(examples=[None])
    """Send it unchanged to the same endpoint; null when there are no more pages."""


class TrainingRecordPage(Page):
    """A page of training records."""

    data: list[TrainingRecord] = Field(max_length=200)
    """The rows of this page."""


class PersonPage(Page):
    """A page of people."""

    data: list[Person] = Field(max_length=200)
    """The rows of this page."""


class CertificatePage(Page):
    """A page of certificates."""

    data: list[Certificate] = Field(max_length=200)
    """The rows of this page."""


class CourseVersionPage(Page):
    """A page of course versions."""

    data: list[CourseVersion] = Field(max_length=200)
    """The rows of this page."""


class PolicyVersionPage(Page):
    """A page of policy versions."""

    data: list[PolicyVersion] = Field(max_length=200)
    """The rows of this page."""


class PolicyRecordPage(Page):
    """A page of policy records."""

    data: list[PolicyRecord] = Field(max_length=200)
    """The rows of this page."""


class ReceiptPage(Page):
    """A page of receipts."""

    data: list[Receipt] = Field(max_length=200)
    """The rows of this page."""


class ParameterFault(Shape):
    """What is wrong with one parameter."""

    parameter: str = Field(examples=["as_at"])
    """Its name."""
    detail: str = Field(examples=["as_at is not written as the contract says."])
    """What to send."""


class ProblemDocument(Shape):
    """RFC 9457 problem details. Act on `code` or `type`; never parse `detail`."""

    type: str = Field(json_schema_extra={"format": "uri"})
    """Address of the page about this code."""
    title: str
    """What the code means."""
    status: int
    """The HTTP status."""
    detail: str
    """What happened in this case."""
    instance: str = Field(json_schema_extra={"format": "uri"})
    """This occurrence."""
    code: str
    """The stable code."""
    request_id: UUID
    """The value of `X-Request-Id`."""
    errors: list[ParameterFault] = Field(default_factory=list)
    """The parameters at fault, where there are any."""


def example_of(schema: dict[str, Any], components: dict[str, Any]) -> Any:
    """A value that validates against a schema made from these classes, for the document's examples."""
    if "$ref" in schema:
        return example_of(components[schema["$ref"].rsplit("/", 1)[1]], components)
    if schema.get("examples"):
        return schema["examples"][0]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return example_of(schema["anyOf"][0], components)
    match schema.get("type"):
        case "object":
            return {name: example_of(member, components) for name, member in schema["properties"].items()}
        case "array":
            return [example_of(schema["items"], components)]
        case "integer":
            return 1
        case "boolean":
            return True
    by_format = {
        "uuid": "5f0c8d3a-7b1e-4c52-9d64-0a1b2c3d4e5f",
        "date-time": "2026-03-02T09:30:00.000000Z",
        "date": "2026-03-02",
        "uri": "https://svc.example/problems/invalid_request",
    }
    return by_format.get(schema.get("format", ""), "text")
