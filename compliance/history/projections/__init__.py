"""From what the rules decide to what the history stores: one module a subject.

A body is canonical JSON text: the fields of the row in `catalogue`, in that order, no white space, instants as
`YYYY-MM-DDTHH:MM:SS.ffffffZ`, without what is personal, joined at read or decided by the clock, and without the
envelope (`deployment_id`, `organization_id`, `learning_space_id`, `sequence`, `valid_from`, `recorded_at`, `cause`,
`logic_version`). Joined are also the titles of courses and lessons, and a trainer by `live_session_id`; a
certificate's `status` comes from the column `state` and `valid_until`.

A projection gives this visible text. `stored_body` puts before its fields what is hashed with it and hidden from /v1
(`proofs.history.HIDDEN_MEMBERS`).
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
"""Body and columns of a version that says that the record is absent."""


class ProjectedVersion(NamedTuple):
    """What holds from `valid_from` on: the body (empty: absent) and the columns."""

    valid_from: datetime
    body: bytes
    columns: Columns


class Source(NamedTuple):
    """What a training record is about: a release of a course or, where a lesson was shared alone, the lesson's."""

    course_release_id: UUID | None
    lesson_release_id: UUID | None


class ProjectedTimeline(NamedTuple):
    """All versions of one record as decided now, with strictly increasing `valid_from`.

    `sources` are those of a training record, one after another as its versions name them. `identity` is the commitment
    that rows of people bear (`facts.identities`), null in other registers; a certificate gets its own when it is
    recorded.
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

    A training record has `state_before_end` where it is not what `requirement` says: whether it was required just
    before its end, on which the outcome `missed` or `excused` depends. A certificate has `state`. People and
    certificates have `identity_sha256`, null where `identity` is `NO_IDENTITY`.
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
    """The commitment that a stored body bears; `NO_IDENTITY` where it says that there is none, None without a word."""
    found = _STORED_IDENTITY.match(body)
    return None if found is None else found[1] or NO_IDENTITY


def hashed_body(register: int, body: bytes, state: str | None, state_before_end: str | None) -> bytes:
    """The bytes whose SHA-256 the digest of a stored row holds: its body.

    Rows written before bodies had hidden members: the body and, in two registers, a line feed and a column's word.
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
