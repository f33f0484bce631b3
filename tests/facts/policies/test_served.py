"""A policy version that is too long for a page of /v1 is refused when it is published, not when it is read."""

import io
import json
from datetime import datetime

import pytest

from compliance.facts.errors import InvalidContentError
from compliance.facts.importing import import_facts
from compliance.facts.lines.kinds import PolicyPublished
from compliance.history import queries
from compliance.history.actions import capture_all
from compliance.registers import pages
from compliance.registers.listings import LISTINGS
from compliance.registers.questions import Company, Pin, Position, Question
from compliance.rules.limits import MAXIMUM_ROW_BYTES
from compliance.tenancy import context
from compliance.tenancy.models import Deployment
from compliance.tenancy.queries import organization
from tests.facts.story import Story

pytestmark = pytest.mark.django_db


def served(story: Story) -> str:
    """The only row of /v1/policies, as served."""
    capture_all(story.organization_id, story.now)
    company, head = organization(story.organization_id), queries.head(story.organization_id)
    told = Company(
        story.organization_id, Deployment.objects.get().deployment_id, company.learning_space_id, company.time_zone,
        company.history_complete_from,
    )  # fmt: skip
    with context.company(story.organization_id):
        return pages.page(
            LISTINGS["policies"], Question(told, Pin(*head[:5]), story.now), Position(), 1, 1
        ).content.decode()


def of_bytes(now: datetime, size: int) -> PolicyPublished:
    """A version whose row has `size` bytes: most of its text is quotation marks, which JSON writes as two."""
    story = Story(now)
    shortest = '<h1>A</h1>\n<p>"</p>\n'
    story.tell([story.version(html=shortest)])
    more = size - len(served(story).encode())
    marks = more * 2 // 5
    return story.version(html=shortest.replace('"', '"' * (1 + marks) + "a" * (more - 2 * marks)))


def test_the_largest_version_that_a_page_holds_is_published_and_served(now: datetime) -> None:
    story = Story(now)
    story.tell([of_bytes(now, MAXIMUM_ROW_BYTES)])
    assert len(served(story).encode()) == MAXIMUM_ROW_BYTES


def test_a_version_that_could_never_be_served_is_refused_by_the_size_of_its_row_as_json(now: datetime) -> None:
    story = Story(now)
    too_large = of_bytes(now, MAXIMUM_ROW_BYTES + 1)
    assert len(too_large.html.encode()) < 2 * 1024 * 1024  # the file alone would have been small enough
    with pytest.raises(InvalidContentError, match="html: the version takes 3,143,681 bytes as JSON"):
        story.tell([too_large])
    facts = [line.__dict__ | {"at": "2025-01-07T09:00:00Z"} for line in (story.version(), too_large)]
    stream = io.BytesIO("\n".join(json.dumps(fact, default=str) for fact in facts).encode())
    report = import_facts(organization_id=story.organization_id, stream=stream, now=now)
    assert report.recorded == 1
    ((number, said, *_),) = report.errors
    assert number == 2
    assert "a page can serve 3,143,680 at most" in said
