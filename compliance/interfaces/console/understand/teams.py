"""Current numbers of teams and of the people in them, from the summary: one statement each."""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from compliance.catalogue import owed
from compliance.history import outcomes
from compliance.interfaces.console.understand.refreshing import OPEN
from compliance.tenancy import arrays, sql


class TeamCounts(NamedTuple):
    """The numbers of a team, as last counted."""

    people: int = 0
    training_overdue: int = 0
    signatures_overdue: int = 0


class ToDo(NamedTuple):
    """A person's courses and policies in numbers: overdue, open and done, and when the next one is due."""

    overdue: int = 0
    open: int = 0
    done: int = 0
    next_due: datetime | None = None


_KINDS = ("member", "team", "team-signature")


def counts(organization_id: uuid.UUID, team_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, TeamCounts]:
    """The numbers of each of these teams; zeros for a team that was not counted."""
    found: dict[uuid.UUID, dict[str, int]] = {team_id: {} for team_id in team_ids}
    for kind, bucket, number in sql.fetch(
        "SELECT kind, bucket, sum(number)::bigint FROM console_tally WHERE organization_id = %(organization)s"
        " AND kind = ANY(%(kinds)s) AND bucket = ANY(%(teams)s::text[]) GROUP BY kind, bucket",
        {"organization": organization_id, "kinds": list(_KINDS), "teams": [str(each) for each in team_ids]},
    ):
        found[uuid.UUID(bucket)][kind] = int(number)
    return {team_id: TeamCounts(*(each.get(kind, 0) for kind in _KINDS)) for team_id, each in found.items()}


def to_do(organization_id: uuid.UUID, learners: Collection[uuid.UUID], now: datetime) -> dict[uuid.UUID, ToDo]:
    """What each of these people has to do; people without records are left out."""
    rows = sql.fetch(
        _TO_DO,
        {
            "organization": organization_id,
            "learners": arrays.uuids(list(learners)),
            "registers": [owed("course").number, owed("policy").number],
            "now": now,
        },
    )
    return {learner: ToDo(*row) for learner, *row in rows}


def late(organization_id: uuid.UUID, learners: Collection[uuid.UUID], now: datetime, most: int) -> list[uuid.UUID]:
    """The identifiers of at most `most` overdue records, of courses and of policies, of these people."""
    rows = sql.fetch(
        f"SELECT record_id FROM console_standing WHERE organization_id = (SELECT %(organization)s::uuid)"  # noqa: S608 - expressions of our own
        f" AND learner_profile_id = ANY(%(learners)s::uuid[]) AND register = ANY(%(registers)s)"
        f" AND outcome = '{OPEN}' AND {_LATE} LIMIT %(most)s",
        {
            "organization": organization_id,
            "learners": arrays.uuids(list(learners)),
            "registers": [owed("course").number, owed("policy").number],
            "now": now,
            "most": most,
        },
    )
    return [row[0] for row in rows]


_LATE = outcomes.past("due_by", "%(now)s")
_TO_DO = f"""
SELECT learner_profile_id, count(*) FILTER (WHERE outcome = '{OPEN}' AND {_LATE}),
  count(*) FILTER (WHERE outcome = '{OPEN}' AND NOT {_LATE}),
  count(*) FILTER (WHERE outcome LIKE 'completed%%' OR outcome = 'signed'),
  min(due_by) FILTER (WHERE outcome = '{OPEN}' AND NOT {_LATE} AND due_by < timestamptz '9999-01-01 00:00+00')
FROM console_standing
WHERE organization_id = (SELECT %(organization)s::uuid) AND learner_profile_id = ANY(%(learners)s::uuid[])
  AND register = ANY(%(registers)s)
GROUP BY learner_profile_id"""  # noqa: S608 - expressions of our own
