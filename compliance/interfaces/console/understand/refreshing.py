"""Updates a company's summary and tallies to its history, in small transactions, at the cost of what has changed.

Each step takes the records that have a version in the next few thousand sequences, reads the version in force now,
and replaces their rows. Outcomes come from the shared decider. Then all tallies are counted again.
"""

import uuid
from datetime import UTC, datetime
from typing import Any

import orjson

from compliance.catalogue import REGISTERS, owed
from compliance.catalogue.certificates import CERTIFICATES
from compliance.catalogue.people import PEOPLE
from compliance.catalogue.training import TRAINING_RECORDS
from compliance.history import in_force, outcomes
from compliance.history import queries as history
from compliance.history.records import changed_records
from compliance.interfaces.console.understand import past
from compliance.interfaces.console.understand.models import Mark
from compliance.rules.owed_learning.outcome import outcome_at
from compliance.rules.vocabulary import AccessState, CertificateStatus, EntryType, Outcome, Requirement
from compliance.tenancy import context, sql

STEP = 5000
"""Sequences per transaction."""

OPEN = "open"
HERE = "here"
SIGNED = "signed"
END_OF_TIME = datetime(9999, 12, 31, tzinfo=UTC)
OPTIONAL_DONE = "optional_done"
"""The kind of tally, and its one bucket, of training that was completed though nobody had to do it."""

WEEKS = 53
_KEPT = tuple(number for number, register in REGISTERS.items() if register.tally)
_CLOCK_DECIDES = (Outcome.NOT_DUE_YET, Outcome.OVERDUE)
_PRESENT = (AccessState.ACTIVE, AccessState.SUSPENDED, AccessState.STAFF_PRACTICE)


def refresh(organization_id: uuid.UUID, now: datetime) -> int:
    """Updates the summary to the newest capture and the tallies to `now`; returns how many records were replaced.

    If a capture is newer than `now`, its moment counts, at which all that it holds has begun. A version that begins
    after the moment would be left out for ever, because its sequence is not looked at again.
    """
    replaced = 0
    while True:
        with context.company(organization_id):
            mark, _ = Mark.objects.select_for_update().get_or_create(organization_id=organization_id)
            head = history.head(organization_id)
            moment = max(now, head.captured_at)
            upto = min(mark.sequence + STEP, head.sequence)
            if mark.sequence < head.sequence:
                replaced += _replace(organization_id, mark.sequence, upto, moment)
            mark.sequence = upto
            if upto >= head.sequence:
                _add_up(organization_id, moment)
                mark.as_at = moment
            mark.save()
            if upto >= head.sequence:
                return replaced


def _replace(organization_id: uuid.UUID, after: int, upto: int, now: datetime) -> int:
    changed = changed_records(organization_id, after, upto, _KEPT)
    if not changed:
        return 0
    record_numbers = [number for _, number in changed]
    sql.execute(
        "DELETE FROM console_standing WHERE organization_id = %s AND register = ANY(%s) AND birth = ANY(%s)",
        [organization_id, list(_KEPT), record_numbers],
    )
    rows = [
        made
        for found in sql.fetch(
            _IN_FORCE,
            {
                "organization": organization_id,
                "kept": list(_KEPT),
                "record_numbers": record_numbers,
                "moment": now,
                "sequence": upto,
            },
        )
        if (made := _summary_row(found, now)) is not None
    ]
    _insert(organization_id, rows)
    past.replace(organization_id, [number for register, number in changed if register == TRAINING_RECORDS.number], upto)
    return len(changed)


_IN_FORCE = f"""
SELECT r.register, r.birth, r.record_id, r.learner_profile_id, r.course_id, v.state, v.state_before_end, v.begins_at,
       v.due_at, v.done_at, v.waived_at, v.ends_at,
       CASE WHEN r.register = {PEOPLE.number} OR r.learner_profile_id IS NULL THEN v.body ELSE '' END
FROM {in_force.records()} AND r.register = ANY(%(kept)s) AND r.birth = ANY(%(record_numbers)s)"""  # noqa: S608


