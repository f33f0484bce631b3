"""Whom a share of a policy covers, and through which doors, at a moment.

A share covers a person while it is open, its audience includes them, and one of its doors is open to them: `employee`
during a stay that is not staff practice, `partner` and `customer` while they are such a contact. No share covers an
erased person. Suspension changes nothing.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from compliance.rules.owed_learning.facts import Share, ShareStep
from compliance.rules.policies.facts import PolicyVersion, Signer
from compliance.rules.timeline import within
from compliance.rules.vocabulary import Door


class Covering(NamedTuple):
    """A share that covers a person at a moment: its step in force then, and the doors through which it covers them."""

    share: Share
    step: ShareStep
    doors: frozenset[Door]


def person_doors(signer: Signer, moment: datetime) -> frozenset[Door]:
    """Return the doors that are open to the person at `moment`."""
    erased_at = signer.learner.erased_at
    if erased_at is not None and erased_at <= moment:
        return frozenset()
    doors = {stay.door for stay in signer.contacts if within(stay.from_at, stay.until, moment)}
    if any(
        not employment.staff_practice and within(employment.joined_at, employment.left_at, moment)
        for employment in signer.learner.employments
    ):
        doors.add(Door.EMPLOYEE)
    return frozenset(doors)


def step_at(share: Share, moment: datetime) -> ShareStep | None:
    """Return the step of the share that is in force at `moment`; None before it opens and from its end on."""
    if share.ended_at is not None and share.ended_at <= moment:
        return None
    latest: ShareStep | None = None
    for step in share.steps:
        if step.at <= moment and (latest is None or step.at >= latest.at):
            latest = step
    return latest


def in_audience(step: ShareStep, signer: Signer, moment: datetime) -> bool:
    """Return whether the audience of a share's step includes the person at `moment`."""
    if step.everyone or signer.learner.learner_profile_id in step.learner_profile_ids:
        return True
    return bool(step.team_ids) and any(
        each.team_id in step.team_ids and within(each.from_at, each.until, moment)
        for each in signer.learner.memberships
    )


def coverings(
    shares: Iterable[Share], version: PolicyVersion, signer: Signer, moment: datetime
) -> dict[UUID, Covering]:
    """Return the shares that cover the person at `moment`, by share id, if `version` is the current version."""
    open_doors = person_doors(signer, moment) & version.doors
    found: dict[UUID, Covering] = {}
    if not open_doors:
        return found
    for share in shares:
        step = step_at(share, moment)
        if step is None:
            continue
        doors = step.doors & open_doors
        if doors and in_audience(step, signer, moment):
            found[share.share_id] = Covering(share, step, doors)
    return found
