"""Employees for programs that manage them: by what was recorded last, regardless of this machine's clock.

Pieces of SQL for other rooms' statements, each about the row `f` of `KNOWN`, with the parameter %(organization)s (each
sub-query names its company, so that a cluster asks only one server), and reads that a program needs before it records
more about a person. All of it needs the company's context.
"""

import uuid
from datetime import datetime
from typing import NamedTuple

from compliance.facts.people import resolving
from compliance.facts.people.lookups import balance, last_moves
from compliance.tenancy import sql

KNOWN = """people_profile f LEFT JOIN people_employment e ON e.organization_id = f.organization_id
  AND e.learner_profile_id = f.learner_profile_id AND e.left_at IS NULL AND NOT e.staff_practice"""
"""SQL of all known people, `f`, with their current stay, `e`: null for those who are not employees."""

NOT_ERASED = "f.organization_id = (SELECT %(organization)s::uuid) AND f.erased_at IS NULL"
"""SQL of the condition that the person belongs to the company and is not erased."""

PRESENT = "e.person_id IS NOT NULL"
"""SQL of whether the person is an employee."""

_COMPANY = "(SELECT %(organization)s::uuid)"
_OF_PERSON = f"organization_id = {_COMPANY} AND learner_profile_id = f.learner_profile_id"

SUSPENDED = f"""coalesce((SELECT {balance("s.suspended")} > 0 FROM people_suspension s
  WHERE s.organization_id = {_COMPANY} AND s.person_id = e.person_id), false)"""  # noqa: S608 - SQL of our own
"""SQL of whether the employee is suspended."""

ADDRESSED = " UNION ".join(
    f"SELECT a.learner_profile_id FROM people_profile a WHERE a.organization_id = {_COMPANY}"  # noqa: S608
    f" AND a.{column} = lower({{address}}::text)"
    for column in ("account_email_lower", "work_email_lower")
)
"""SQL of the company's people whose account's or work address is `address`, by index, ignoring case."""

TEAMS = f"""coalesce((SELECT jsonb_agg(jsonb_build_object('value', t.team_id, 'display', t.name)
    ORDER BY t.name, t.team_id)
  FROM ({last_moves("team_id", _OF_PERSON)}) m
  JOIN people_team t ON t.organization_id = {_COMPANY} AND t.team_id = m.team_id
  WHERE m.joined), '[]'::jsonb)"""  # noqa: S608 - names and SQL of our own
"""SQL of the teams that the person is in, as JSON."""

FIRST_JOINED = f"(SELECT min(joined_at) FROM people_employment WHERE {_OF_PERSON} AND NOT staff_practice)"  # noqa: S608
"""SQL of when the person first became an employee."""

LAST_RECORDED = f"""greatest(
  (SELECT max(greatest(joined_at, left_at)) FROM people_employment WHERE {_OF_PERSON}),
  (SELECT max(at) FROM people_personaldetail WHERE {_OF_PERSON}),
  (SELECT max(at) FROM people_personroles WHERE {_OF_PERSON}),
  (SELECT max(at) FROM people_teammembership WHERE {_OF_PERSON}),
  (SELECT max(s.at) FROM people_suspension s JOIN people_employment x ON x.organization_id = s.organization_id
    AND x.person_id = s.person_id WHERE x.organization_id = {_COMPANY}
    AND x.learner_profile_id = f.learner_profile_id))"""  # noqa: S608
"""SQL of the latest moment from which any recorded fact about the person takes effect."""

MARK = f"""concat_ws('.',
  (SELECT concat_ws('.', max(id), count(left_at)) FROM people_employment WHERE {_OF_PERSON}),
  (SELECT count(*) FROM people_personaldetail WHERE {_OF_PERSON}),
  (SELECT count(*) FROM people_personroles WHERE {_OF_PERSON}),
  (SELECT count(*) FROM people_teammembership WHERE {_OF_PERSON}),
  (SELECT string_agg(t.name, '.' ORDER BY t.id) FROM people_team t WHERE t.organization_id = {_COMPANY}
    AND t.team_id IN (SELECT team_id FROM people_teammembership WHERE {_OF_PERSON})),
  (SELECT count(*) FROM people_suspension s JOIN people_employment x ON x.organization_id = s.organization_id
    AND x.person_id = s.person_id WHERE x.organization_id = {_COMPANY}
    AND x.learner_profile_id = f.learner_profile_id))"""  # noqa: S608
"""SQL of a text that changes with each fact about the person or the names of their teams, and reveals nothing else."""


class RecordedLast(NamedTuple):
    """What the latest facts state about a person."""

    person_id: uuid.UUID | None
    suspended: bool
    person_name: str | None
    account_email: str | None
    work_email: str | None
    role_ids: frozenset[str]
    last_recorded: datetime | None


def lock(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> bool:
    """Makes other facts about the person, and their erasure, wait until the transaction ends.

    False if there is no such person, or the person is erased.
    """
    found = resolving.profiles(organization_id, [learner_profile_id], resolving.VALIDATED)
    return found.get(learner_profile_id) is False


def recorded_last(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> RecordedLast:
    """What the latest facts state about a person who is known; `person_id` None for a person who is not an employee."""
    (row,) = sql.fetch(
        f"""SELECT e.person_id, {SUSPENDED}, f.person_name, f.account_email, f.work_email,
          coalesce((SELECT r.role_ids FROM people_personroles r WHERE r.organization_id = {_COMPANY}
            AND r.learner_profile_id = f.learner_profile_id ORDER BY r.at DESC, r.fact_id DESC LIMIT 1), '{{}}'),
          {LAST_RECORDED}
        FROM {KNOWN} WHERE {NOT_ERASED} AND f.learner_profile_id = %(learner)s""",  # noqa: S608
        {"organization": organization_id, "learner": learner_profile_id},
    )
    person_id, suspended, name, account, work, role_ids, last = row
    return RecordedLast(person_id, suspended, name, account, work, frozenset(role_ids), last)
