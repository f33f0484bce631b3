"""Publishing a course from a package: the release with its lessons and fingerprints, and what a preview needs.

A package is identified by its manifest's `id` within a company: its first publication makes the course (or a version of
the course that is named), and each later one makes that course's next version; publishing the same package again
records nothing. A lesson that did not change since an earlier version keeps its release and its version, so
`contents_sha256` shows which lessons differ. Media are kept with their digests.
"""

import uuid
from datetime import datetime
from typing import Any, NamedTuple

from compliance.contentfile.faults import Severity
from compliance.contentfile.package import CheckedPackage
from compliance.facts.courses.media import keep_media
from compliance.facts.courses.models import Release, ReleaseContent, ReleaseMedia
from compliance.facts.courses.resolving import kinds_of_courses
from compliance.facts.errors import InvalidContentError, RefusedByRuleError, UnresolvedReferenceError
from compliance.facts.lines.kinds import Certificate, CourseChanged, CourseCreated, ReleaseLesson, ReleasePublished
from compliance.facts.recording.acting import act
from compliance.tenancy import context, sql

FAULTS_QUOTED = 20


class Published(NamedTuple):
    """What was published. `known`: the course's latest version is this very package, and nothing was recorded."""

    course_id: uuid.UUID
    course_release_id: uuid.UUID
    version: int
    lessons: int
    known: bool
    new_course: bool = False


class _Latest(NamedTuple):
    """The course's version with the highest number, and the package that it came from, if it came from one."""

    course_release_id: uuid.UUID
    version: int
    withdrawn_at: datetime | None
    retake: bool
    content_sha256: str | None
    manifest: dict[str, Any] | None
    words: dict[str, dict[str, str]] | None
    media: dict[str, str]

    def is_of(self, package: CheckedPackage) -> bool:
        """Whether this version displays to learners what the package would."""
        same = self.withdrawn_at is None and self.content_sha256 == package.content_sha256
        return same and (self.manifest is None or (self.words == package.words and self.media == _digests(package)))


class Plan(NamedTuple):
    """What publishing would do: make version `version` of a course, or nothing if it is `known`."""

    course_id: uuid.UUID
    latest: _Latest | None
    version: int
    known: bool


def course_of_package(organization_id: uuid.UUID, package: CheckedPackage) -> uuid.UUID:
    """The course that a package is a version of: the one that its id was published to before, else a new one.

    A course that has a version of this very content from a facts file, without a package, counts as published from it.
    Raises RefusedByRuleError if there is more than one such course.
    """
    identity = (package.manifest or {})["id"]
    found = _courses(organization_id, identity) or _recorded_with(organization_id, package.content_sha256)
    if len(found) > 1:
        courses = ", ".join(f"{title} ({course_id})" for course_id, title in found.items())
        raise RefusedByRuleError(f"The package {identity} is there as several courses: {courses}. Name one.")
    return next(iter(found), uuid.uuid5(organization_id, f"package/{identity}"))


def _courses(organization_id: uuid.UUID, identity: str) -> dict[uuid.UUID, str]:
    """The titles of the courses that versions of a package were published to; more than one only in older data."""
    with context.company(organization_id):
        return dict(
            sql.fetch(
                "SELECT DISTINCT c.course_id, c.title FROM courses_releasecontent k JOIN courses_release r"
                " ON r.organization_id = k.organization_id AND r.course_release_id = k.course_release_id"
                " JOIN courses_course c ON c.organization_id = r.organization_id AND c.course_id = r.course_id"
                " WHERE k.organization_id = %s AND k.manifest ->> 'id' = %s ORDER BY c.course_id",
                [organization_id, identity],
            )
        )


