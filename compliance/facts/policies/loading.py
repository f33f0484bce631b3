"""The facts that the policy rule is told of policies and receipts, set by set: a constant number of statements.

Of people it is told by decision_facts.py, which also puts the two together.
"""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from compliance.rules.owed_learning.facts import Deadline, Share, ShareStep
from compliance.rules.policies.facts import PolicyFacts, PolicyVersion, ReceiptFacts
from compliance.rules.vocabulary import ChangeKind, Door, DueBasis, ReceiptAct, Requirement
from compliance.tenancy import sql


def load_policies(organization_id: uuid.UUID, course_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, PolicyFacts]:
    """Return the versions and shares of each of `course_ids`; one without versions is there and empty."""
    wanted = list(set(course_ids))
    versions: dict[uuid.UUID, list[PolicyVersion]] = defaultdict(list)
    for course_id, release_id, version, title, change_kind, renew_months, doors, published_at in sql.fetch(
        "SELECT course_id, course_release_id, version, policy_title, change_kind, renew_months, doors, published_at"
        " FROM policies_policyversion WHERE organization_id = (SELECT %s::uuid) AND course_id = ANY(%s)",
        [organization_id, wanted],
    ):
        versions[course_id].append(
            PolicyVersion(
                release_id,
                version,
                title,
                ChangeKind(change_kind),
                renew_months,
                frozenset(Door(door) for door in doors),
                published_at,
            )
        )
    shares = _shares(organization_id, wanted)
    return {
        course_id: PolicyFacts(course_id, tuple(versions[course_id]), tuple(shares[course_id])) for course_id in wanted
    }


def load_receipts(
    organization_id: uuid.UUID, pairs: Iterable[tuple[uuid.UUID, uuid.UUID]]
) -> dict[tuple[uuid.UUID, uuid.UUID], list[ReceiptFacts]]:
    """Return the receipts of each (learner_profile_id, course_id) of `pairs`, in the order of the chain."""
    wanted = list(set(pairs))
    found: dict[tuple[uuid.UUID, uuid.UUID], list[ReceiptFacts]] = {pair: [] for pair in wanted}
    for profile_id, course_id, receipt_id, release_id, share_id, door, act, signed_at in sql.fetch(
        "SELECT r.learner_profile_id, r.course_id, r.receipt_id, r.course_release_id, r.share_id, r.door, r.act,"
        " r.signed_at FROM unnest(%s::uuid[], %s::uuid[]) AS w (learner_profile_id, course_id)"
        " JOIN policies_receipt r USING (learner_profile_id, course_id)"
        " WHERE r.organization_id = (SELECT %s::uuid) ORDER BY r.number",
        [[pair[0] for pair in wanted], [pair[1] for pair in wanted], organization_id],
    ):
        found[profile_id, course_id].append(
            ReceiptFacts(receipt_id, release_id, share_id, Door(door), ReceiptAct(act), signed_at)
        )
    return found


class _Step(NamedTuple):
    """A row of shares_sharestep: null where the fact said nothing."""

    at: datetime
    doors: list[str] | None
    audience: str | None
    team_ids: list[uuid.UUID] | None
    learner_profile_ids: list[uuid.UUID] | None
    requirement: str | None
    deadline_basis: str | None
    due_at: datetime | None
    days: int | None


def _shares(organization_id: uuid.UUID, course_ids: list[uuid.UUID]) -> dict[uuid.UUID, list[Share]]:
    rows = sql.fetch(
        "SELECT s.course_id, s.share_id, s.ended_at, t.at, t.doors, t.audience, t.team_ids, t.learner_profile_ids,"
        " t.requirement, t.deadline_basis, t.due_at, t.days FROM shares_share s JOIN shares_sharestep t"
        " USING (organization_id, share_id) WHERE s.organization_id = (SELECT %s::uuid) AND s.course_id = ANY(%s)"
        " AND s.lesson_release_id IS NULL "
        " ORDER BY s.share_id, t.at, t.id <> min(t.id) OVER (PARTITION BY s.share_id), t.fact_id",
        [organization_id, course_ids],
    )
    steps: dict[tuple[uuid.UUID, uuid.UUID, datetime | None], list[_Step]] = defaultdict(list)
    for course_id, share_id, ended_at, *step in rows:
        steps[course_id, share_id, ended_at].append(_Step(*step))
    shares: dict[uuid.UUID, list[Share]] = defaultdict(list)
    for (course_id, share_id, ended_at), own in steps.items():
        shares[course_id].append(Share(share_id, tuple(_whole(own)), ended_at))
    return shares


def _whole(steps: list[_Step]) -> Iterator[ShareStep]:
    """Fold steps, in their order, into whole ones: what a step does not say stays as it was."""
    standing: ShareStep | None = None
    for step in steps:
        if standing is None:
            standing = ShareStep(step.at, frozenset(), Requirement.REQUIRED)
        standing = standing._replace(at=step.at)
        if step.doors is not None:
            standing = standing._replace(doors=frozenset(Door(door) for door in step.doors))
        if step.requirement is not None:
            standing = standing._replace(requirement=Requirement(step.requirement))
        if step.audience is not None:
            standing = standing._replace(
                everyone=step.audience == "everyone",
                team_ids=frozenset(step.team_ids or ()),
                learner_profile_ids=frozenset(step.learner_profile_ids or ()),
            )
        if step.deadline_basis is not None:
            standing = standing._replace(deadline=Deadline(DueBasis(step.deadline_basis), step.due_at, step.days))
        yield standing
