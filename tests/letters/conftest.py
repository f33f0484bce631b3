"""A company whose letters are tested, and letters as a reader's mail program displays them."""

import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from compliance.history.actions import capture_all
from compliance.letters import sending
from compliance.letters.actions import Kind, ask
from compliance.letters.models import Letter
from compliance.tenancy import context
from tests.companies import NOW
from tests.facts.story import Story


@pytest.fixture
def story(db: None) -> Story:
    """A company without people, captured up to NOW."""
    made = Story(NOW)
    capture_all(made.organization_id, NOW)
    return made


@pytest.fixture
def asked() -> Callable[..., Letter]:
    """`asked(story, kind, learner, *subjects, **more)`: a requested letter."""

    def make(story: Story, kind: Kind, learner: uuid.UUID | None, *subjects: uuid.UUID, **more: Any) -> Letter:
        letter_id = uuid.uuid4()
        with context.company(story.organization_id):
            ask(
                story.organization_id,
                kind,
                learner_profile_id=learner,
                subject_ids=subjects,
                now=NOW,
                letter_id=letter_id,
                **more,
            )
            return Letter.objects.get(organization_id=story.organization_id, letter_id=letter_id)

    return make


def sent(story: Story, at: datetime = NOW, **more: Any) -> int:
    """Sends what is due at a moment; returns how many letters were sent."""
    return sending.send_due(story.organization_id, lambda: at, **more).sent


def again(letter: Letter) -> Letter:
    """The letter's row as it is now."""
    with context.company(letter.organization_id):
        return Letter.objects.get(organization_id=letter.organization_id, pk=letter.pk)
