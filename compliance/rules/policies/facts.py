"""The input of the policy rule: the versions and shares of one policy, one person, and that person's receipts for it.

All instants are aware and in UTC. The order of a tuple's elements has no meaning: the rule sorts. Shares, employments
and team memberships are the same types that owed learning takes; a share's `requirement` is ignored.
"""

from datetime import date, datetime
from typing import NamedTuple
from uuid import UUID

from compliance.rules.owed_learning.facts import LearnerFacts, Share
from compliance.rules.people.facts import ContactStay
from compliance.rules.vocabulary import ChangeKind, Door, ReceiptAct


class PolicyVersion(NamedTuple):
    """A published version of the policy, in force from the company day `effective_on` (null: at once).

    Version numbers increase in the order of publication.
    """

    course_release_id: UUID
    version: int
    policy_title: str
    change_kind: ChangeKind
    renew_months: int
    doors: frozenset[Door]
    published_at: datetime
    effective_on: date | None = None


class PolicyFacts(NamedTuple):
    """All facts of a policy that are the same for every person."""

    course_id: UUID
    versions: tuple[PolicyVersion, ...] = ()
    shares: tuple[Share, ...] = ()


class Signer(NamedTuple):
    """All facts of a person that are the same for every policy."""

    learner: LearnerFacts
    contacts: tuple[ContactStay, ...] = ()


class ReceiptFacts(NamedTuple):
    """A receipt of the person for the policy; `signed_at` as in the chain, so no two are equal."""

    receipt_id: UUID
    course_release_id: UUID
    share_id: UUID
    door: Door
    act: ReceiptAct
    signed_at: datetime
