"""The recipients of letters: read when a letter is sent, and not stored with it."""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from compliance.facts.people.presence import present
from compliance.facts.people.queries import displayed_people
from compliance.learning.languages import languages_of
from compliance.letters.message import can_be_written_to, language_for


class Recipient(NamedTuple):
    """A person who can be written to, and their language."""

    person_name: str | None
    address: str
    language: str


def recipients(
    organization_id: uuid.UUID, learners: Collection[uuid.UUID], now: datetime, *, to_work_address: bool = False
) -> dict[uuid.UUID, Recipient]:
    """Those of the people who may come in at `now` and can be written to. Three statements, in the company's context.

    The account's address is preferred to the work address, unless the letter is for the latter.
    """
    here = present(organization_id, learners, now)
    people = displayed_people(organization_id, here)
    languages = languages_of(organization_id, here)
    found = {}
    for learner, person in people.items():
        addresses = [person.account_email, person.work_email]
        if to_work_address:
            addresses.reverse()
        address = next((each for each in addresses if each and can_be_written_to(each)), None)
        if address and not person.erased:
            found[learner] = Recipient(person.person_name, address, language_for(languages.get(learner)))
    return found
