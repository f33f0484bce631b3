"""Recorders of courses, certificate editions, releases and the lessons in them."""

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from compliance.facts.courses import resolving
from compliance.facts.courses.contents import fingerprints, sound_content
from compliance.facts.courses.models import CertificateEdition, Course, Release, ReleaseContent
from compliance.facts.errors import InvalidContentError
from compliance.facts.ledger.models import SubjectKind
from compliance.facts.lines.kinds import CourseChanged, CourseCreated, ReleasePublished, ReleaseWithdrawn
from compliance.facts.people.resolving import earliest_per, once, once_in
from compliance.facts.policies import resolving as policies
from compliance.facts.recording.batch import Batch
from compliance.facts.refusal_reasons import RefusalReason
from compliance.facts.rows import append, keep, lock, lookup, update
from compliance.tenancy import sql


def record_course_created(batch: Batch[CourseCreated]) -> None:
    """Records that courses were created."""
    once_in(batch, Course, "course_id")
    lines = batch.accepted_lines()
    moments = [line.at for line in lines]
    keep(Course, batch.organization_id, lines, kind="training", created_at=moments, title_at=moments)
    certified = [line for line in lines if line.certificate is not None]
    _append_editions(batch.organization_id, certified)
    batch.subjects_of(SubjectKind.COURSE, (line.course_id for line in lines))
    batch.subjects_of(SubjectKind.EVERYONE_OF_COURSE, (line.course_id for line in certified))


def record_course_changed(batch: Batch[CourseChanged]) -> None:
    """Records new titles of courses, and new certificates if the line states them (null: none from then on)."""
    resolving.refuse_unknown_courses(batch)
    accepted = batch.accepted()
    latest: dict[uuid.UUID, tuple[datetime, str]] = {}
    for _, line, _ in accepted:
        latest[line.course_id] = max(latest.get(line.course_id, (line.at, line.title)), (line.at, line.title))
    update(
        "courses_course",
        batch.organization_id,
        {"course_id": "uuid", "at": "timestamptz", "title": "text"},
        "title = x.title, title_at = x.at",
        "t.course_id = x.course_id AND (t.title_at, t.title) < (x.at, x.title)",
        [(course_id, at, title) for course_id, (at, title) in latest.items()],
    )
    speaking = [line for _, line, _ in accepted if "certificate" in line.model_fields_set]
    _append_editions(batch.organization_id, speaking)
    batch.subjects_of(SubjectKind.COURSE, latest)
    batch.subjects_of(SubjectKind.EVERYONE_OF_COURSE, (line.course_id for line in speaking))


def record_release_published(batch: Batch[ReleasePublished]) -> None:
    """Records that versions of courses were published, with the lessons that they contain."""
    organization_id = batch.organization_id
    once(batch, "course_release_id", lambda line: line.course_release_id, lambda ids: _taken(organization_id, ids))
    resolving.refuse_unknown_courses(batch)
    once(
        batch,
        "version",
        lambda line: (line.course_id, line.version),
        lambda keys: _versions(organization_id, {course_id for course_id, _ in keys}),
    )
    contents: dict[uuid.UUID, dict[str, Any]] = {}
    for staged in batch.accepted():
        try:
            content = sound_content(staged.line)
        except InvalidContentError as error:
            batch.refuse(staged, RefusalReason.CONTENT, str(error))
            continue
        if content is not None:
            contents[staged.line.course_release_id] = content
    also = _record_lessons(batch)
    lines = batch.accepted_lines()
    own, contained = zip(*map(fingerprints, lines), strict=True) if lines else ((), ())
    keep(
        Release,
        organization_id,
        lines,
        published_at=[line.at for line in lines],
        content_sha256=list(own),
        contents_sha256=list(contained),
        lesson_release_ids=[[lesson.release_id for lesson in line.lessons] for line in lines],
    )
    carrying = [line for line in lines if line.content is not None]
    texts = [orjson.dumps(contents[line.course_release_id]).decode() for line in carrying]
    keep(ReleaseContent, organization_id, carrying, content=texts)
    course_ids = [line.course_id for line in lines]
    batch.subjects_of(SubjectKind.COURSE, also.union(course_ids))
    batch.subjects_of(SubjectKind.EVERYONE_OF_COURSE, course_ids)