def _recorded_with(organization_id: uuid.UUID, content_sha256: str) -> dict[uuid.UUID, str]:
    """The titles of the courses that have a version of this content without a package."""
    with context.company(organization_id):
        return dict(
            sql.fetch(
                "SELECT DISTINCT c.course_id, c.title FROM courses_release r JOIN courses_course c"
                " ON c.organization_id = r.organization_id AND c.course_id = r.course_id"
                " LEFT JOIN courses_releasecontent k"
                " ON k.organization_id = r.organization_id AND k.course_release_id = r.course_release_id"
                " WHERE r.organization_id = %s AND r.content_sha256 = %s AND k.manifest IS NULL ORDER BY c.course_id",
                [organization_id, content_sha256],
            )
        )


def plan(
    organization_id: uuid.UUID, package: CheckedPackage, *, course_id: uuid.UUID | None = None, retake: bool = False
) -> Plan:
    """What publishing a package would do. Raises the errors of `publish_package`."""
    refuse_faults(package)
    with context.company(organization_id):
        course = _course(organization_id, package, course_id)
        latest = _latest(organization_id, course)
        known = latest is not None and latest.is_of(package) and not (retake and _asks_anew(latest, package))
        if latest is None or not known:
            _refuse_older(latest, package)
            return Plan(course, latest, (latest.version if latest else 0) + 1, known=False)
        return Plan(course, latest, latest.version, known=True)


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
    """Seals a package as the next version of its course; a new course is made with `certificate`.

    `course_id` names an existing course for a package that is published for the first time. The version is the course's
    next number; the manifest's own version may stay or increase, but not decrease. Raises InvalidContentError,
    UnresolvedReferenceError and RefusedByRuleError.
    """
    with context.company(organization_id):
        course, latest, version, known = plan(organization_id, package, course_id=course_id, retake=retake)
        lessons = len(package.lesson_fingerprints)
        if latest and known:
            if latest.manifest is None:
                keep_package(organization_id, latest.course_release_id, package)
            else:
                keep_media(organization_id, latest.course_release_id, package)  # restores lost media
            return Published(course, latest.course_release_id, version, lessons, known=True)
        common: dict[str, Any] = {
            "organization_id": organization_id,
            "at": at,
            "now": now,
            "actor_id": actor_id,
            "course_id": course,
        }
        exists = course in kinds_of_courses(organization_id, [course])
        if not exists:
            act(CourseCreated, **common, title=package.title, certificate=certificate)
        elif latest and latest.manifest and package.title != _title(latest):
            act(CourseChanged, **common, title=package.title)
        release_id = uuid.uuid5(course, f"version/{version}")
        act(
            ReleasePublished,
            **common,
            course_release_id=release_id,
            version=version,
            lessons=release_lessons(organization_id, course, version, package),
            content=package.content,
            content_sha256=package.content_sha256,
            publisher_id=publisher_id,
            retake=retake,
        )
        keep_package(organization_id, release_id, package)
    return Published(course, release_id, version, lessons, known=False, new_course=not exists)


def _course(organization_id: uuid.UUID, package: CheckedPackage, named: uuid.UUID | None) -> uuid.UUID:
    """The course to publish to, `named` or the package's own; a package is never a version of two courses."""
    if named is None:
        return course_of_package(organization_id, package)
    if kinds_of_courses(organization_id, [named]).get(named) != "training":
        raise UnresolvedReferenceError(f"The company has no course {named}.")
    identity = (package.manifest or {})["id"]
    others = _courses(organization_id, identity)
    if others and named not in others:
        course_id, title = next(iter(others.items()))
        raise RefusedByRuleError(
            f"The package {identity} is the course {title} ({course_id}) already, and a package is one course."
            " Publish it without naming a course, or give it another id in its manifest."
        )
    return named


def _latest(organization_id: uuid.UUID, course_id: uuid.UUID) -> _Latest | None:
    release = Release.objects.filter(organization_id=organization_id, course_id=course_id).order_by("-version").first()
    if release is None:
        return None
    named = {"organization_id": organization_id, "course_release_id": release.course_release_id}
    kept = ReleaseContent.objects.filter(**named).only("manifest", "words").first()
    return _Latest(
        course_release_id=release.course_release_id,
        version=release.version,
        withdrawn_at=release.withdrawn_at,
        retake=release.retake,
        content_sha256=release.content_sha256,
        manifest=kept.manifest if kept else None,
        words=kept.words if kept else None,
        media=dict(ReleaseMedia.objects.filter(**named).values_list("media_id", "sha256")),
    )


