"""Two who record facts of the same new person at one moment: the profile shows what either of them states."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from compliance.facts.lines.kinds import ContactJoined
from compliance.facts.people.queries import displayed_people
from compliance.rules.vocabulary import Door
from compliance.tenancy import context
from tests import verbs
from tests.companies import NOW, day, make_company
from tests.registers.recording_elsewhere import recording_elsewhere, until_somebody_waits


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize(("told", "shown"), [(None, "Anna of here"), ("Anna of elsewhere", "Anna of elsewhere")])
def test_a_profile_that_somebody_else_made_meanwhile_shows_a_name_where_it_has_none(
    told: str | None, shown: str
) -> None:
    organization_id = make_company().organization_id
    profile = uuid.uuid4()
    contact = ContactJoined(
        fact_id=uuid.uuid4(),
        at=day(2),
        learner_profile_id=profile,
        door=Door.PARTNER,
        company="Partner",
        person_name=told,
    )

    def join() -> None:
        verbs.join_employee(
            organization_id=organization_id, at=day(1), now=NOW, learner_profile_id=profile, person_name="Anna of here"
        )
        connection.close()

    with ThreadPoolExecutor(1) as threads, recording_elsewhere(organization_id, [contact], NOW) as elsewhere:
        joining = threads.submit(join)
        until_somebody_waits()
        elsewhere.commit()
        joining.result(60)
    with context.company(organization_id):
        assert displayed_people(organization_id, [profile])[profile].person_name == shown
