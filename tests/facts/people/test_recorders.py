"""Two transactions that record facts of the same new person at the same time: the profile shows the latest of both."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from compliance.facts.errors import RefusedByRuleError
from compliance.facts.lines.kinds import ContactJoined, EmployeeJoined, FactLine, InvitationRevoked, PersonChanged
from compliance.facts.people.queries import displayed_people
from compliance.rules.vocabulary import Door
from compliance.tenancy import context
from tests import verbs
from tests.companies import NOW, day, make_company
from tests.registers.recording_elsewhere import recording_elsewhere, until_somebody_waits


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize(
    ("joined", "named_elsewhere", "displayed"),
    [
        (1, None, "Anna of here"),
        (1, "Anna of elsewhere", "Anna of elsewhere"),
        (3, "Anna of elsewhere", "Anna of here"),
    ],
)
def test_a_profile_that_another_transaction_makes_at_the_same_time_shows_the_latest_name(
    joined: int, named_elsewhere: str | None, displayed: str
) -> None:
    organization_id = make_company().organization_id
    profile = uuid.uuid4()
    contact = ContactJoined(
        fact_id=uuid.uuid4(),
        at=day(2),
        learner_profile_id=profile,
        door=Door.PARTNER,
        company="Partner",
        person_name=named_elsewhere,
    )

    def join() -> None:
        verbs.join_employee(
            organization_id=organization_id,
            at=day(joined),
            now=NOW,
            learner_profile_id=profile,
            person_name="Anna of here",
        )
        connection.close()

    with ThreadPoolExecutor(1) as threads, recording_elsewhere(organization_id, [contact], NOW) as elsewhere:
        joining = threads.submit(join)
        until_somebody_waits()
        elsewhere.commit()
        joining.result(60)
    with context.company(organization_id):
        assert displayed_people(organization_id, [profile])[profile].person_name == displayed


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize(("changed", "displayed"), [(2, "Anna of elsewhere"), (4, "Anna of here")])
def test_of_two_changes_of_a_name_at_the_same_time_the_profile_shows_the_later_one(
    changed: int, displayed: str
) -> None:
    company = make_company()
    organization_id, profile = company.organization_id, company.join().learner_profile_id
    line = PersonChanged(fact_id=uuid.uuid4(), at=day(3), learner_profile_id=profile, person_name="Anna of elsewhere")

    def change() -> None:
        verbs.change_person(
            organization_id=organization_id,
            at=day(changed),
            now=NOW,
            learner_profile_id=profile,
            person_name="Anna of here",
        )
        connection.close()

    with ThreadPoolExecutor(1) as threads, recording_elsewhere(organization_id, [line], NOW) as elsewhere:
        changing = threads.submit(change)
        until_somebody_waits()
        elsewhere.commit()
        changing.result(60)
    with context.company(organization_id):
        assert displayed_people(organization_id, [profile])[profile].person_name == displayed


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize("elsewhere_accepts", [True, False])
@pytest.mark.parametrize("here_accepts", [True, False])
def test_an_invitation_that_another_transaction_accepts_or_revokes_at_the_same_time_is_neither_accepted_nor_revoked(
    elsewhere_accepts: bool, here_accepts: bool
) -> None:
    organization_id = make_company().organization_id
    invitation_id = verbs.invite_person(
        organization_id=organization_id, at=day(1), now=NOW, work_email="anna@example.com", person_name="Anna"
    )
    line: FactLine = InvitationRevoked(fact_id=uuid.uuid4(), at=day(2), invitation_id=invitation_id)
    if elsewhere_accepts:
        line = EmployeeJoined(
            fact_id=uuid.uuid4(),
            at=day(2),
            person_id=uuid.uuid4(),
            learner_profile_id=uuid.uuid4(),
            invitation_id=invitation_id,
        )

    def accept_or_revoke() -> None:
        verb = verbs.join_employee if here_accepts else verbs.revoke_invitation
        try:
            verb(organization_id=organization_id, at=day(3), now=NOW, invitation_id=invitation_id)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as threads, recording_elsewhere(organization_id, [line], NOW) as elsewhere:
        here = threads.submit(accept_or_revoke)
        until_somebody_waits()
        elsewhere.commit()
        with pytest.raises(RefusedByRuleError):
            here.result(60)
