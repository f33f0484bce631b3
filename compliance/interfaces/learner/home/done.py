"""`/learn/done`: the certificates a person holds, the courses they finished, the policies they confirmed."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from compliance.facts.courses import queries as courses
from compliance.facts.policies import queries as policies
from compliance.facts.shares import queries as shares
from compliance.facts.training import queries as training
from compliance.history.of_person import Held, held
from compliance.interfaces.learner.home.certificates import Certificate, in_words
from compliance.interfaces.learner.visit import Visit
from compliance.learning import queries, words
from compliance.rules.vocabulary import ReceiptAct


@dataclass(frozen=True)
class Finished:
    """A course or a lesson that was finished; `certificate_id` is what it earned, None for nothing (yet)."""

    title: str
    at: datetime
    when: str
    certificate_id: uuid.UUID | None = None


@dataclass(frozen=True)
class Confirmed:
    """A policy that was signed or acknowledged."""

    receipt_id: uuid.UUID
    title: str
    version: int
    signed: bool
    when: str


@dataclass(frozen=True)
class Done:
    """The lists of the page, newest first."""

    certificates: list[Certificate]
    courses: list[Finished]
    policies: list[Confirmed]


def done(visit: Visit) -> Done:
    """The lists of the signed-in person. A constant number of statements."""
    rows = held(visit.organization_id, visit.learner_profile_id, visit.now, ("training", "certificates"))
    certificates = [row for row in rows if row.of == "certificates"]
    certificates.sort(key=lambda row: row.fields["earned_at"], reverse=True)
    return Done(
        [in_words(visit, row) for row in certificates],
        _courses(visit, [row for row in rows if row.of == "training"]),
        [
            Confirmed(
                receipt_id=each.receipt_id,
                title=each.policy_title,
                version=each.version,
                signed=each.act == ReceiptAct.SIGNED,
                when=words.on_day(each.signed_at, visit.now, visit.zone),
            )
            for each in policies.signed_by(visit.organization_id, visit.learner_profile_id)
        ],
    )


def _courses(visit: Visit, rows: list[Held]) -> list[Finished]:
    """The finished courses. A completion that settled several records is listed once, under the name of the first."""
    seen: dict[str, tuple[Held, datetime]] = {}
    for row in rows:
        if row.done_at is not None:
            seen.setdefault(row.fields["completion_receipt_id"] or str(row.record_id), (row, row.done_at))
    open_rows = {row.record_id: row for row in rows if row.done_at is None}
    takes = [
        take
        for take in queries.takes_of(visit.organization_id, visit.learner_profile_id)
        if take.completion_receipt_id is not None and take.record_id in open_rows
    ]
    receipts = [take.completion_receipt_id for take in takes if take.completion_receipt_id is not None]
    counting = training.not_voided(visit.organization_id, receipts) if receipts else set()
    for take in takes:
        if take.completion_receipt_id in counting and take.finished_at is not None:
            seen[str(take.completion_receipt_id)] = (open_rows[take.record_id], take.finished_at)
    titles = _titles(visit, [row for row, _ in seen.values()])
    found = [
        Finished(
            titles.get(row.record_id, ""),
            at,
            words.on_day(at, visit.now, visit.zone),
            uuid.UUID(row.fields["certificate_id"]) if row.fields["certificate_id"] else None,
        )
        for row, at in seen.values()
    ]
    return sorted(found, key=lambda each: each.at, reverse=True)


def _titles(visit: Visit, rows: list[Held]) -> dict[uuid.UUID, str]:
    """The title of each record: of the course, or of the lesson that was shared alone."""
    shared = {row.lesson_share_id for row in rows if row.lesson_share_id}
    lessons = {
        share_id: each.lesson_release_id
        for share_id, each in (
            shares.asked(visit.organization_id, shared, visit.learner_profile_id, visit.now).items() if shared else ()
        )
    }
    named = courses.offered(visit.organization_id, (), [each for each in lessons.values() if each])
    titles = courses.titles_of(visit.organization_id, {row.course_id for row in rows})
    found = {}
    for row in rows:
        lesson = lessons.get(row.lesson_share_id) if row.lesson_share_id else None
        title = named[lesson].title if lesson in named else ""
        found[row.record_id] = title or (titles.get(row.course_id, "") if row.course_id else "")
    return found