def record_release_withdrawn(batch: Batch[ReleaseWithdrawn]) -> None:
    """Records that published versions were withdrawn."""
    lock(Release, batch.organization_id, "course_release_id", {line.course_release_id for _, line, _ in batch.lines})
    found = resolving.refuse_unknown_releases(batch, lambda line: line.course_release_id)
    for staged in batch.accepted():
        release = found[staged.line.course_release_id]
        if release.withdrawn_at is not None:
            batch.refuse(staged, RefusalReason.RULE, "The release has been withdrawn already.")
        elif staged.line.at < release.published_at:
            batch.refuse(staged, RefusalReason.RULE, "The release was not published at that moment.")
    first = earliest_per(batch, lambda line: line.course_release_id, "The release has been withdrawn already.")
    update(
        "courses_release",
        batch.organization_id,
        {"course_release_id": "uuid", "at": "timestamptz"},
        "withdrawn_at = x.at",
        "t.course_release_id = x.course_release_id",
        [(release_id, staged.line.at) for release_id, staged in first.items()],
    )
    courses = [found[release_id].course_id for release_id in first]
    batch.subjects_of(SubjectKind.COURSE, courses)
    batch.subjects_of(SubjectKind.EVERYONE_OF_COURSE, courses)


class StatedLesson(NamedTuple):
    """What a fact states about a lesson release."""

    lesson_release_id: uuid.UUID
    course_id: uuid.UUID
    title: str
    at: datetime
    version: int | None
    content_sha256: str | None


class StoredLesson(NamedTuple):
    """A lesson release as stored: the course to which it belongs, and its fingerprint and version if any is known."""

    course_id: uuid.UUID
    content_sha256: str | None
    version: int | None


Lessons = dict[uuid.UUID, StoredLesson]
"""By `lesson_release_id`."""

_LESSONS = """SELECT lesson_release_id, course_id, content_sha256, version FROM courses_lesson
WHERE organization_id = %s AND lesson_release_id = ANY(%s) ORDER BY id FOR """


def lessons(organization_id: uuid.UUID, ids: Iterable[uuid.UUID], *, to_write: bool = False) -> Lessons:
    """The lesson releases that exist, locked until the transaction ends.

    No other transaction moves them meanwhile, and with `to_write` no other one writes them.
    """
    found = lookup(_LESSONS + ("NO KEY UPDATE" if to_write else "SHARE"), organization_id, set(ids))
    return {lesson_release_id: StoredLesson(*row) for lesson_release_id, row in found.items()}


