"""`/v1/people`: employees and invitations that existed between two moments, as at the later moment."""

from collections.abc import Sequence
from uuid import UUID

import orjson

from compliance.catalogue.people import PEOPLE
from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.people import lookups
from compliance.history import in_force, outcomes
from compliance.history.text import instant
from compliance.registers import splicing
from compliance.registers.pages import Filter, Listing, Record
from compliance.registers.questions import Question
from compliance.registers.splicing import Rows
from compliance.rules.people.status import access_state_at, invitation_status_at
from compliance.rules.vocabulary import AccessState, EntryType
from compliance.tenancy import arrays, reading

_WANTED = (
    "r.sequence, r.valid_from, r.recorded_at, r.cause, r.logic_version, r.state, r.due_at, r.body,"
    f" p.person_name, p.work_email, {lookups.ENTRY_ERASED_AT},"
    " i.person_name, i.work_email"
)
# Records of employees name the profile; the profile of an invitation is that of the person who joined by it, if any.
_JOINED = lookups.entry("r")


def _present(question: Question, records: Sequence[Record]) -> Rows:
    bodies = [orjson.loads(record[9]) for record in records]
    counts = _counts(question, [each["learner_profile_id"] for each in bodies if _counted(each)])
    opening = splicing.opening(question)
    rows = []
    for record, stored in zip(records, bodies, strict=True):
        (
            _, _, sequence, valid_from, recorded_at, cause, logic_version, state, expires_at, body, person_name,
            work_email, erased_at, invited_name, invited_email,
        ) = record  # fmt: skip
        invitation_state = stored["invitation_state"]
        status = invitation_status_at(invitation_state, expires_at, question.moment)
        access_state = access_state_at(state, invitation_state, expires_at, question.moment)
        if access_state != state:
            body = orjson.dumps(stored | {"access_state": access_state}).decode()
        owed, completed = counts.get(stored["learner_profile_id"], (0, 0)) if _counted(stored) else (0, 0)
        if question.personal and stored["entry_type"] == EntryType.INVITATION:
            person_name, work_email = person_name or invited_name, invited_email or work_email
        who = splicing.ending(question, "work_email", person_name, work_email, erased_at)
        rows.append(
            f'{opening}"sequence":{sequence},"valid_from":"{instant(valid_from)}","recorded_at":"{instant(recorded_at)}"'
            f',"cause":"{cause}","logic_version":{logic_version},{splicing.members(body)}'
            f',"invitation_status":{splicing.quoted(status)},"records_owed":{owed},"records_completed":{completed}'
            f',"no_required_records":{"false" if owed else "true"}{who}'
        )
    return splicing.whole(rows)


_NAMES = f"""
SELECT r.birth, p.person_name, p.work_email, {lookups.ENTRY_ERASED_AT}, i.person_name, i.work_email,
    r.learner_profile_id IS NULL
FROM (SELECT r.birth, r.record_id, r.learner_profile_id FROM {in_force.RECORDS}
    AND r.register = %(register)s AND r.birth = ANY(%(record_numbers)s)) r {_JOINED}"""  # noqa: S608


def _personal(question: Question, versions: Sequence[Record]) -> list[str]:
    """The current name and address for each version's record, whichever version it is."""
    numbers = [version[2] for version in versions]
    asked = {
        "organization": question.company.organization_id,
        "register": PEOPLE.number,
        "record_numbers": arrays.bigints(sorted(set(numbers))),
    }
    named = {}
    for number, person_name, work_email, erased_at, invited_name, invited_email, invited in reading.fetch(
        _NAMES, asked
    ):
        if invited:
            person_name, work_email = person_name or invited_name, invited_email or work_email
        named[number] = splicing.ending(question, "work_email", person_name, work_email, erased_at)[:-1]
    return [named[number] for number in numbers]


_EXPIRED = outcomes.invitation_expired()
_STATES = {state: f"v.state = '{state}'" for state in AccessState} | {
    AccessState.INVITED: f"v.state = '{AccessState.INVITED}' AND NOT {_EXPIRED}",
    AccessState.ENDED: f"(v.state = '{AccessState.ENDED}' OR {_EXPIRED})",
}
"""Which rows display each state at the moment, as `access_state_at` decides it."""

LISTINGS = (
    Listing(
        register=PEOPLE,
        condition=(
            "v.begins_at <= %(moment)s AND (v.ends_at IS NULL OR v.ends_at > %(start)s)"
            f" AND NOT {outcomes.invitation_over('%(start)s')}"
        ),
        wanted=_WANTED,
        present=_present,
        personal=_personal,
        joined=_JOINED,
        filters={
            state.value: Filter(state.value.replace("_", " ").capitalize(), condition)
            for state, condition in _STATES.items()
        },
    ),
)


def _counted(stored: dict[str, object]) -> bool:
    """Whether the row has counts of records: that of an employee whose access has not ended."""
    return stored["entry_type"] == EntryType.EMPLOYEE and stored["access_state"] not in (
        AccessState.ENDED,
        AccessState.ERASED,
    )


_COUNTS = f"""
SELECT r.learner_profile_id,
       count(*) FILTER (WHERE {outcomes.OPEN}),
       count(*) FILTER (WHERE v.done_at IS NOT NULL)
FROM {in_force.records("v.state, v.begins_at, v.done_at, v.waived_at, v.ends_at")}
  AND r.register = {TRAINING_RECORDS.number} AND r.learner_profile_id = ANY(%(learners)s) AND r.birth <= %(sequence)s
  AND {outcomes.listed()}
GROUP BY r.learner_profile_id"""  # noqa: S608


def _counts(question: Question, learners: Sequence[str]) -> dict[str, tuple[int, int]]:
    """For each learner, how many of the training records in force are open and required, and how many completed."""
    if not learners:
        return {}
    counted = reading.fetch(
        _COUNTS,
        {
            "organization": question.company.organization_id,
            "sequence": question.pin.sequence,
            "moment": question.moment,
            "learners": [UUID(learner) for learner in set(learners)],
        },
    )
    return {str(learner): (owed, completed) for learner, owed, completed in counted}