def _digests(package: CheckedPackage) -> dict[str, str]:
    return {item.id: item.sha256 for item in package.media}


def _title(latest: _Latest) -> str:
    """The title of the package that a version came from."""
    manifest, words = latest.manifest or {}, latest.words or {}
    return words[manifest["languages"][0]][manifest["title"]]


def _asks_anew(latest: _Latest, package: CheckedPackage) -> bool:
    """Whether a retake of the latest version's content is a new one, and not a repetition of the same request.

    Repeating a publication whose result was lost must not make everybody take the course once more: a second retake of
    the same content needs a higher version in the manifest.
    """
    before = (latest.manifest or {}).get("version", 0)
    return not latest.retake or (package.manifest or {})["version"] > before


def _refuse_older(latest: _Latest | None, package: CheckedPackage) -> None:
    """Refuse an older package than the latest one, most likely a mistake, unless the latest was withdrawn."""
    manifest = package.manifest or {}
    before = (latest.manifest if latest and latest.withdrawn_at is None else None) or manifest
    if before["id"] == manifest["id"] and manifest["version"] < before["version"]:
        raise RefusedByRuleError(
            f"The package says version {manifest['version']}, and version {before['version']} of it was published"
            " before. Publish the newer package; to publish this one all the same, raise the version in its manifest."
        )


def keep_package(organization_id: uuid.UUID, course_release_id: uuid.UUID, package: CheckedPackage) -> None:
    """Keeps manifest, texts and media of a release beside its content file, for the preview."""
    ReleaseContent.objects.update_or_create(
        organization_id=organization_id,
        course_release_id=course_release_id,
        defaults={
            "manifest": package.manifest,
            "words": {language: dict(words) for language, words in package.words.items()},
        },
        create_defaults={
            "content": package.content,
            "manifest": package.manifest,
            "words": {language: dict(words) for language, words in package.words.items()},
        },
    )
    keep_media(organization_id, course_release_id, package)


def release_lessons(
    organization_id: uuid.UUID, course_id: uuid.UUID, version: int, package: CheckedPackage
) -> list[ReleaseLesson]:
    """The lessons of the release. A lesson that did not change keeps its release and its version."""
    titles = {lesson["id"]: lesson["title"] for lesson in (package.content or {})["lessons"]}
    known: dict[str, tuple[uuid.UUID, int | None]] = {
        sha256: (release_id, known_version)
        for sha256, release_id, known_version in sql.fetch(
            "SELECT content_sha256, lesson_release_id, version FROM courses_lesson"
            " WHERE organization_id = %s AND course_id = %s AND content_sha256 = ANY(%s)"
            " ORDER BY version NULLS FIRST, lesson_release_id",
            [organization_id, course_id, [each.content_sha256 for each in package.lesson_fingerprints]],
        )
    }
    found: list[ReleaseLesson] = []
    for each in package.lesson_fingerprints:
        made = uuid.uuid5(course_id, f"{each.lesson_id} {each.content_sha256}")
        release_id, known_version = known.get(each.content_sha256, (made, None))
        found.append(
            ReleaseLesson(
                release_id=release_id,
                title=package.text(titles[each.lesson_id]),
                version=known_version or version,
                content_sha256=each.content_sha256,
            )
        )
    return found


def refuse_faults(package: CheckedPackage) -> None:
    """Raises InvalidContentError with the faults that prevent publication of the package."""
    if package.ok:
        return
    errors = [fault for fault in package.faults if fault.severity is Severity.ERROR]
    quoted = " ".join(f"{fault.file}{fault.pointer}: {fault.message}" for fault in errors[:FAULTS_QUOTED])
    faults = f"{package.fault_count} fault{'' if package.fault_count == 1 else 's'}"
    raise InvalidContentError(f"The package has {faults}. {quoted}")