def published_lessons(organization_id: uuid.UUID, ids: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    """Those of `ids` that are in a release of a course, which stated their versions and fingerprints."""
    return {lesson_release_id for lesson_release_id, _ in _released(organization_id, ids)}


def _released(organization_id: uuid.UUID, ids: Iterable[uuid.UUID]) -> set[tuple[uuid.UUID, uuid.UUID]]:
    """Each of the lessons with each course of which a release holds it."""
    wanted = list(set(ids))
    if not wanted:
        return set()
    rows = sql.fetch(
        "SELECT DISTINCT lesson, r.course_id FROM courses_release r"
        " CROSS JOIN LATERAL unnest(r.lesson_release_ids) AS l (lesson)"
        " WHERE r.organization_id = (SELECT %s::uuid) AND r.lesson_release_ids && %s::uuid[] AND lesson = ANY(%s)",
        (organization_id, wanted, wanted),
    )
    return {(lesson_release_id, course_id) for lesson_release_id, course_id in rows}


def keep_lessons(organization_id: uuid.UUID, stated: Iterable[StatedLesson], known: Lessons) -> set[uuid.UUID]:
    """Makes the lessons that are new; existing ones, `known`, get the latest title, and values that were missing.

    A lesson has the version with which it first appeared: the lowest that is stated, in whatever order. Returns the
    courses whose rows hold a lesson that has got another version or a fingerprint. If another transaction makes one of
    the new lessons at the same time, the unique key is violated, because what the two state was not compared.
    """
    latest: dict[uuid.UUID, StatedLesson] = {}
    for each in stated:
        before = latest.get(each.lesson_release_id)
        if before is None:
            latest[each.lesson_release_id] = each
            continue
        newer = max(before, each, key=lambda one: (one.at, one.title))
        latest[each.lesson_release_id] = before._replace(
            title=newer.title,
            at=newer.at,
            version=min(filter(None, (before.version, each.version)), default=None),
            content_sha256=before.content_sha256 or each.content_sha256,
        )
    columns = {
        "lesson_release_id": "uuid",
        "course_id": "uuid",
        "title": "text",
        "title_at": "timestamptz",
        "version": "integer",
        "content_sha256": "text",
    }
    append("courses_lesson", organization_id, columns, [each for key, each in latest.items() if key not in known])
    update(
        "courses_lesson",
        organization_id,
        columns,
        "title = CASE WHEN (t.title_at, t.title) < (x.title_at, x.title) THEN x.title ELSE t.title END,"
        " title_at = greatest(t.title_at, x.title_at), version = least(t.version, x.version),"
        " content_sha256 = coalesce(t.content_sha256, x.content_sha256)",
        "t.lesson_release_id = x.lesson_release_id",
        [each for key, each in latest.items() if key in known],
    )
    changed = {
        lesson_release_id
        for lesson_release_id, each in latest.items()
        if (stored := known.get(lesson_release_id)) is not None
        and (
            (each.version is not None and (stored.version is None or each.version < stored.version))
            or (stored.content_sha256 is None and each.content_sha256 is not None)
        )
    }
    courses = {course_id for _, course_id in _released(organization_id, changed)}
    return courses | {known[lesson_release_id].course_id for lesson_release_id in changed}


def move_lessons(organization_id: uuid.UUID, course_of: Iterable[tuple[uuid.UUID, uuid.UUID]]) -> None:
    """Moves lessons (lesson_release_id, course_id) to the courses under which they were shared alone."""
    update(
        "courses_lesson",
        organization_id,
        {"lesson_release_id": "uuid", "course_id": "uuid"},
        "course_id = x.course_id",
        "t.lesson_release_id = x.lesson_release_id AND t.course_id <> x.course_id",
        list(course_of),
    )


class StatedPolicy(NamedTuple):
    """What the versions of a policy state: when the first was published, and the latest title with its moment."""

    course_id: uuid.UUID
    created_at: datetime
    title: str
    title_at: datetime


def keep_policies(organization_id: uuid.UUID, stated: Iterable[StatedPolicy]) -> None:
    """Makes the policies that are new; existing ones get the title that is stated."""
    append(
        "courses_course",
        organization_id,
        {"course_id": "uuid", "created_at": "timestamptz", "title": "text", "title_at": "timestamptz"},
        list(stated),
        constants={"kind": ("text", "policy")},
        ending="ON CONFLICT (organization_id, course_id)"
        " DO UPDATE SET title = excluded.title, title_at = excluded.title_at",
    )


def _record_lessons(batch: Batch[ReleasePublished]) -> set[uuid.UUID]:
    """Keeps the lessons of releases; a lesson release whose fingerprint differs from the known one is refused.

    Returns the courses with rows that change by it.
    """
    named = {lesson.release_id for _, line, _ in batch.accepted() for lesson in line.lessons}
    if not named:
        return set()
    stored = lessons(batch.organization_id, named, to_write=True)
    known = {lesson_id: lesson.content_sha256 for lesson_id, lesson in stored.items()}
    for staged in batch.accepted():
        for lesson in staged.line.lessons:
            before = known.get(lesson.release_id)
            if before is not None and before != lesson.content_sha256:
                batch.refuse(
                    staged, RefusalReason.RULE, "lessons: a lesson release never changes, and one differs from before."
                )
                break
        else:
            known.update((lesson.release_id, lesson.content_sha256) for lesson in staged.line.lessons)
    return keep_lessons(
        batch.organization_id,
        [
            StatedLesson(
                lesson.release_id, line.course_id, lesson.title, line.at, lesson.version, lesson.content_sha256
            )
            for _, line, _ in batch.accepted()
            for lesson in line.lessons
        ],
        stored,
    )


def _append_editions(organization_id: uuid.UUID, lines: Iterable[CourseCreated | CourseChanged]) -> None:
    lines = list(lines)
    earned = [line.certificate for line in lines]
    words = ("title", "kind", "valid_months", "renew_days_before")
    stated = {name: [each and getattr(each, name) for each in earned] for name in words}
    keep(CertificateEdition, organization_id, lines, **stated)


def _taken(organization_id: uuid.UUID, ids: set[uuid.UUID]) -> set[uuid.UUID]:
    return resolving.releases(organization_id, ids).keys() | policies.versions_named(organization_id, ids)


def _versions(organization_id: uuid.UUID, course_ids: set[uuid.UUID]) -> set[tuple[uuid.UUID, int]]:
    rows = sql.fetch(
        "SELECT course_id, version FROM courses_release WHERE organization_id = %s AND course_id = ANY(%s)",
        (organization_id, list(course_ids)),
    )
    return {(course_id, version) for course_id, version in rows}
