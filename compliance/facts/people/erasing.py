"""Erasure: clears every personal field of a person in every table, and nothing else.

`personal_columns.py` names the personal columns; the conditions that find a person's rows in those tables are declared
here. The rows stay, so no count, no chain and no hash changes: only names (also those on certificates), addresses,
companies, raw signatures and check codes are cleared. The erasure is also appended to a list outside the database
(`erasure_list.py`), so that it can be repeated after a restore.
"""

import logging
import uuid
from collections.abc import Collection, Mapping
from datetime import datetime
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from celery import current_app
from django.apps import apps
from django.db import transaction
from django.utils.module_loading import module_has_submodule
from kombu.exceptions import OperationalError

from compliance.facts.errors import AlreadyExistsError, RefusedByRuleError, UnresolvedReferenceError
from compliance.facts.ledger.models import SubjectKind
from compliance.facts.lines.kinds import InvitationRevoked, PersonErased
from compliance.facts.people import erasure_list, identities, resolving
from compliance.facts.personal_columns import PERSONAL_COLUMNS
from compliance.facts.recording.acting import act
from compliance.facts.recording.batch import Batch
from compliance.facts.recording.recording import Recording, enqueue_capture
from compliance.facts.refusal_reasons import RefusalReason
from compliance.facts.rows import append
from compliance.tenancy import context, sql

log = logging.getLogger(__name__)

FORGET_TASK = "compliance.evidence.forget_of"
"""The task that deletes a company's files that may hold names (packs, exports, uploads); it also runs each hour."""

# The conditions that find the person's rows in each table; `profiles` are the persons, `invitations` those sent to
# them, `organization` the company.
BY_PROFILE = "organization_id = %(organization)s AND learner_profile_id = ANY(%(profiles)s::uuid[])"
_INVITATIONS = """
SELECT i.invitation_id FROM people_invitation i WHERE i.organization_id = %(organization)s AND (
    i.invitation_id IN (SELECT e.invitation_id FROM people_employment e
        WHERE e.organization_id = %(organization)s AND e.learner_profile_id = ANY(%(profiles)s::uuid[]))
    OR lower(i.work_email) IN (SELECT lower(a.address) FROM people_personaldetail d
        CROSS JOIN LATERAL (VALUES (d.work_email), (d.account_email)) AS a (address)
        WHERE d.organization_id = %(organization)s AND d.learner_profile_id = ANY(%(profiles)s::uuid[]))
    AND NOT EXISTS (SELECT 1 FROM people_employment e WHERE e.organization_id = %(organization)s
        AND e.invitation_id = i.invitation_id AND NOT e.learner_profile_id = ANY(%(profiles)s::uuid[])))
"""
# Includes invitations sent to the person that nobody accepted: read once, before the addresses are cleared.
_BY_INVITATION = "organization_id = %(organization)s AND invitation_id = ANY(%(invitations)s::uuid[])"
_WHOSE_HERE: Mapping[str, str] = {  # constant conditions: values are passed as parameters
    "people_identity": (
        "organization_id = %(organization)s"
        " AND (subject_id = ANY(%(profiles)s::uuid[]) OR subject_id = ANY(%(invitations)s::uuid[]))"
    ),
    "people_invitation": _BY_INVITATION,
    "people_personaldetail": BY_PROFILE,
    "people_personroles": BY_PROFILE,
    "people_absence": BY_PROFILE,
    "people_profile": BY_PROFILE,
    "people_contact": BY_PROFILE,
    "training_trainer": "organization_id = %(organization)s AND trainer_profile_id = ANY(%(profiles)s)",
    "certificates_certificatecorrection": BY_PROFILE,
    "certificates_issuedname": BY_PROFILE,
    "certificates_checkcode": BY_PROFILE,
    "policies_rawsignature": BY_PROFILE,
}


@lru_cache(maxsize=1)
def whose() -> Mapping[str, str]:
    """The conditions of all rooms: rooms above this one declare theirs in their module `erasable_rows`."""
    found = dict(_WHOSE_HERE)
    for room in apps.get_app_configs():
        if room.module is not None and module_has_submodule(room.module, "erasable_rows"):
            found |= import_module(f"{room.name}.erasable_rows").WHOSE
    return found


class Cleared(NamedTuple):
    """How many values of a column an erasure clears or would clear."""

    table: str
    column: str
    values: int


def erase_person(
    *, organization_id: uuid.UUID, learner_profile_id: uuid.UUID, at: datetime, actor_id: uuid.UUID | None = None
) -> None:
    """Erase a person at the company's instruction. Raises the errors of `facts.errors`: unknown, or already erased."""
    act(PersonErased, organization_id=organization_id, at=at, actor_id=actor_id, learner_profile_id=learner_profile_id)


