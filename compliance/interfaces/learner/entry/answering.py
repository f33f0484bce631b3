"""What the worker does with a request for a link: a letter to each person with that address who may sign in now."""

import uuid
from datetime import datetime, timedelta

from compliance.facts.people.queries import AddressOf, doors_of, people_with_address
from compliance.learning import link_requests
from compliance.letters.actions import Kind, ask
from compliance.letters.queries import asked_since
from compliance.tenancy import context
from compliance.tenancy.turns import wait_for_turn

MOST_LETTERS = 3
WITHIN = timedelta(minutes=15)
"""How long the letters with a link to one person are counted, to limit them to `MOST_LETTERS`."""


def answer(request_id: uuid.UUID, now: datetime) -> int:
    """Answers a request, once. Returns how many letters were queued."""
    with link_requests.answering(request_id, now) as address:
        found = people_with_address(address) if address is not None else []
        return sum(_ask_for_letter(each, now) for each in found)


def answer_waiting(now: datetime, patience: timedelta = timedelta(seconds=30)) -> int:
    """Answers the requests for which no task was sent, or whose task was lost. Returns how many there were."""
    waiting = link_requests.waiting(now - patience)
    for request_id in waiting:
        answer(request_id, now)
    return len(waiting)


def _ask_for_letter(found: AddressOf, now: datetime) -> bool:
    organization_id, learner_profile_id, of_account = found
    with context.company(organization_id):
        if not doors_of(organization_id, learner_profile_id, now):
            return False
        # Two requests at the same moment would both count two letters, and send four.
        wait_for_turn(organization_id, f"link letters {learner_profile_id}")
        since = now - WITHIN
        if asked_since(organization_id, Kind.LINK, since, learner_profile_id=learner_profile_id) >= MOST_LETTERS:
            return False
        ask(
            organization_id,
            Kind.LINK,
            now=now,
            learner_profile_id=learner_profile_id,
            to_work_address=not of_account,
        )
        return True
