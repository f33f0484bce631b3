"""Acts on courses: publish a version from a package, withdraw one."""

import tempfile
import uuid
from typing import Any

from django import forms

from compliance.contentfile.faults import Severity
from compliance.contentfile.package import CheckedPackage, check_package
from compliance.facts.courses import actions
from compliance.facts.lines import Certificate, ReleaseLesson
from compliance.interfaces.console.acting.act import Act, ActForm, Acting, CannotActError, Done
from compliance.interfaces.console.acting.fields import course_choices
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.interfaces.console.who_may import Permission
from compliance.rules.vocabulary import CertificateKind
from compliance.tenancy import sql

GROUP = "Courses and policies"
FAULTS_SHOWN = 20


class PublishCourseForm(ActForm):
    """The package, and the course that it is a version of."""

    package = forms.FileField(label="Package", help_text="A zip with manifest.json, content.json, words and media.")
    course_id = forms.ChoiceField(label="Course", required=False)
    retake = forms.BooleanField(
        required=False,
        label="Retake: whoever completed an earlier version owes this one too",
    )
    certificate_title = forms.CharField(
        required=False, max_length=300, label="Certificate", help_text="For a new course. Empty: it earns none."
    )
    valid_months = forms.IntegerField(required=False, min_value=1, max_value=1200, label="Certificate holds (months)")
    renew_days_before = forms.IntegerField(
        required=False, min_value=0, max_value=3650, label="Renewal opens (days before the end)"
    )

    def prepare(self) -> None:
        """Lists the courses."""
        choices = [("", "A new course"), *course_choices(self.organization, "training")]
        self.fields["course_id"].choices = choices  # type: ignore[attr-defined]


class PublishCourse(Act):
    """Publishes a version of a course."""

    name = "publish-course"
    title = "Publish a course"
    explains = "Checks a package, publishes it as the next version of its course, and keeps its content."
    permission = Permission.CHANGE_RECORDS
    form = PublishCourseForm
    group = GROUP
    upload = "package"

    def preview(self, acting: Acting) -> Preview:
        """The package's check, and what publishing would change."""
        package = self._checked(acting)
        found = super().preview(acting)
        found.pairs = [
            ("Title", package.title),
            ("Version", self._version(acting)),
            ("Lessons", len(package.lesson_fingerprints)),
            ("Languages", ", ".join(package.words)),
            ("Media", len(package.media)),
            ("Content fingerprint", package.content_sha256),
        ]
        found.notes = [fault.message for fault in package.faults[:FAULTS_SHOWN]]
        return found

    def perform(self, acting: Acting) -> Done:
        """Publishes it."""
        package = self._checked(acting)
        version = self._version(acting)
        course_id = uuid.UUID(acting.data["course_id"]) if acting.data["course_id"] else self._new(acting, package)
        release_id = actions.publish_release(
            **acting.common,
            course_id=course_id,
            version=version,
            lessons=_lessons(acting, course_id, version, package),
            content=package.content,
            content_sha256=package.content_sha256,
            publisher_id=acting.staff.actor_id,
            retake=acting.data["retake"],
        )
        actions.keep_package(
            organization_id=acting.organization_id,
            course_release_id=release_id,
            manifest=package.manifest or {},
            words={language: dict(words) for language, words in package.words.items()},
        )
        return Done(f"Version {version} is published.", "courses")

    def _new(self, acting: Acting, package: CheckedPackage) -> uuid.UUID:
        data = acting.data
        certificate = None
        if data["certificate_title"]:
            certificate = Certificate(
                title=data["certificate_title"],
                kind=CertificateKind.COMPLETION,
                valid_months=data["valid_months"],
                renew_days_before=data["renew_days_before"],
            )
        return actions.create_course(**acting.common, title=package.title, certificate=certificate)

    def _version(self, acting: Acting) -> int:
        if not acting.data["course_id"]:
            return 1
        ((last,),) = sql.fetch(
            "SELECT coalesce(max(version), 0) FROM courses_release WHERE organization_id = %s AND course_id = %s",
            [acting.organization_id, uuid.UUID(acting.data["course_id"])],
        )
        return int(last) + 1

    def _checked(self, acting: Acting) -> CheckedPackage:
        """The package. Raises CannotActError with what keeps it from being published."""
        if acting.upload is None:
            raise CannotActError("Choose the package again.")
        with tempfile.NamedTemporaryFile(suffix=".zip") as file:
            file.write(acting.upload)
            file.flush()
            package = check_package(file.name)
        if not package.ok:
            errors = [fault for fault in package.faults if fault.severity is Severity.ERROR]
            said = " ".join(f"{fault.file}{fault.pointer}: {fault.message}" for fault in errors[:FAULTS_SHOWN])
            raise CannotActError(f"The package has {package.fault_count} faults. {said}")
        return package


def _lessons(acting: Acting, course_id: uuid.UUID, version: int, package: CheckedPackage) -> list[ReleaseLesson]:
    """The lessons of the release. A lesson that did not change keeps its release and its version."""
    titles: dict[str, Any] = {lesson["id"]: lesson["title"] for lesson in (package.content or {})["lessons"]}
    found = [
        (uuid.uuid5(course_id, f"{each.lesson_id} {each.content_sha256}"), each) for each in package.lesson_fingerprints
    ]
    known: dict[uuid.UUID, int | None] = dict(
        sql.fetch(
            "SELECT lesson_release_id, version FROM courses_lesson"
            " WHERE organization_id = %s AND lesson_release_id = ANY(%s)",
            [acting.organization_id, [release_id for release_id, _ in found]],
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


class WithdrawForm(ActForm):
    """Names a published version."""

    course_release_id = forms.ChoiceField(label="Version")

    def prepare(self) -> None:
        """Lists versions that stand."""
        rows = sql.fetch(
            "SELECT r.course_release_id, c.title, r.version FROM courses_release r JOIN courses_course c"
            " ON c.organization_id = r.organization_id AND c.course_id = r.course_id"
            " WHERE r.organization_id = %s AND r.withdrawn_at IS NULL"
            " ORDER BY lower(c.title), r.version DESC LIMIT 2000",
            [self.organization.organization_id],
        )
        choices = [(str(release_id), f"{title}, version {version}") for release_id, title, version in rows]
        self.fields["course_release_id"].choices = choices  # type: ignore[attr-defined]


class WithdrawCourse(Act):
    """Withdraws a version."""

    name = "withdraw-course"
    title = "Withdraw a course version"
    explains = "Whoever owes the version owes it no longer. Earlier versions do not come back."
    permission = Permission.CHANGE_RECORDS
    form = WithdrawForm
    group = GROUP
    danger = True

    def perform(self, acting: Acting) -> Done:
        """Records the withdrawal."""
        actions.withdraw_release(**acting.common, course_release_id=uuid.UUID(acting.data["course_release_id"]))
        return Done("The version is withdrawn.", "courses")
