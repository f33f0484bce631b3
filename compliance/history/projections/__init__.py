"""From what the rules decide to what the history stores: one module a subject.

A body is canonical JSON text: the fields of the row in `catalogue`, in that order, no white space, instants as
`YYYY-MM-DDTHH:MM:SS.ffffffZ`, without what is personal, joined at read or decided by the clock, and without the
envelope (`deployment_id`, `organization_id`, `learning_space_id`, `sequence`, `valid_from`, `recorded_at`, `cause`,
`logic_version`). Joined are also the titles of courses and lessons, and a trainer by `live_session_id`; a
certificate's `status` comes from the column `state` and `valid_until`.

Two columns hold what the body does not; `hashed_body` adds them to what is hashed.
"""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from compliance.catalogue.certificates import CERTIFICATES
from compliance.catalogue.training import TRAINING_RECORDS


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

    `sources` are those of a training record, one after another as its versions name them.
    """

    register: int
    record_id: UUID
    learner_profile_id: UUID | None
    course_id: UUID | None
    versions: list[ProjectedVersion]
    sources: Collection[Source] = ()


def hashed_body(register: int, body: bytes, state: str | None, state_before_end: str | None) -> bytes:
    """The bytes whose SHA-256 a row digest holds: the body and, in two registers, a line feed and a column's word.

    For an ended training record the word is `state_before_end`: whether it was required just before its end, on which
    the outcome `missed` or `excused` depends. For a certificate it is `state`: valid, revoked or replaced.
    """
    if register == TRAINING_RECORDS.number:
        return body if state_before_end == state or not body else b"%b\n%b" % (body, (state_before_end or "").encode())
    if register == CERTIFICATES.number and body:
        return b"%b\n%b" % (body, (state or "").encode())
    return body
