"""What a person owes: read from the newest capture, and from facts that no capture contains yet.

A course that was finished, or a policy that was signed, seconds ago counts as done, because its fact is recorded
although the history does not contain it yet.
"""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils.translation import gettext

from compliance.facts.courses import queries as courses
from compliance.facts.courses.queries import Offered
from compliance.facts.ledger import queries as ledger
from compliance.facts.policies import queries as policies
from compliance.facts.shares import queries as shares
from compliance.facts.shares.queries import Asked
from compliance.facts.training import queries as training
from compliance.history.of_person import Held, held
from compliance.interfaces.learner.home import reasons
from compliance.interfaces.learner.home.titles import titles_in
from compliance.interfaces.learner.visit import Visit
from compliance.learning import queries as learning
from compliance.learning import words
from compliance.learning.models import Take
from compliance.rules.taking.progress import Progress
from compliance.rules.vocabulary import Requirement

_SOON = timedelta(days=7)


@dataclass(frozen=True)
class Task:
    """One task of the list. `address` is empty where the task is done elsewhere."""

    title: str
    kind: str
    address: str
    due_at: datetime | None
    due: str
    late: bool
    reason: str
    soon: bool = False
    progress: str = ""
    language: str = ""

    @property
    def tone(self) -> str:
        """How the page marks the deadline."""
        return "late" if self.late else "due" if self.soon else ""

    @property
    def order(self) -> tuple[bool, float, str]:
        """The sort key: the earliest deadline first, so late tasks before all; tasks without a deadline last."""
        return (self.due_at is None, self.due_at.timestamp() if self.due_at else 0.0, self.title.casefold())


@dataclass
class Owed:
    """The tasks, the voluntary ones, and whether facts about the person still wait for the history."""

    tasks: list[Task] = field(default_factory=list)
    optional: list[Task] = field(default_factory=list)
    waits: bool = False

    @property
    def late(self) -> int:
        """How many of the tasks are late."""
        return sum(task.late for task in self.tasks)


def owed(visit: Visit) -> Owed:
    """The person's list. A constant number of statements."""
    organization_id, learner_profile_id = visit.organization_id, visit.learner_profile_id
    rows = held(organization_id, learner_profile_id, visit.now, ("training", "policies", "certificates", "receipts"))
    of_course = [row for row in rows if row.of == "training" and _is_open(row, visit.now)]
    of_policy = [row for row in rows if row.of == "policies" and row.done_at is None]
    takes = learning.takes_of(organization_id, learner_profile_id) if of_course else []
    of_course = _not_finished(visit, of_course, takes)
    of_policy = _not_signed(visit, of_policy, {row.record_id for row in rows if row.of == "receipts"})
    if not of_course and not of_policy:
        return Owed(waits=not rows and bool(ledger.whose_rows_wait(organization_id, {learner_profile_id})))
    by_share = shares.asked(organization_id, _share_ids([*of_course, *of_policy]), learner_profile_id, visit.now)
    contents = _contents(visit, of_course, by_share)
    ends = {row.record_id: row.due_at for row in rows if row.of == "certificates"}
    offers = {row.record_id: contents.get(_taken(row, by_share)) for row in of_course}
    lessons = {record_id: offer.sha256 for record_id, offer in offers.items() if offer is not None}
    under_way = [take for take in takes if take.finished_at is None and take.carried_at is None]
    begun = learning.how_far(organization_id, under_way, lessons, visit.now)
    titles = titles_in(organization_id, [each for each, offer in contents.items() if offer.here], visit.languages)
    found = Owed()
    for row in of_course:
        task = _course(visit, row, by_share, contents, ends)
        task = replace(task, progress=_how_far(begun.get(row.record_id)))
        if row.lesson_share_id is None and (own := titles.get(_taken(row, by_share))):
            task = replace(task, title=own.text, language=own.language)
        (found.tasks if row.state == Requirement.REQUIRED else found.optional).append(task)
    receipts = [row for row in rows if row.of == "receipts"]
    for row in of_policy:
        asked = _asked(row, by_share)
        reason = reasons.of_policy(visit, row, asked, receipts)
        address = reverse("learner:policy", kwargs={"course_id": row.course_id})
        found.tasks.append(_task(visit, row, row.fields["policy_title"], "policy", address, reason))
    for tasks in (found.tasks, found.optional):
        tasks.sort(key=lambda task: task.order)
    return found


