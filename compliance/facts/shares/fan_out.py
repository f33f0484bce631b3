"""The fan-out of shares: everybody whom their audiences have ever named."""

import uuid
from collections.abc import Collection
from typing import Any, NamedTuple

from compliance.facts.courses import queries as courses
from compliance.tenancy import arrays, sql

_AUDIENCES = f"""
SELECT s.course_id, coalesce(c.kind = 'policy', false), t.audience = 'everyone', coalesce(t.team_ids, '{{}}'),
    coalesce(t.learner_profile_ids, '{{}}')
FROM shares_share s JOIN shares_sharestep t ON t.organization_id = s.organization_id AND t.share_id = s.share_id
{courses.joined("s")}
WHERE s.organization_id = (SELECT %(organization)s::uuid) AND t.audience IS NOT NULL AND """  # noqa: S608 - of our own


class Audience(NamedTuple):
    """An audience that a share of a course or of a policy has or had: everyone, or teams, or people by name."""

    course_id: uuid.UUID
    is_policy: bool
    everyone: bool
    team_ids: list[uuid.UUID]
    learner_profile_ids: list[uuid.UUID]


def audiences_of_shares(organization_id: uuid.UUID, share_ids: Collection[uuid.UUID]) -> list[Audience]:
    """The audiences that any step of these shares has named."""
    return _audiences(organization_id, "s.share_id = ANY(%(shares)s::uuid[])", shares=share_ids)


def audiences_of_courses(organization_id: uuid.UUID, course_ids: Collection[uuid.UUID]) -> list[Audience]:
    """The audiences of all shares of these courses and policies."""
    return _audiences(organization_id, "s.course_id = ANY(%(courses)s::uuid[])", courses=course_ids)


def audiences_with(
    organization_id: uuid.UUID, team_ids: Collection[uuid.UUID], profile_ids: Collection[uuid.UUID]
) -> list[Audience]:
    """The audiences that name one of these teams or people."""
    return _audiences(organization_id, f"({_NAMED})", teams=team_ids, people=profile_ids)


def audiences_with_everyone_or(
    organization_id: uuid.UUID, team_ids: Collection[uuid.UUID], profile_ids: Collection[uuid.UUID]
) -> list[Audience]:
    """The audiences of everyone, and those that name one of these teams or people."""
    return _audiences(organization_id, f"(t.audience = 'everyone' OR {_NAMED})", teams=team_ids, people=profile_ids)


_NAMED = "t.team_ids && %(teams)s::uuid[] OR t.learner_profile_ids && %(people)s::uuid[]"


def _audiences(organization_id: uuid.UUID, which: str, **named: Collection[uuid.UUID]) -> list[Audience]:
    values: dict[str, Any] = {name: arrays.uuids(list(each)) for name, each in named.items()}
    return [Audience(*row) for row in sql.fetch(_AUDIENCES + which, {"organization": organization_id} | values)]
