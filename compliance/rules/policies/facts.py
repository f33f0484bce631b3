"""The input of the policy rule: the versions and shares of one policy, one person, and that person's receipts for it.

All instants are aware and in UTC. The order of any tuple means nothing: the rule sorts. Shares, employments and team
memberships are the same values that owed learning takes; a share's `requirement` is not looked at.
"""

from datetime import date, datetime
from typing import NamedTuple
from uuid import UUID

from compliance.rules.owed_learning.facts import LearnerFacts, Share
from compliance.rules.people.facts import ContactStay
from compliance.rules.vocabulary import ChangeKind, Door, ReceiptAct


class PolicyVersion(NamedTuple):
    """A published version of the policy, in force from the company day `effective_on` (null: at once).

    Versions count up with their publication.
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
    """All that concerns a policy whoever owes it."""

    course_id: UUID
    versions: tuple[PolicyVersion, ...] = ()
    shares: tuple[Share, ...] = ()


class Signer(NamedTuple):
    """All that concerns a person whatever the policy."""

    learner: LearnerFacts
    contacts: tuple[ContactStay, ...] = ()


class ReceiptFacts(NamedTuple):
    """A receipt of the person for the policy; `signed_at` as in the chain, so no two are the same."""

    receipt_id: UUID
    course_release_id: UUID
    share_id: UUID
    door: Door
    act: ReceiptAct
    signed_at: datetime
