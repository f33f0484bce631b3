"""Whom the shares of a policy reach, and through which doors: docs/rules.md#policies, and its words on coverage."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from compliance.facts.lines import kinds
from tests.oracle.standing import standing
from tests.oracle.told import Told


def published(told: Told, policy: UUID, moment: datetime) -> list[kinds.PolicyPublished]:
    """The versions of a policy by a moment, the current one last."""
    return told.of(kinds.PolicyPublished, moment, course_id=policy)


class Reach(NamedTuple):
    """A share that covers a person at a moment, and the first door through which it does."""

    share_id: UUID
    door: str
    deadline: kinds.FixedDeadline | kinds.DaysAfterAdded | kinds.NoDeadline


def reach(
    told: Told, share: kinds.PolicyShared, learner: UUID, moment: datetime, doors: Collection[str]
) -> Reach | None:
    """How a share reaches a person at a moment through one of the doors; None where it does not."""
    ends = told.of(kinds.ShareEnded, moment, share_id=share.share_id)
    if ends or moment < share.at:
        return None
    said: dict[str, Any] = {"doors": share.doors, "audience": share.audience, "deadline": share.deadline}
    for change in told.of(kinds.ShareChanged, moment, share_id=share.share_id):
        said |= {name: getattr(change, name) for name in said if getattr(change, name) is not None}
    person, audience = standing(told, learner, moment), said["audience"]
    named = learner in (audience.learner_profile_ids or ()) or person.teams & set(audience.team_ids or ())
    open_doors = [door for door in person.doors if door in said["doors"] and door in doors]
    return (
        Reach(share.share_id, open_doors[0], said["deadline"]) if open_doors and (audience.everyone or named) else None
    )


def covering(told: Told, policy: UUID, learner: UUID, moment: datetime) -> list[Reach]:
    """Every share that covers a person at a moment, through doors that the current version names, by identifier."""
    current = published(told, policy, moment)
    shares = told.of(kinds.PolicyShared, moment, course_id=policy) if current else []
    found = (reach(told, share, learner, moment, current[-1].doors) for share in shares)
    return sorted((each for each in found if each is not None), key=lambda each: each.share_id)


def covered_since(told: Told, policy: UUID, learner: UUID, share_id: UUID, moment: datetime) -> datetime:
    """The start of the unbroken stretch in which a share covers a person."""
    since = moment
    for earlier in reversed([at for at in moments(told) if at <= moment]):
        if share_id not in {each.share_id for each in covering(told, policy, learner, earlier)}:
            break
        since = earlier
    return since


def moments(told: Told) -> list[datetime]:
    """Every moment from which something holds."""
    return told.once("moments", lambda: sorted({line.at for line in told.facts}))