def repeat(entry: erasure_list.Entry, *, now: datetime) -> None:
    """Repeat an erasure of the list, as of the moment at which it was done. Raises as the actions do."""
    if entry.learner_profile_id is not None:
        profile_id = entry.learner_profile_id
        act(PersonErased, organization_id=entry.organization_id, at=entry.at, now=now, learner_profile_id=profile_id)
    elif entry.invitation_id is not None:
        invitation_id = entry.invitation_id
        erase_invitation(organization_id=entry.organization_id, invitation_id=invitation_id, at=entry.at, now=now)


def would_clear(*, organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> list[Cleared]:
    """The dry run: how many values of each column `erase_person` would clear. Needs the company's context.

    Raises UnresolvedReferenceError for an unknown person, AlreadyExistsError for one who is already erased.
    """
    erased = resolving.profiles(organization_id, [learner_profile_id]).get(learner_profile_id)
    if erased is None:
        raise UnresolvedReferenceError(resolving.NO_SUCH_PERSON)
    if erased:
        raise AlreadyExistsError("The person was erased before.")
    parameters = _named(organization_id, [learner_profile_id])
    found = []
    for table, condition in whose().items():
        columns = PERSONAL_COLUMNS[table]
        counts = ", ".join(f"count({column})" for column in columns)
        (row,) = sql.fetch(f"SELECT {counts} FROM {table} WHERE {condition}", parameters)  # noqa: S608 - SQL of our own
        found += [Cleared(table, column, count) for column, count in zip(columns, row, strict=True)]
    return found


def erase_invitation(
    *,
    organization_id: uuid.UUID,
    invitation_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
) -> None:
    """Clear the name and address on an invitation that nobody accepted; one that is still open is revoked.

    `at` is when this takes effect, `now` when it is recorded (`at` when None). Raises UnresolvedReferenceError for an
    unknown invitation, RefusedByRuleError for an accepted one (erase the person instead), AlreadyExistsError if it was
    already cleared.
    """
    with context.company(organization_id):
        sql.fetch(
            "SELECT 1 FROM people_invitation WHERE organization_id = %s AND invitation_id = %s FOR UPDATE",
            [organization_id, invitation_id],
        )
        invitation = resolving.invitations(organization_id, [invitation_id]).get(invitation_id)
        if invitation is None:
            raise UnresolvedReferenceError("invitation_id: the company knows no such invitation.")
        if invitation.work_email is None and invitation.person_name is None:
            raise AlreadyExistsError("The invitation was erased before.")
        if invitation.person_id is not None:
            raise RefusedByRuleError("The invitation was accepted: erase the person instead.")
        if invitation.revoked_at is None:
            act(
                InvitationRevoked,
                organization_id=organization_id,
                at=at,
                now=now,
                actor_id=actor_id,
                invitation_id=invitation_id,
            )
        identities.clear(organization_id, [invitation_id])
        sql.execute(
            "UPDATE people_invitation SET work_email = NULL, person_name = NULL, erased_at = %s"
            " WHERE organization_id = %s AND invitation_id = %s",
            [at, organization_id, invitation_id],
        )
        recording = Recording(organization_id, now or at, actor_id)
        recording.subjects.add([(SubjectKind.INVITATION.value, invitation_id, None)])
        recording.finish()
        transaction.on_commit(lambda: enqueue_capture(organization_id))
        entry = erasure_list.Entry(organization_id, None, invitation_id, at)
        transaction.on_commit(lambda: _list_outside([entry]))
        transaction.on_commit(lambda: _enqueue_forgetting(organization_id))


def record_person_erased(batch: Batch[PersonErased]) -> None:
    """Record each erasure, clear what is personal, and append it to the list outside the database.

    With the persons, the list names the invitations that are cleared: a backup may be older than their acceptance, and
    know the invitation alone.
    """
    organization_id = batch.organization_id
    # Locked before anything is read about them: a transaction that writes about a person holds a share of this lock.
    sql.fetch(
        "SELECT 1 FROM people_profile WHERE organization_id = %s AND learner_profile_id = ANY(%s) ORDER BY id"
        " FOR UPDATE",
        [organization_id, [staged.line.learner_profile_id for staged in batch.lines]],
    )
    erased = resolving.profiles(organization_id, [staged.line.learner_profile_id for staged in batch.lines])
    entries: dict[uuid.UUID, erasure_list.Entry] = {}
    for staged in batch.accepted():
        profile_id = staged.line.learner_profile_id
        if profile_id not in erased:
            batch.refuse(staged, RefusalReason.UNRESOLVED, resolving.NO_SUCH_PERSON)
        elif erased[profile_id] or profile_id in entries:
            batch.refuse(staged, RefusalReason.ERASED, "The person was erased before.")
        else:
            entries[profile_id] = erasure_list.Entry(organization_id, profile_id, None, staged.line.at)
            batch.subject(SubjectKind.EVERYTHING_OF_PERSON, profile_id)
    if not entries:
        return
    append(
        "people_erasure",
        organization_id,
        {"learner_profile_id": "uuid", "at": "timestamptz"},
        [(profile_id, entry.at) for profile_id, entry in entries.items()],
        constants={"recorded_at": ("timestamptz", batch.now)},
    )
    listed, latest = list(entries.values()), max(entry.at for entry in entries.values())
    for invitation_id in _clear(organization_id, list(entries)):
        batch.subject(SubjectKind.INVITATION, invitation_id)
        listed.append(erasure_list.Entry(organization_id, None, invitation_id, latest))
    sql.execute(
        "UPDATE people_profile p SET erased_at = e.at FROM people_erasure e WHERE p.organization_id = %s"
        " AND e.organization_id = p.organization_id AND e.learner_profile_id = p.learner_profile_id"
        " AND p.learner_profile_id = ANY(%s)",
        [organization_id, list(entries)],
    )
    transaction.on_commit(lambda: _list_outside(listed))
    transaction.on_commit(lambda: _enqueue_forgetting(organization_id))


def _list_outside(entries: Collection[erasure_list.Entry]) -> None:
    """Append to the list outside the database. Where that fails the erasure is done all the same, and an alert says so.

    An error after the commit would state that nothing was recorded, and the files with names would not be deleted.
    """
    try:
        erasure_list.append(entries)
    except OSError as error:
        for entry in entries:
            named = {name: str(value) for name, value in entry._asdict().items() if value is not None}
            log.critical("erasure_not_listed", extra=named | {"error": error.strerror or type(error).__name__})


def _enqueue_forgetting(organization_id: uuid.UUID) -> None:
    """Send the task at once. If the broker is unavailable nothing is lost: the hourly run finds the same work."""
    try:
        current_app.send_task(FORGET_TASK, [str(organization_id)], retry=False)
    except (OperationalError, OSError):
        pass


# An invitation that was sent to an erased person and never accepted is marked as erased from the erasure on.
_INVITATIONS_ERASED = """
UPDATE people_invitation t SET erased_at = f.at FROM (
    SELECT o.invitation_id, min(x.at) AS at
    FROM people_erasure x
    JOIN people_personaldetail d USING (organization_id, learner_profile_id)
    CROSS JOIN LATERAL (VALUES (d.work_email), (d.account_email)) AS a (address)
    JOIN people_invitation o ON o.organization_id = x.organization_id AND lower(o.work_email) = lower(a.address)
    WHERE x.organization_id = %(organization)s AND x.learner_profile_id = ANY(%(profiles)s::uuid[])
    GROUP BY o.invitation_id
) f
WHERE t.invitation_id = f.invitation_id AND t.erased_at IS NULL AND t.organization_id = %(organization)s
    AND t.invitation_id = ANY(%(invitations)s::uuid[])
"""


def _named(organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID]) -> dict[str, Any]:
    """The parameters of the conditions: the persons, and the invitations that were sent to them."""
    parameters: dict[str, Any] = {"organization": organization_id, "profiles": list(profile_ids)}
    return parameters | {"invitations": [row[0] for row in sql.fetch(_INVITATIONS, parameters)]}


def _clear(organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID]) -> list[uuid.UUID]:
    """Clear every personal column of the persons' rows; return the invitations among them."""
    parameters = _named(organization_id, profile_ids)
    # Waits for a capture that is storing what lies behind the commitments of these invitations.
    sql.fetch(f"SELECT 1 FROM people_invitation WHERE {_BY_INVITATION} ORDER BY id FOR UPDATE", parameters)  # noqa: S608
    sql.execute(_INVITATIONS_ERASED, parameters)
    for table, condition in whose().items():
        cleared = ", ".join(f"{column} = NULL" for column in PERSONAL_COLUMNS[table])
        sql.execute(f"UPDATE {table} SET {cleared} WHERE {condition}", parameters)  # noqa: S608 - SQL of our own
    return list(parameters["invitations"])
