"""The input of the rules about policies and receipts. How facts are loaded: people/loading.py."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from compliance.facts.people.loading import Learners, Pair, load_contacts, load_learners
from compliance.facts.shares.loading import load_shares
from compliance.rules.company_days import LAST_INSTANT
from compliance.rules.policies.facts import PolicyFacts, PolicyVersion, ReceiptFacts, Signer
from compliance.rules.vocabulary import (
    ChangeKind,
    Door,
    ReceiptAct,
)
from compliance.tenancy import sql


class PersonPolicyFacts(NamedTuple):
    """The facts that deciding (learner, policy) pairs requires."""

    policies: dict[uuid.UUID, PolicyFacts]
    signers: dict[uuid.UUID, Signer]
    receipts: dict[Pair, list[ReceiptFacts]]


def load_person_policies(
    organization_id: uuid.UUID, pairs: Collection[Pair], known: Learners | None = None, until: datetime = LAST_INSTANT
) -> PersonPolicyFacts:
    """The facts of (learner_profile_id, course_id of the policy) pairs; `known` learners are not read again."""
    profile_ids = {learner_profile_id for learner_profile_id, _ in pairs}
    learners = load_learners(organization_id, profile_ids, known, until)
    contacts = load_contacts(organization_id, profile_ids, until)
    return PersonPolicyFacts(
        load_policies(organization_id, {course_id for _, course_id in pairs}, until),
        {profile_id: Signer(learners[profile_id], tuple(contacts.get(profile_id, ()))) for profile_id in profile_ids},
        load_receipts(organization_id, pairs),
    )


def load_policies(
    organization_id: uuid.UUID, course_ids: Collection[uuid.UUID], until: datetime = LAST_INSTANT
) -> dict[uuid.UUID, PolicyFacts]:
    """Return the versions and shares of each of `course_ids` by `until`; one without versions is included, empty."""
    wanted = list(set(course_ids))
    versions: dict[uuid.UUID, list[PolicyVersion]] = defaultdict(list)
    for course_id, release_id, version, title, change_kind, renew_months, doors, *moments in sql.fetch(
        "SELECT course_id, course_release_id, version, policy_title, change_kind, renew_months, doors, published_at,"
        " effective_on FROM policies_policyversion WHERE organization_id = (SELECT %s::uuid) AND course_id = ANY(%s)"
        " AND published_at <= %s",
        [organization_id, wanted, until],
    ):
        versions[course_id].append(
            PolicyVersion(
                release_id,
                version,
                title,
                ChangeKind(change_kind),
                renew_months,
                frozenset(Door(door) for door in doors),
                *moments,
            )
        )
    shares = load_shares(organization_id, wanted, until)
    return {
        course_id: PolicyFacts(course_id, tuple(versions[course_id]), tuple(shares.get(course_id, ())))
        for course_id in wanted
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