def _summary_row(found: tuple[Any, ...], now: datetime) -> tuple[Any, ...] | None:
    """The summary's row of a record in force; None where the record is not listed today."""
    (
        register, record_number, record_id, learner, course_id, state, state_before_end, begins_at, due_at, done_at,
        waived_at, ends_at, body,
    ) = found  # fmt: skip
    teams = ""
    if register == TRAINING_RECORDS.number:
        if begins_at > now or (ends_at is not None and ends_at <= now):
            return None
        decided, _ = outcome_at(
            now,
            requirement_before_end=state_before_end,
            assigned_at=begins_at,
            due_at=due_at,
            completed_at=done_at,
            ended_at=None,
            waived_at=waived_at,
        )
        outcome = OPEN if decided in _CLOCK_DECIDES else decided.value
    elif register == PEOPLE.number:
        stored = orjson.loads(body)
        if stored["entry_type"] != EntryType.EMPLOYEE or state not in _PRESENT:
            return None
        learner, outcome, due_at = uuid.UUID(stored["learner_profile_id"]), HERE, None
        teams = ",".join(stored["team_ids"])
    elif register == CERTIFICATES.number:
        if begins_at > now:
            return None
        outcome, state = state, ""
    else:
        outcome, state = (OPEN if done_at is None else SIGNED), ""
    return (
        register, record_number, record_id, learner, course_id, state or "", outcome, begins_at, due_at or END_OF_TIME,
        done_at, teams,
    )  # fmt: skip


def _insert(organization_id: uuid.UUID, rows: list[tuple[Any, ...]]) -> None:
    if not rows:
        return
    sql.execute(
        "INSERT INTO console_standing (organization_id, register, birth, record_id, learner_profile_id, course_id,"
        " state, outcome, begins_at, due_by, done_at, team_ids)"
        " SELECT %s::uuid, t.register, t.birth, t.record_id, t.learner, t.course, t.state, t.outcome, t.begins_at,"
        " t.due_by, t.done_at, string_to_array(t.teams, ',')::uuid[]"
        " FROM unnest(%s::smallint[], %s::bigint[], %s::uuid[], %s::uuid[], %s::uuid[], %s::text[], %s::text[],"
        " %s::timestamptz[], %s::timestamptz[], %s::timestamptz[], %s::text[])"
        " AS t(register, birth, record_id, learner, course, state, outcome, begins_at, due_by, done_at, teams)"
        " RETURNING NULL",
        [organization_id, *map(list, zip(*rows, strict=True))],
    )


def _add_up(organization_id: uuid.UUID, now: datetime) -> None:
    """Counts every tally again."""
    values = {
        "organization": organization_id,
        "now": now,
        "training": TRAINING_RECORDS.number,
        "people": PEOPLE.number,
        "certificates": CERTIFICATES.number,
        "policies": owed("policy").number,
        "valid": CertificateStatus.VALID.value,
        "practice": AccessState.STAFF_PRACTICE.value,
    }
    sql.execute("DELETE FROM console_tally WHERE organization_id = %s", [organization_id])
    sql.execute(_TALLIES, values)
    past.add_up(organization_id, now, WEEKS)


AGES = (("1", 7), ("8", 30), ("31", 90), ("91", None))
"""Buckets of days overdue: the first day of each, which is its name, and the last."""

DONE_OPTIONALLY = f"s.outcome LIKE 'completed%%' AND s.state <> '{Requirement.REQUIRED}'"
"""SQL, on the summary's row `s`: training that was completed though it is not required."""

