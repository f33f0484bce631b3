"""Turns the decisions of the rules into what the history stores: one module per subject.

A body is canonical JSON text: the fields of the row in `catalogue`, in that order, without white space, instants as
`YYYY-MM-DDTHH:MM:SS.ffffffZ`. It has no personal fields, none that are joined at read or decided by the clock, and no
envelope (`deployment_id`, `organization_id`, `learning_space_id`, `sequence`, `valid_from`, `recorded_at`, `cause`,
`logic_version`). The titles of courses and lessons are joined at read too, and a trainer by `live_session_id`; a
certificate's `status` comes from the column `state` and `valid_until`.

A projection returns this visible text. `stored_body` puts the members that are hashed with it but hidden from /v1
before its fields (`proofs.history.HIDDEN_MEMBERS`).
"""

import re
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from compliance.catalogue.certificates import CERTIFICATES
from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.people.identities import NO_IDENTITY


class Columns(NamedTuple):
    """The typed columns of a version, in the order of the table in history.models."""

    state: str | None = None
    state_before_end: str | None = None
    begins_at: datetime | None = None
    due_at: datetime | None = None
    done_at: datetime | None = None
    waived_at: datetime | None = None
    ends_at: datetime | None = None
    door: str | None = None
    receipt_id: UUID | None = None
    live_session_id: UUID | None = None
    renews_certificate_id: UUID | None = None
    lesson_share_id: UUID | None = None


ABSENT = (b"", Columns())
"""Body and columns of a version in which the record is absent."""


class ProjectedVersion(NamedTuple):
    """The content of a record from `valid_from` on: the body (empty: absent) and the columns."""

    valid_from: datetime
    body: bytes
    columns: Columns


class Source(NamedTuple):
    """What a training record is about: a release of a course or, if a lesson was shared alone, of that lesson."""

    course_release_id: UUID | None
    lesson_release_id: UUID | None


class ProjectedTimeline(NamedTuple):
    """All versions of one record as decided now, with strictly increasing `valid_from`.

    `sources` are those of a training record, in the order in which its versions name them. `identity` is the commitment
    in rows of people (`facts.identities`), null in other registers; a certificate gets one when it is recorded.
    """

    register: int
    record_id: UUID
    learner_profile_id: UUID | None
    course_id: UUID | None
    versions: list[ProjectedVersion]
    sources: Collection[Source] = ()
    identity: str | None = None


def stored_body(register: int, body: bytes, columns: Columns, identity: str | None = None) -> bytes:
    """The text that is stored and hashed: the body with its hidden members before its fields; an absence stays empty.

    A training record has `state_before_end` where it differs from `requirement`: whether it was required just before
    its end, on which the outcome `missed` or `excused` depends. A certificate has `state`. People and certificates have
    `identity_sha256`, null where `identity` is `NO_IDENTITY`.
    """
    if not body:
        return body
    hidden = b""
    if register == TRAINING_RECORDS.number:
        if columns.state_before_end == columns.state:
            return body
        hidden = _member(_STATE_BEFORE_END, columns.state_before_end)
    elif register == CERTIFICATES.number:
        hidden = _member(_STATE, columns.state)
    if identity is not None:
        hidden += _member(_IDENTITY, identity)
    return b"{%b%b" % (hidden, body[1:]) if hidden else body


def stored_identity(body: str) -> str | None:
    """The commitment in a stored body; `NO_IDENTITY` where the member is null, None where there is no such member."""
    found = _STORED_IDENTITY.match(body)
    return None if found is None else found[1] or NO_IDENTITY


def hashed_body(register: int, body: bytes, state: str | None, state_before_end: str | None) -> bytes:
    """The bytes whose SHA-256 is in the digest of a stored row: its body.

    For rows written before bodies had hidden members: the body and, in two registers, a line feed and a column's value.
    """
    if register == TRAINING_RECORDS.number:
        word, member = state_before_end, _STATE_BEFORE_END
        beside = state_before_end != state
    else:
        word, member = state, _STATE
        beside = register == CERTIFICATES.number
    if not beside or not body or body.startswith(b'{"%b":' % member):
        return body
    return b"%b\n%b" % (body, (word or "").encode())


_STATE, _STATE_BEFORE_END, _IDENTITY = b"state", b"state_before_end", b"identity_sha256"
_STORED_IDENTITY = re.compile(r'\{(?:"state":"[a-z]*",)?"identity_sha256":(?:"([0-9a-f]{64})"|null),')


def _member(name: bytes, word: str | None) -> bytes:
    return b'"%b":null,' % name if not word else b'"%b":"%b",' % (name, word.encode())
