"""Acts on courses: publish a version from a package, withdraw one."""

import contextlib
import tempfile
import uuid
from collections.abc import Iterator

from django import forms

from compliance.contentfile.package import CheckedPackage, check_package
from compliance.facts.courses import actions, publishing
from compliance.facts.errors import InvalidContentError
from compliance.facts.lines import Certificate
from compliance.interfaces.console.acting.act import Act, ActForm, Acting, CannotActError, Done
from compliance.interfaces.console.acting.fields import course_choices
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.interfaces.console.who_may import Permission
from compliance.rules.vocabulary import CertificateKind
from compliance.tenancy import sql

GROUP = "Courses and policies"


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
        choices = course_choices(self.organization, "training", "A new course")
        self.offer("course_id", choices)


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
        found = super().preview(acting)
        with self._checked(acting) as package:
            found.pairs = [
                ("Title", package.title),
                ("Version", self._version(acting, package)),
                ("Lessons", len(package.lesson_fingerprints)),
                ("Languages", ", ".join(package.words)),
                ("Media", len(package.media)),
                ("Content fingerprint", package.content_sha256),
            ]
            found.notes = [fault.message for fault in package.faults[: publishing.FAULTS_SHOWN]]
        return found

    def perform(self, acting: Acting) -> Done:
        """Publishes it."""
        data = acting.data
        certificate = None
        if data["certificate_title"]:
            certificate = Certificate(
                title=data["certificate_title"],
                kind=CertificateKind.COMPLETION,
                valid_months=data["valid_months"],
                renew_days_before=data["renew_days_before"],
            )
        with self._checked(acting) as package:
            published = publishing.publish_package(
                **acting.common,
                package=package,
                publisher_id=acting.staff.actor_id,
                course_id=uuid.UUID(data["course_id"]) if data["course_id"] else None,
                certificate=certificate,
                retake=data["retake"],
            )
        if published.known:
            return Done(f"Version {published.version} has this very content already: nothing to publish.", "courses")
        return Done(f"Version {published.version} is published.", "courses")

    def _version(self, acting: Acting, package: CheckedPackage) -> int:
        chosen = acting.data["course_id"]
        course_id = uuid.UUID(chosen) if chosen else publishing.course_of_package(acting.organization_id, package)
        return publishing.next_version(acting.organization_id, course_id)

    @contextlib.contextmanager
    def _checked(self, acting: Acting) -> Iterator[CheckedPackage]:
        """The package, while its file stands. Raises CannotActError with what keeps it from being published."""
        if acting.upload is None:
            raise CannotActError("Choose the package again.")
        with tempfile.NamedTemporaryFile(suffix=".zip") as file:
            file.write(acting.upload)
            file.flush()
            package = check_package(file.name)
            try:
                publishing.refuse_faults(package)
            except InvalidContentError as error:
                raise CannotActError(str(error)) from error
            yield package


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
        self.offer("course_release_id", choices)


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
