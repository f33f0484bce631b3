"""Whom the shares of a policy cover, and through which doors: docs/rules.md#policies."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from compliance.facts.lines import kinds
from tests.oracle.recorded import Recorded
from tests.oracle.status import status


def published(recorded: Recorded, policy: UUID, moment: datetime) -> list[kinds.PolicyPublished]:
    """The versions of a policy by a moment, the current one last."""
    return recorded.of(kinds.PolicyPublished, moment, course_id=policy)


class Coverage(NamedTuple):
    """A share that covers a person at a moment, and the first door through which it does."""

    share_id: UUID
    door: str
    deadline: kinds.FixedDeadline | kinds.DaysAfterAdded | kinds.NoDeadline


def coverage(
    recorded: Recorded, share: kinds.PolicyShared, learner: UUID, moment: datetime, doors: Collection[str]
) -> Coverage | None:
    """How a share covers a person at a moment through one of the doors; None where it does not."""
    ends = recorded.of(kinds.ShareEnded, moment, share_id=share.share_id)
    if ends or moment < share.at:
        return None
    terms: dict[str, Any] = {"doors": share.doors, "audience": share.audience, "deadline": share.deadline}
    for change in recorded.of(kinds.ShareChanged, moment, share_id=share.share_id):
        terms |= {name: getattr(change, name) for name in terms if getattr(change, name) is not None}
    person, audience = status(recorded, learner, moment), terms["audience"]
    named = learner in (audience.learner_profile_ids or ()) or person.teams & set(audience.team_ids or ())
    open_doors = [door for door in person.doors if door in terms["doors"] and door in doors]
    return (
        Coverage(share.share_id, open_doors[0], terms["deadline"])
        if open_doors and (audience.everyone or named)
        else None
    )


def covering(recorded: Recorded, policy: UUID, learner: UUID, moment: datetime) -> list[Coverage]:
    """Every share that covers a person at a moment, through doors that the current version names, by identifier."""
    current = published(recorded, policy, moment)
    shares = recorded.of(kinds.PolicyShared, moment, course_id=policy) if current else []
    found = (coverage(recorded, share, learner, moment, current[-1].doors) for share in shares)
    return sorted((each for each in found if each is not None), key=lambda each: each.share_id)


def covered_since(recorded: Recorded, policy: UUID, learner: UUID, share_id: UUID, moment: datetime) -> datetime:
    """The start of the unbroken stretch in which a share covers a person."""
    since = moment
    for earlier in reversed([at for at in moments(recorded) if at <= moment]):
        if share_id not in {each.share_id for each in covering(recorded, policy, learner, earlier)}:
            break
        since = earlier
    return since


def moments(recorded: Recorded) -> list[datetime]:
    """Every moment from which something holds."""
    return recorded.once("moments", lambda: sorted({line.at for line in recorded.facts}))