_LATE = outcomes.past("due_by", "%(now)s")
_LATE_SIGNATURE = outcomes.past("late.due_by", "%(now)s")
_TALLIES = f"""
WITH s AS NOT MATERIALIZED (
      SELECT register, learner_profile_id, course_id, state, outcome, due_by, team_ids
      FROM console_standing WHERE organization_id = (SELECT %(organization)s::uuid)),
late AS MATERIALIZED (SELECT learner_profile_id, course_id,
          ceil(extract(epoch FROM %(now)s - due_by) / 86400) AS days FROM s
         WHERE register = %(training)s AND outcome = 'open' AND {_LATE})
INSERT INTO console_tally (organization_id, kind, course_id, bucket, number)
SELECT %(organization)s::uuid, kind, course_id, bucket, count(*) FROM (
    SELECT 'outcome' AS kind, course_id,
           CASE WHEN outcome <> 'open' THEN outcome
                WHEN {_LATE} THEN 'overdue' ELSE 'not_due_yet' END AS bucket
    FROM s WHERE register = %(training)s
  UNION ALL
    SELECT '{OPTIONAL_DONE}', course_id, '{OPTIONAL_DONE}' FROM s WHERE register = %(training)s AND {DONE_OPTIONALLY}
  UNION ALL
    SELECT 'age', course_id,
           CASE WHEN days <= 7 THEN '1' WHEN days <= 30 THEN '8' WHEN days <= 90 THEN '31' ELSE '91' END
    FROM late
  UNION ALL
    SELECT 'team', late.course_id, coalesce(team.id::text, '')
    FROM late LEFT JOIN s p ON p.register = %(people)s AND p.learner_profile_id = late.learner_profile_id
    LEFT JOIN LATERAL unnest(p.team_ids) AS team(id) ON true
  UNION ALL
    SELECT 'member', NULL, team.id::text FROM s, unnest(s.team_ids) AS team(id)
    WHERE register = %(people)s AND state <> %(practice)s::text
  UNION ALL
    SELECT 'team-signature', late.course_id, coalesce(team.id::text, '')
    FROM s late LEFT JOIN s p ON p.register = %(people)s AND p.learner_profile_id = late.learner_profile_id
    LEFT JOIN LATERAL unnest(p.team_ids) AS team(id) ON true
    WHERE late.register = %(policies)s AND late.outcome = 'open' AND {_LATE_SIGNATURE}
  UNION ALL
    SELECT 'signature', course_id,
           CASE WHEN outcome <> 'open' THEN outcome WHEN {_LATE} THEN 'overdue' ELSE 'to_do' END
    FROM s WHERE register = %(policies)s
  UNION ALL
    SELECT 'unsigned-team', s.course_id, team.id::text
    FROM s JOIN s p ON p.register = %(people)s AND p.learner_profile_id = s.learner_profile_id
    CROSS JOIN LATERAL unnest(p.team_ids) AS team(id)
    WHERE s.register = %(policies)s AND s.outcome = 'open' AND {outcomes.past("s.due_by", "%(now)s")}
  UNION ALL
    SELECT 'week', course_id, CASE WHEN register = %(policies)s THEN 'policy' ELSE 'training' END
    FROM s WHERE register IN (%(training)s, %(policies)s) AND outcome = 'open' AND NOT {_LATE}
      AND due_by < %(now)s + interval '7 days'
  UNION ALL
    SELECT 'certificate', course_id,
           CASE WHEN outcome <> %(valid)s::text THEN outcome WHEN {_LATE} THEN 'expired'
                WHEN due_by < %(now)s + interval '30 days' THEN '30'
                WHEN due_by < %(now)s + interval '60 days' THEN '60'
                WHEN due_by < %(now)s + interval '90 days' THEN '90' ELSE 'later' END
    FROM s WHERE register = %(certificates)s
  UNION ALL
    SELECT 'access', NULL, state FROM s WHERE register = %(people)s
  UNION ALL
    SELECT 'records', NULL, register::text FROM {in_force.RECORDS}) counted
GROUP BY kind, course_id, bucket RETURNING NULL"""  # noqa: S608 - an expression of our own
