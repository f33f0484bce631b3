"""Each filter of the people register lists the rows that display its state, also those that the clock has ended."""

import uuid

import pytest

from compliance.history import actions
from compliance.registers.listings import LISTINGS
from compliance.rules.vocabulary import AccessState
from tests.facts.story import Story
from tests.registers.pulling import pull
from tests.registers.test_invitations_of_a_period import NOW, SENT, invite
from tests.registers.test_pins import question

pytestmark = pytest.mark.django_db


def test_an_invitation_that_has_expired_is_no_longer_among_the_invited():
    story = Story(NOW)
    open_for_ever, still_open = invite(story, "ada@example.org"), invite(story, "ben@example.org", expires=400)
    expired, revoked = invite(story, "cleo@example.org", expires=9), invite(story, "dan@example.org", revoked=9)
    story.employee("Eve", SENT, person_id=uuid.uuid4())
    actions.capture_all(story.organization_id, NOW)
    asked = question(story.organization_id)._replace(moment=NOW, start=SENT)
    rows = {row["person_id"]: row["access_state"] for row in pull(LISTINGS["people"], asked)}
    assert {rows[str(each)] for each in (open_for_ever, still_open)} == {"invited"}
    assert {rows[str(each)] for each in (expired, revoked)} == {"ended"}
    for state in AccessState:
        found = {row["person_id"] for row in pull(LISTINGS["people"].filtered(state.value), asked)}
        assert found == {person_id for person_id, its_state in rows.items() if its_state == state}, state