def _is_open(row: Held, now: datetime) -> bool:
    """Whether a training record still applies, and is neither completed nor waived."""
    ended = row.ends_at is not None and row.ends_at <= now
    return not ended and row.done_at is None and row.waived_at is None


def _not_finished(visit: Visit, rows: list[Held], takes: list[Take]) -> list[Held]:
    """The records without courses that were finished here and whose completion no capture contains yet.

    A course whose completion was voided since is to be done again.
    """
    finished = {take.record_id: take.completion_receipt_id for take in takes if take.completion_receipt_id is not None}
    receipts = {row.record_id: finished[row.record_id] for row in rows if row.record_id in finished}
    if not receipts:
        return rows
    counting = training.not_voided(visit.organization_id, receipts.values())
    return [row for row in rows if receipts.get(row.record_id) not in counting]


def _not_signed(visit: Visit, rows: list[Held], captured: Collection[uuid.UUID]) -> list[Held]:
    """The records without policies that have a receipt which no capture contains yet."""
    if not rows:
        return rows
    signed = policies.signed_by(visit.organization_id, visit.learner_profile_id)
    fresh = {each.course_release_id for each in signed if each.receipt_id not in captured}
    return [row for row in rows if uuid.UUID(row.fields["course_release_id"]) not in fresh]


def _share_ids(rows: list[Held]) -> set[uuid.UUID]:
    return {share_id for row in rows for share_id in _shares_of(row)}


def _shares_of(row: Held) -> list[uuid.UUID]:
    identifiers = row.fields["share_ids"] if row.of == "training" else [row.fields["assignment_id"]]
    return [uuid.UUID(each) for each in identifiers]


def _asked(row: Held, by_share: Mapping[uuid.UUID, Asked]) -> list[Asked]:
    return [by_share[share_id] for share_id in _shares_of(row) if share_id in by_share]


def _lesson(row: Held, by_share: Mapping[uuid.UUID, Asked]) -> uuid.UUID | None:
    """The lesson that was shared alone; None for the record of a whole course."""
    share = by_share.get(row.lesson_share_id) if row.lesson_share_id else None
    return share.lesson_release_id if share else None


def _release(row: Held) -> uuid.UUID | None:
    identifier = row.fields["course_release_id"]
    return uuid.UUID(identifier) if identifier else None


def _taken(row: Held, by_share: Mapping[uuid.UUID, Asked]) -> uuid.UUID:
    """The release that is taken: the lesson that was shared alone, or the course."""
    return _lesson(row, by_share) or _release(row) or row.record_id


def _contents(visit: Visit, rows: list[Held], by_share: Mapping[uuid.UUID, Asked]) -> dict[uuid.UUID, Offered]:
    lessons = [lesson for row in rows if (lesson := _lesson(row, by_share))]
    releases = [release for row in rows if (release := _release(row))]
    return courses.offered(visit.organization_id, releases, lessons) if rows else {}


def _course(
    visit: Visit,
    row: Held,
    by_share: Mapping[uuid.UUID, Asked],
    contents: Mapping[uuid.UUID, Offered],
    ends: Mapping[uuid.UUID, datetime | None],
) -> Task:
    lesson = _lesson(row, by_share)
    content = contents.get(_taken(row, by_share)) or Offered("", False, None)
    renews = row.fields["renews_certificate_id"]
    reason = reasons.of_training(visit, row, _asked(row, by_share), ends.get(uuid.UUID(renews)) if renews else None)
    address = (
        reverse("learner:lesson", kwargs={"lesson_release_id": lesson})
        if lesson
        else reverse("learner:course", kwargs={"course_id": row.course_id})
    )
    return _task(visit, row, content.title, "lesson" if lesson else "course", address if content.here else "", reason)


def _how_far(progress: Progress | None) -> str:
    """The progress as "Page 4 of 12"; "" where the course was not begun."""
    if progress is None or not progress.pages_in_all:
        return ""
    order = [page.id for page in progress.counted_pages]
    number = len(order) if progress.next_page_id is None else order.index(progress.next_page_id) + 1
    return gettext("Page %(number)s of %(pages)s") % {"number": number, "pages": len(order)}


def _task(visit: Visit, row: Held, title: str, kind: str, address: str, reason: str) -> Task:
    return Task(
        title=title,
        kind=kind,
        address=address,
        due_at=row.due_at,
        due=words.by_day(row.due_at, visit.now, visit.zone),
        late=row.due_at is not None and visit.now > row.due_at,
        soon=row.due_at is not None and visit.now > row.due_at - _SOON,
        reason=reason,
    )
