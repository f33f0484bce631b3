"""Certificates of employees."""

from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, Field

from compliance.catalogue.declaration import Column, Register
from compliance.catalogue.fields import AT_READ, CLOCK, OF_PERSON, Personal, Shape, Tenant
from compliance.rules.vocabulary import CertificateKind, CertificateStatus, LiveSessionFormat, MarkedBy, Scope


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
    check_code: Annotated[str, OF_PERSON] = Field(default="", examples=["7KQ2-MM4T-X9"])
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
    trainer_name: Annotated[str | None, AT_READ] = Field(examples=["Trainer"])
    """From the trainer's current profile; `Trainer` until a name is set."""


class CertificateBasis(Shape):
    """What the status of a certificate follows from besides its fields."""

    state: CertificateStatus
    """What facts made of it: `valid`, `revoked` or `replaced`; the clock makes `expired` of `valid`."""


CERTIFICATES = Register(
    number=3,
    name="certificates",
    scope=Scope.CERTIFICATES_READ,
    row=Certificate,
    identity="certificate_id",
    columns={
        "begins_at": "issued_at",
        "due_at": "valid_until",
        "ends_at": "changed_at",
        "live_session_id": "live_session_id",
    },
    basis=CertificateBasis,
    subjects=("person_course",),
    noun="certificates",
    title="Certificates",
    explains="Every certificate that was issued, and whether it is valid.",
    listed=(
        Column("person_name", "Person", "person"),
        Column("certificate_title", "Certificate"),
        Column("status", "State", "badge"),
        Column("kind", "Kind", "word"),
        Column("earned_at", "Earned", "day"),
        Column("valid_until", "Valid until", "day"),
        Column("changed_at", "Changed", "day"),
        Column("check_code", "Check code", "check"),
        Column("certificate_id", "History", "record"),
    ),
    operation="listCertificates",
    summary="Certificates as at a moment",
    description="Employee certificates issued by `as_at`, with their state then.",
    tag="certificates",
    tally="certificate",
    of_person="certificates",
)
REGISTERS = (CERTIFICATES,)
