"""The input of the rules about shares. How facts are loaded: people/loading.py."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import Any

from compliance.rules.company_days import LAST_INSTANT
from compliance.rules.owed_learning.facts import (
    Deadline,
    Share,
    ShareStep,
)
from compliance.rules.vocabulary import (
    Door,
    DueBasis,
    Requirement,
)
from compliance.tenancy import sql

_DOORS = {door.value: door for door in Door}


def load_shares(
    organization_id: uuid.UUID, course_ids: Collection[uuid.UUID], until: datetime = LAST_INSTANT
) -> dict[uuid.UUID, list[Share]]:
    """The shares of each course or policy that has any, including shares of single lessons."""
    shares: dict[uuid.UUID, list[Share]] = defaultdict(list)
    steps: dict[tuple[Any, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for course_id, share_id, ended_at, lesson_release_id, *step in sql.fetch(
        "SELECT s.course_id, s.share_id, CASE WHEN s.ended_at <= %s THEN s.ended_at END, s.lesson_release_id,"
        " t.at, t.doors, t.audience, t.team_ids, t.learner_profile_ids, t.requirement, t.deadline_basis, t.due_at,"
        " t.days"
        " FROM shares_share s JOIN shares_sharestep t USING (organization_id, share_id)"
        " WHERE s.organization_id = (SELECT %s::uuid) AND s.course_id = ANY(%s) AND t.at <= %s"
        " ORDER BY s.share_id, t.at, t.id <> min(t.id) OVER (PARTITION BY s.share_id), t.fact_id",
        [until, organization_id, list(course_ids), until],
    ):
        steps[course_id, share_id, ended_at, lesson_release_id].append(tuple(step))
    for (course_id, share_id, ended_at, lesson_release_id), own in steps.items():
        shares[course_id].append(Share(share_id, tuple(_whole(own)), ended_at, lesson_release_id))
    return shares


def _whole(steps: Iterable[tuple[Any, ...]]) -> Iterator[ShareStep]:
    """Folds steps, in order, into complete ones: what a step does not state stays as before."""
    current: ShareStep | None = None
    for at, doors, audience, team_ids, learner_profile_ids, requirement, basis, due_at, days in steps:
        if current is None:
            current = ShareStep(at, frozenset(), Requirement.REQUIRED)
        stated: dict[str, Any] = {"at": at}
        if doors is not None:
            stated["doors"] = frozenset(_DOORS[door] for door in doors)
        if requirement is not None:
            stated["requirement"] = Requirement(requirement)
        if audience is not None:
            stated["everyone"] = audience == "everyone"
            stated["team_ids"] = frozenset(team_ids or ())
            stated["learner_profile_ids"] = frozenset(learner_profile_ids or ())
        if basis is not None:
            stated["deadline"] = Deadline(DueBasis(basis), due_at, days)
        current = current._replace(**stated)
        yield current
