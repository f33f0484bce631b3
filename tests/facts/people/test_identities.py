"""A capture that keeps what lies behind commitments and an erasure wait for each other, so that nothing is left."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pytest
from django.db import connection

from compliance.facts.identities import Identities, identity_behind
from compliance.facts.lines.kinds import PersonErased
from compliance.facts.people.erasing import erase_invitation, erase_person
from compliance.tenancy import context
from tests import verbs
from tests.companies import NOW, day, make_company
from tests.registers.recording_elsewhere import recording_elsewhere, until_somebody_waits


class Subjects(NamedTuple):
    """A person who joined by an invitation, and an invitation that nobody has accepted."""

    organization_id: uuid.UUID
    person: uuid.UUID
    accepted: uuid.UUID
    open: uuid.UUID

    def keep(self) -> list[str]:
        """Does what a capture does with their names, within its transaction; returns the commitments."""
        identities = Identities(self.organization_id, NOW)
        found = identities.people.of_people([self.person])
        found |= identities.people.of_invitations([self.accepted, self.open])
        identities.keep(2)
        return list(found.values())

    def kept(self, identities: list[str]) -> int:
        """The number of commitments behind which anything is kept."""
        with context.company(self.organization_id):
            return sum(identity_behind(self.organization_id, each) is not None for each in identities)


@pytest.fixture
def subjects(committed: None) -> Subjects:
    company = make_company()
    about = {"organization_id": company.organization_id, "at": day(0), "now": NOW}
    accepted = verbs.invite_person(**about, work_email="anna@work.example", person_name="Anna")
    sent = verbs.invite_person(**about, work_email="ANNA@work.example", person_name="Anna again")
    person = company.join("Anna", day(1), invitation_id=accepted)
    return Subjects(company.organization_id, person.learner_profile_id, accepted, sent)


def _elsewhere(act: Callable[[], None]) -> None:
    try:
        act()
    finally:
        connection.close()


@pytest.mark.parametrize("whose", ["person", "invitation"])
def test_an_erasure_waits_for_the_capture_and_clears_what_it_kept(subjects: Subjects, whose: str) -> None:
    organization_id = subjects.organization_id

    def erase() -> None:
        if whose == "person":
            erase_person(organization_id=organization_id, learner_profile_id=subjects.person, at=NOW)
        else:
            erase_invitation(organization_id=organization_id, invitation_id=subjects.open, at=NOW)

    with ThreadPoolExecutor(1) as threads:
        with context.company(organization_id):
            identities = subjects.keep()
            erased = threads.submit(_elsewhere, erase)
            until_somebody_waits()
        erased.result(60)
    # The person's erasure also clears the invitation to the same address.
    assert subjects.kept(identities) == (0 if whose == "person" else 2)


def test_a_capture_waits_for_the_erasure_and_keeps_nothing(subjects: Subjects) -> None:
    organization_id = subjects.organization_id
    erasure = PersonErased(fact_id=uuid.uuid4(), at=NOW, learner_profile_id=subjects.person)
    with recording_elsewhere(organization_id, [erasure], NOW) as elsewhere, context.company(organization_id):
        identities = Identities(organization_id, NOW)
        found = identities.people.of_people([subjects.person])  # read before the erasure is committed
        found |= identities.people.of_invitations([subjects.accepted, subjects.open])

        def commit() -> None:
            until_somebody_waits()
            elsewhere.commit()

        with ThreadPoolExecutor(1) as threads:
            committed = threads.submit(_elsewhere, commit)
            identities.keep(2)
            committed.result(60)
    assert subjects.kept(list(found.values())) == 0
