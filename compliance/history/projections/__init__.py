"""From what the rules decide to what the history stores: one module a register (training and certificates share one).

A body is canonical JSON text: the contract's fields in the contract's order, no white space, instants as
`YYYY-MM-DDTHH:MM:SS.ffffffZ`, without what is personal, joined at read or decided by the clock, and without the
envelope (`deployment_id`, `organization_id`, `learning_space_id`, `sequence`, `valid_from`, `recorded_at`, `cause`,
`logic_version`). So a body holds exactly:

- training records: record_id, learner_profile_id, course_id, course_release_id, renews_certificate_id, requirement,
  assigned_at, due_at, due_time_zone, due_basis, completed_at, completion_receipt_id, ended_at, ended_reason, waived_at,
  waiver_actor_id, waiver_reason_code, share_ids, doors, certificate_id, obligation_change_id
- people: person_id, learner_profile_id, invitation_id, entry_type, invited_at, joined_at, left_at,
  invitation_expires_at, invitation_state, access_state, team_ids, doors
- certificates: certificate_id, learner_profile_id, course_id, course_release_id, course_release_version,
  certificate_title, kind, earned_at, issued_at, valid_until, changed_at, changed_by, supersedes_id, renews_id,
  live_session_id, live_session_format, live_session_starts_at, live_session_ends_at, live_session_minutes,
  live_session_marked_by (`status` comes from the column `state` and `valid_until`; the trainer by `live_session_id`)
- courses: row_id, course_id, course_release_id, version, published_at, publisher_id, content_sha256, contents_sha256,
  source_kind, lessons (each: release_id, version, content_sha256; the title is joined)
- policies: course_id ... html, all of the contract's
- policy records: record_id, course_id, course_release_id, policy_title, version, learner_profile_id, door,
  assignment_id, due_at, signed_at, receipt_id, act
- receipts: receipt_id ... receipt_sha256, all of the contract's that are not personal

What two columns say beyond the body is hashed with it, by `hashed_body`.
"""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from compliance.history import numbers


class Columns(NamedTuple):
    """The typed columns of a version, in the order of the table in history.models."""

    state: str | None = None
    state_before_end: str | None = None
    begins_at: datetime | None = None
    due_at: datetime | None = None
    done_at: datetime | None = None
    waived_at: datetime | None = None
    ends_at: datetime | None = None


NO_COLUMNS = Columns()


class ProjectedVersion(NamedTuple):
    """What holds from `valid_from` on: the body (empty: absent) and the columns."""

    valid_from: datetime
    body: str
    columns: Columns


class ProjectedTimeline(NamedTuple):
    """All versions of one record as decided now, with strictly increasing `valid_from`."""

    register: int
    record_id: UUID
    learner_profile_id: UUID | None
    course_id: UUID | None
    versions: list[ProjectedVersion]


def hashed_body(register: int, body: bytes, state: str | None, state_before_end: str | None) -> bytes:
    """The bytes whose SHA-256 a row digest holds: the body and, where columns say what it does not, one more line.

    Those are: of an ended training record, whether it was required just before (`missed` or `excused` hangs on it); of
    a certificate, its standing.
    """
    if register == numbers.TRAINING_RECORDS:
        return body if state_before_end == state or not body else b"%b\n%b" % (body, (state_before_end or "").encode())
    if register == numbers.CERTIFICATES and body:
        return b"%b\n%b" % (body, (state or "").encode())
    return body
