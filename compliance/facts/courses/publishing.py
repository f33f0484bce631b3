"""Publishing a course from a package: the release with its lessons and fingerprints, and what a preview needs.

A lesson that did not change since an earlier version keeps its release and its version, so `contents_sha256` tells
which lessons differ (contract, Course version row). Media are kept with their digests; large ones by digest alone.
"""

import uuid
from datetime import datetime
from typing import NamedTuple

from compliance.contentfile.faults import Severity
from compliance.contentfile.package import CheckedPackage
from compliance.facts.courses import actions
from compliance.facts.courses.models import ReleaseContent, ReleaseMedia
from compliance.facts.errors import InvalidContentError
from compliance.facts.lines import Certificate, ReleaseLesson
from compliance.tenancy import context, sql

FAULTS_SHOWN = 20
LARGEST_KEPT_MEDIA = 20 * 1024 * 1024


class Published(NamedTuple):
    """What was published. `known`: the course's latest version has this content already, and nothing was recorded."""

    course_id: uuid.UUID
    course_release_id: uuid.UUID
    version: int
    lessons: int
    known: bool


def course_of_package(organization_id: uuid.UUID, package: CheckedPackage) -> uuid.UUID:
    """The course that a package is a version of, by the id in its manifest."""
    return uuid.uuid5(organization_id, f"package/{(package.manifest or {})['id']}")


def next_version(organization_id: uuid.UUID, course_id: uuid.UUID) -> int:
    """The version that a release published now would have."""
    with context.company(organization_id):
        ((last,),) = sql.fetch(
            "SELECT coalesce(max(version), 0) FROM courses_release WHERE organization_id = %s AND course_id = %s",
            [organization_id, course_id],
        )
    return int(last) + 1


def publish_package(
    *,
    organization_id: uuid.UUID,
    package: CheckedPackage,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
    publisher_id: uuid.UUID | None = None,
    course_id: uuid.UUID | None = None,
    certificate: Certificate | None = None,
    retake: bool = False,
) -> Published:
    """Seals a package as the next version of its course, made with `certificate` where it is not there yet.

    `course_id` names a course that stands; without it the manifest's id decides. Raises InvalidContentError.
    """
    refuse_faults(package)
    with context.company(organization_id):
        course = course_id or course_of_package(organization_id, package)
        standing = sql.fetch(
            "SELECT c.course_id, r.course_release_id, r.version, r.content_sha256 FROM courses_course c"
            " LEFT JOIN courses_release r ON r.organization_id = c.organization_id AND r.course_id = c.course_id"
            " WHERE c.organization_id = %s AND c.course_id = %s ORDER BY r.version DESC NULLS LAST LIMIT 1",
            [organization_id, course],
        )
        lessons = len(package.lesson_fingerprints)
        if standing and standing[0][3] == package.content_sha256 and not retake:
            return Published(course, standing[0][1], standing[0][2], lessons, True)
        if not standing:
            actions.create_course(
                organization_id=organization_id, title=package.title, at=at, now=now, actor_id=actor_id,
                certificate=certificate, course_id=course,
            )  # fmt: skip
        version = next_version(organization_id, course)
        release_id = actions.publish_release(
            organization_id=organization_id,
            at=at,
            now=now,
            actor_id=actor_id,
            course_id=course,
            course_release_id=uuid.uuid5(course, f"version/{version}"),
            version=version,
            lessons=release_lessons(organization_id, course, version, package),
            content=package.content,
            content_sha256=package.content_sha256,
            publisher_id=publisher_id,
            retake=retake,
        )
        keep_package(organization_id, release_id, package)
    return Published(course, release_id, version, lessons, False)


def keep_package(organization_id: uuid.UUID, course_release_id: uuid.UUID, package: CheckedPackage) -> None:
    """Keeps manifest, words and media of a release beside its content file, for the preview."""
    ReleaseContent.objects.filter(organization_id=organization_id, course_release_id=course_release_id).update(
        manifest=package.manifest, words={language: dict(words) for language, words in package.words.items()}
    )
    ReleaseMedia.objects.bulk_create(
        ReleaseMedia(
            organization_id=organization_id,
            course_release_id=course_release_id,
            media_id=item.id,
            media_type=item.type,
            sha256=item.sha256,
            size=item.size,
            content=package.read_media(item.id) if item.size <= LARGEST_KEPT_MEDIA else None,
        )
        for item in package.media
    )


def release_lessons(
    organization_id: uuid.UUID, course_id: uuid.UUID, version: int, package: CheckedPackage
) -> list[ReleaseLesson]:
    """The lessons of the release. A lesson that did not change keeps its release and its version."""
    titles = {lesson["id"]: lesson["title"] for lesson in (package.content or {})["lessons"]}
    found = [
        (uuid.uuid5(course_id, f"{each.lesson_id} {each.content_sha256}"), each) for each in package.lesson_fingerprints
    ]
    known: dict[uuid.UUID, int | None] = dict(
        sql.fetch(
            "SELECT lesson_release_id, version FROM courses_lesson"
            " WHERE organization_id = %s AND lesson_release_id = ANY(%s)",
            [organization_id, [release_id for release_id, _ in found]],
        )
    )
    return [
        ReleaseLesson(
            release_id=release_id,
            title=package.text(titles[each.lesson_id]),
            version=known.get(release_id) or version,
            content_sha256=each.content_sha256,
        )
        for release_id, each in found
    ]


def refuse_faults(package: CheckedPackage) -> None:
    """Raises InvalidContentError with what keeps the package from being published."""
    if package.ok:
        return
    errors = [fault for fault in package.faults if fault.severity is Severity.ERROR]
    said = " ".join(f"{fault.file}{fault.pointer}: {fault.message}" for fault in errors[:FAULTS_SHOWN])
    raise InvalidContentError(f"The package has {package.fault_count} faults. {said}")
