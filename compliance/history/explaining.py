"""Explains the deadlines of records: how they are reckoned from the facts.

The number of statements does not depend on the number of pairs. In the company's context.
"""

import uuid
from collections.abc import Collection
from datetime import datetime

from compliance.facts.people.loading import Learners, Pair
from compliance.facts.policies.loading import load_person_policies
from compliance.facts.training.loading import load_person_courses
from compliance.rules.owed_learning import reckoned as owed_learning
from compliance.rules.owed_learning.decide import prepare
from compliance.rules.owed_learning.facts import NOTHING_DONE
from compliance.rules.policies import reckoned as policies
from compliance.rules.reckoning import Reckoning


def of_training(
    organization_id: uuid.UUID, zone: str, pairs: Collection[Pair], moment: datetime, known: Learners
) -> dict[uuid.UUID, Reckoning]:
    """The reckonings of the training records of (learner, course) pairs at `moment`, by record_id.

    Learners in `known`, which holds them as at this moment, are not read again; those that are read are added to it.
    """
    wanted = list(dict.fromkeys(pairs))
    facts = load_person_courses(organization_id, wanted, known, moment)
    courses = {course_id: prepare(course) for course_id, course in facts.courses.items()}
    found: dict[uuid.UUID, Reckoning] = {}
    for place, (learner, course_id) in enumerate(wanted):
        doing = facts.doings.get(place, NOTHING_DONE)
        found |= owed_learning.reckonings(
            organization_id, zone, courses[course_id], facts.learners[learner], doing, moment
        )
    return found


def of_policies(
    organization_id: uuid.UUID, zone: str, pairs: Collection[Pair], moment: datetime, known: Learners
) -> dict[uuid.UUID, Reckoning]:
    """The reckonings of what (learner, policy) pairs owe at `moment`, as in `of_training`."""
    wanted = list(dict.fromkeys(pairs))
    facts = load_person_policies(organization_id, wanted, known, moment)
    found: dict[uuid.UUID, Reckoning] = {}
    for learner, course_id in wanted:
        receipts = [each for each in facts.receipts[learner, course_id] if each.signed_at <= moment]
        policy, signer = facts.policies[course_id], facts.signers[learner]
        found |= policies.reckonings(organization_id, zone, policy, signer, receipts, moment)
    return found
