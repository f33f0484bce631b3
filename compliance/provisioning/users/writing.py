"""Writes of Users: what a client states becomes facts, and the rest is stored, all in one transaction."""

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from scim2_models import UniquenessException

from compliance.access.models import Source
from compliance.facts.errors import InvalidFactError
from compliance.facts.lines.kinds import (
    EmployeeResumed,
    EmployeeSuspended,
    FactLine,
    PersonChanged,
)
from compliance.facts.people import employees
from compliance.facts.people.employees import RecordedLast
from compliance.facts.recording import record
from compliance.provisioning.clients import Client, turn
from compliance.provisioning.kinds import Check
from compliance.provisioning.stays import Joining, Leaving
from compliance.provisioning.users import documents, reading, storing
from compliance.provisioning.users.documents import Row, StatedFacts

_AFTER = timedelta(microseconds=1)
_NOBODY = RecordedLast(None, False, None, None, None, frozenset(), None)
_TAKEN = "Another User has this {}."


def create(client: Client, wanted: Any) -> Any:
    """Creates a User: somebody joins, or returns after the client had removed them. Returns the User as answered."""
    documents.check(wanted)
    stated, document = documents.stated_facts(wanted), documents.kept(wanted)
    with turn(client) as now:
        learner_profile_id, known = uuid.uuid4(), _NOBODY
        returning = _returning(client, wanted)
        if returning is not None and employees.lock(client.organization_id, returning):  # not erased meanwhile
            learner_profile_id = returning
            known = employees.recorded_last(client.organization_id, returning)
        at = _moment(now, known)
        lines = _joining(client, learner_profile_id, stated, known, at)
        _record(client, lines, now)
        if wanted.external_id is not None:
            storing.release_external_id(client, wanted.external_id, learner_profile_id)
        _keep(client, learner_profile_id, wanted, document, at)
        return documents.answered(reading.row(client, learner_profile_id))


def change(client: Client, identifier: str, changing: Callable[[Any], Any], *, whole: bool) -> Any:
    """Changes a User: differences become facts. Returns the User as answered."""
    learner_profile_id = reading.identified(identifier)
    with turn(client) as now:
        employees.lock(client.organization_id, learner_profile_id)
        row = reading.row(client, learner_profile_id)
        present = documents.answered(row)
        before = documents.stated_facts(present)
        wanted = changing(documents.answered(row))
        documents.check(wanted)
        stated, document = documents.stated_facts(wanted), documents.kept(wanted, patched=not whole)
        _refuse_names_of_others(client, row, wanted)
        known = employees.recorded_last(client.organization_id, learner_profile_id)
        at = _moment(now, known)
        lines = _changing(client, learner_profile_id, stated, before, known, at, whole=whole)
        same = (document, wanted.external_id, wanted.user_name) == (row.document, row.external_id, row.user_name)
        if not lines and same:
            return present
        _record(client, lines, now)
        if wanted.external_id is not None:
            storing.release_external_id(client, wanted.external_id, learner_profile_id)
        _keep(client, learner_profile_id, wanted, document, at)
        return documents.answered(reading.row(client, learner_profile_id))


def remove(client: Client, identifier: str, check: Check | None) -> None:
    """Removes a User: the employee has left, whatever `active: false` means for this client. Nobody is erased."""
    learner_profile_id = reading.identified(identifier)
    with turn(client) as now:
        employees.lock(client.organization_id, learner_profile_id)
        row = reading.row(client, learner_profile_id)
        if check is not None:
            check(documents.answered(row))
        known = employees.recorded_last(client.organization_id, learner_profile_id)
        at = _moment(now, known)
        if known.person_id is not None:
            _record(client, [_line(Leaving, at, person_id=known.person_id)], now)
        storing.mark_removed(client, learner_profile_id, at)


def _returning(client: Client, wanted: Any) -> uuid.UUID | None:
    """The person who returns under this userName or externalId. No User that the client sees may have either."""
    found = storing.namesakes(client, wanted.user_name, wanted.external_id)
    for each in found:
        if each.visible:
            raise UniquenessException(detail=_TAKEN.format("userName" if each.same_user_name else "externalId"))
    known = sorted(found, key=lambda each: not each.same_external_id)  # a stable sort: the rest keeps its order
    return known[0].learner_profile_id if known else None


