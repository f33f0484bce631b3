"""Records both stories in the database, once, as they would have arrived over the years.

Facts are recorded month by month, and each month is captured and swept at its own end. So rows have the moments at
which they would have been recorded, and contain what the clock changes (renewals that opened: cause `sweep`).
"""

import io
import uuid
from collections.abc import Callable, Iterator
from datetime import datetime, time, timedelta
from types import ModuleType
from zoneinfo import ZoneInfo

import orjson

from compliance.errors import ComplianceError
from compliance.facts.courses.models import ReleaseContent
from compliance.facts.courses.publishing import keep_package
from compliance.facts.importing import import_facts
from compliance.history import actions as history
from compliance.tenancy import context
from compliance.tenancy.models import Organization
from development.demo import harbour, meridian
from development.demo.telling import Story

STORIES: tuple[ModuleType, ...] = (meridian, harbour)
_NAMESPACE = uuid.UUID("9d5b8c0e-0b6e-5d3c-8a35-6b8d5f3b9c11")


class StoryRefusedError(ComplianceError):
    """A fact of the story was refused: the story contradicts the rules."""


def organization_id(story: ModuleType) -> uuid.UUID:
    """The identifier of the company that a story is about."""
    return uuid.uuid5(_NAMESPACE, story.NAME)


def tell_all(now: datetime, say: Callable[[str], None]) -> None:
    """Records each story that is missing, and completes one that was interrupted."""
    for story in STORIES:
        company = organization_id(story)
        made = Organization.objects.filter(organization_id=company).first()
        zone = ZoneInfo(story.ZONE)
        today = now.astimezone(zone).date()
        if made is not None:  # its days count back from the day on which its recording began
            today = made.history_complete_from.astimezone(zone).date() + timedelta(days=story.DAYS_OF_HISTORY)
        content = story.tell(company, today)
        if made is None or not _is_whole(content):
            say(f"Telling the story of {story.NAME} ...")
            _tell(story, content, now)


def _is_whole(content: Story) -> bool:
    """Whether the last step was done, which stores the packages."""
    with context.company(content.organization_id):
        kept = ReleaseContent.objects.filter(organization_id=content.organization_id, manifest__isnull=False)
        return kept.count() >= len(content.packages)


def _tell(story: ModuleType, content: Story, now: datetime) -> None:
    company, zone, today = content.organization_id, content.zone, content.today
    begin = today - timedelta(days=story.DAYS_OF_HISTORY)
    if not Organization.objects.filter(organization_id=company).exists():
        began = min(datetime.combine(begin, time(1), zone), now)
        history.create_company(
            name=story.NAME, time_zone=story.ZONE, history_from=begin, now=began, organization_id=company
        )
    for older, newer in _months(story.DAYS_OF_HISTORY):
        moment = min(now, datetime.combine(today - timedelta(days=newer), time(23, 30), zone))
        lines = content.heard_between(older, newer)
        stream = io.BytesIO(b"".join(orjson.dumps(line) + b"\n" for line in lines))
        if lines:
            report = import_facts(organization_id=company, stream=stream, now=moment, strict=False)
            if report.errors:
                raise StoryRefusedError(f"{story.NAME}: {list(map(str, report.errors))}")
            if report.known == len(lines):
                continue  # recorded before the interruption; what is not captured yet is captured with the next month
        history.capture_all(company, moment)
        history.sweep_company(company, moment)
    history.capture_all(company, now)
    with context.company(company):
        for release_id, package in content.packages:
            keep_package(company, release_id, package)


def _months(days: int) -> Iterator[tuple[int, int]]:
    older = days + 1
    while older > 0:
        newer = max(older - 30, 0)
        yield older, newer
        older = newer
