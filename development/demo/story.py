"""Tells both stories into the database, once, as they would have come in over the years.

Facts go in month by month, each month captured and swept at its own end, so that rows carry the moments at which
they would have been recorded and the clock has brought what it brings (renewals that opened: cause `sweep`).
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
    """A fact of the story was refused: the story and the rules disagree."""


def organization_id(story: ModuleType) -> uuid.UUID:
    """The identifier of the company a story is about."""
    return uuid.uuid5(_NAMESPACE, story.NAME)


def tell_all(now: datetime, say: Callable[[str], None]) -> None:
    """Tells each story that is not told yet, and to its end one whose telling was ended midway."""
    for story in STORIES:
        company = organization_id(story)
        made = Organization.objects.filter(organization_id=company).first()
        zone = ZoneInfo(story.ZONE)
        today = now.astimezone(zone).date()
        if made is not None:  # its days are counted from the day on which its telling began
            today = made.history_complete_from.astimezone(zone).date() + timedelta(days=story.DAYS_OF_HISTORY)
        told = story.tell(company, today)
        if made is None or not _is_whole(told):
            say(f"Telling the story of {story.NAME} ...")
            _tell(story, told, now)


def _is_whole(told: Story) -> bool:
    """Whether the last step of telling was done, which is to keep the packages."""
    with context.company(told.organization_id):
        kept = ReleaseContent.objects.filter(organization_id=told.organization_id, manifest__isnull=False)
        return kept.count() >= len(told.packages)


def _tell(story: ModuleType, told: Story, now: datetime) -> None:
    company, zone, today = told.organization_id, told.zone, told.today
    begin = today - timedelta(days=story.DAYS_OF_HISTORY)
    if not Organization.objects.filter(organization_id=company).exists():
        began = min(datetime.combine(begin, time(1), zone), now)
        history.create_company(
            name=story.NAME, time_zone=story.ZONE, history_from=begin, now=began, organization_id=company
        )
    for older, newer in _months(story.DAYS_OF_HISTORY):
        moment = min(now, datetime.combine(today - timedelta(days=newer), time(23, 30), zone))
        lines = told.heard_between(older, newer)
        stream = io.BytesIO(b"".join(orjson.dumps(line) + b"\n" for line in lines))
        if lines:
            report = import_facts(organization_id=company, stream=stream, now=moment, strict=False)
            if report.errors:
                raise StoryRefusedError(f"{story.NAME}: {list(map(str, report.errors))}")
            if report.known == len(lines):
                continue  # told before the telling was ended; what is not captured yet is so with the next month
        history.capture_all(company, moment)
        history.sweep_company(company, moment)
    history.capture_all(company, now)
    with context.company(company):
        for release_id, package in told.packages:
            keep_package(company, release_id, package)


def _months(days: int) -> Iterator[tuple[int, int]]:
    older = days + 1
    while older > 0:
        newer = max(older - 30, 0)
        yield older, newer
        older = newer