def _refuse_names_of_others(client: Client, row: Row, wanted: Any) -> None:
    """Refuses new names that somebody else has. People whom a file has given the same address can still be changed."""
    external_id = None if wanted.external_id == row.external_id else wanted.external_id
    found = storing.namesakes(client, wanted.user_name, external_id)
    same = any(each.same_user_name for each in found if each.learner_profile_id == row.learner_profile_id)
    for each in found:
        if each.visible and each.learner_profile_id != row.learner_profile_id and (each.same_external_id or not same):
            taken = "externalId" if same or not each.same_user_name else "userName"
            raise UniquenessException(detail=_TAKEN.format(taken))


def _moment(now: datetime, known: RecordedLast) -> datetime:
    """The moment from which this request's facts have effect: now, or after all that is recorded of the person."""
    return now if known.last_recorded is None else max(now, known.last_recorded + _AFTER)


def _joining(
    client: Client, learner_profile_id: uuid.UUID, stated: StatedFacts, known: RecordedLast, at: datetime
) -> list[FactLine]:
    """The facts of somebody who joins or returns; an inactive User is suspended or leaves at the same moment."""
    person_id = uuid.uuid4()
    lines = [
        _line(
            Joining,
            at,
            person_id=person_id,
            learner_profile_id=learner_profile_id,
            person_name=stated.person_name,
            account_email=stated.account_email,
            role_ids=tuple(sorted(known.role_ids | stated.role_ids)) if stated.role_ids else None,
        )
    ]
    if stated.work_email is not None and stated.work_email != known.work_email:
        lines.append(_line(PersonChanged, at, learner_profile_id=learner_profile_id, work_email=stated.work_email))
    if stated.active is False:
        lines.append(_line(_end_of(client), at, person_id=person_id))
    return lines


def _changing(
    client: Client,
    learner_profile_id: uuid.UUID,
    stated: StatedFacts,
    before: StatedFacts,
    known: RecordedLast,
    at: datetime,
    *,
    whole: bool,
) -> list[FactLine]:
    """The facts that bring what is recorded in line with what the client states now.

    A part that the client did not change is recorded again only where it has stated the whole.
    """
    lines: list[FactLine] = []
    changed: dict[str, Any] = {}
    for name in ("person_name", "account_email", "work_email"):
        value = getattr(stated, name)
        if value not in (None, getattr(known, name)) and (whole or value != getattr(before, name)):
            changed[name] = value
    role_ids = (known.role_ids - before.role_ids) | stated.role_ids
    if role_ids != known.role_ids:
        changed["role_ids"] = tuple(sorted(role_ids))
    if changed:
        lines.append(_line(PersonChanged, at, learner_profile_id=learner_profile_id, **changed))
    active = known.person_id is not None and not known.suspended
    if stated.active is None or stated.active == active:
        return lines
    if not stated.active:
        lines.append(_line(_end_of(client), at, person_id=known.person_id))
    elif known.person_id is not None:
        lines.append(_line(EmployeeResumed, at, person_id=known.person_id))
    else:
        lines.append(_line(Joining, at, person_id=uuid.uuid4(), learner_profile_id=learner_profile_id))
    return lines


def _end_of(client: Client) -> type[FactLine]:
    """The kind of fact that this client means by setting a User inactive."""
    return EmployeeSuspended if client.source.leaving == Source.Leaving.SUSPENDED else Leaving


def _line(kind: type[FactLine], at: datetime, **fields: Any) -> FactLine:
    try:
        return kind(fact_id=uuid.uuid4(), at=at, **fields)
    except ValueError as error:
        raise InvalidFactError("A value of the User is none that can be recorded.") from error


def _record(client: Client, lines: Sequence[FactLine], now: datetime) -> None:
    if lines:
        record(client.organization_id, lines, now=now)


def _keep(client: Client, learner_profile_id: uuid.UUID, wanted: Any, document: dict[str, Any], at: datetime) -> None:
    by_facts = documents.is_address(wanted.user_name) or wanted.user_name == str(learner_profile_id)
    storing.keep(
        client,
        learner_profile_id,
        external_id=wanted.external_id,
        user_name=None if by_facts else wanted.user_name,
        document=document,
        at=at,
    )
