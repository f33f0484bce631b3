"""Acts on courses: publish a version from a package, withdraw one."""

import contextlib
import shutil
import tempfile
import uuid
from collections.abc import Iterator

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext, gettext_lazy

from compliance.contentfile.package import CheckedPackage, check_package
from compliance.facts.courses import publishing, queries
from compliance.facts.errors import InvalidContentError
from compliance.facts.lines.kinds import Certificate, CourseChanged, CourseCreated, ReleasePublished, ReleaseWithdrawn
from compliance.interfaces.console.acting.act import Act, Acting, CannotActError, Done, Recorded
from compliance.interfaces.console.acting.fields import (
    OFFERED_AT_MOST,
    ActForm,
    Listed,
    course_choices,
    courses_of_kind,
    form_of,
)
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.rules.vocabulary import CertificateKind

GROUP = gettext_lazy("Courses and policies")


class PublishCourseForm(ActForm):
    """The package, and the course of which it is a version."""

    package = forms.FileField(
        label=gettext_lazy("Package"),
        help_text=gettext_lazy("A zip with manifest.json, content.json, words and media."),
    )
    course_id = Listed(
        courses_of_kind("training", gettext_lazy("The package's own (a new one the first time)")),
        label=gettext_lazy("Course"),
        required=False,
    )
    retake = forms.BooleanField(
        required=False,
        label=gettext_lazy("Retake: whoever completed an earlier version owes this one too"),
    )
    certificate_title = forms.CharField(
        required=False,
        max_length=300,
        label=gettext_lazy("Certificate"),
        help_text=gettext_lazy("For a new course. Empty: it earns none."),
        validators=[
            RegexValidator(
                r"[\x00-\x1f\x7f-\x9f]", gettext_lazy("Write it on one line, as plain text."), inverse_match=True
            )
        ],
    )
    valid_months = forms.IntegerField(
        required=False, min_value=1, max_value=1200, label=gettext_lazy("Certificate holds (months)")
    )
    renew_days_before = forms.IntegerField(
        required=False, min_value=0, max_value=3650, label=gettext_lazy("Renewal opens (days before the end)")
    )


class PublishCourse(Act):
    """Publishes a version of a course."""

    name = "publish-course"
    tells = (CourseCreated, CourseChanged, ReleasePublished)
    title = gettext_lazy("Publish a course")
    explains = gettext_lazy("Checks a package, publishes it as the next version of its course, and keeps its content.")
    permission = Permission.CHANGE_RECORDS
    form = PublishCourseForm
    group = GROUP
    upload = "package"
    everybody = True

    def preview(self, acting: Acting) -> Preview:
        """The result of the package's check, and what publishing would change."""
        found = super().preview(acting)
        with self._checked(acting) as package:
            found.pairs = [
                (gettext("Title"), package.title),
                *self._place(acting, package),
                (gettext("Lessons"), len(package.lesson_fingerprints)),
                (gettext("Languages"), ", ".join(package.words)),
                (gettext("Media"), len(package.media)),
                (gettext("Content fingerprint"), package.content_sha256),
            ]
            found.notes = [fault.message for fault in package.faults[: publishing.FAULTS_QUOTED]]
        return found

    def also_about(self, acting: Acting) -> list[uuid.UUID]:
        """The course of which the package is a version, where the form leaves that to the package."""
        if _chosen(acting):
            return []
        if "course_id" not in acting.found:
            with self._checked(acting) as package:
                self._place(acting, package)
        return [acting.found["course_id"]]

    def perform(self, acting: Acting) -> Done:
        """Publishes the uploaded package as the next release."""
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
                course_id=_chosen(acting),
                certificate=certificate,
                retake=data["retake"],
            )
        if published.known:
            words = gettext("Version %(version)s is this very package: nothing to publish.")
        else:
            words = gettext("Version %(version)s is published.")
        return Done(words % {"version": published.version}, "course", {"course_id": published.course_id})

    def _place(self, acting: Acting, package: CheckedPackage) -> list[tuple[str, str]]:
        """Which course the package is a version of, and which version."""
        plan = publishing.plan(
            acting.organization_id, package, course_id=_chosen(acting), retake=acting.data["retake"]
        )  # fmt: skip
        acting.found["course_id"] = plan.course_id
        titles = dict(course_choices(acting.organization_id, "training", ""))
        version = (
            gettext("%(version)s, which is this very package: nothing to publish") % {"version": plan.version}
            if plan.known
            else plan.version
        )
        return [
            (gettext("Course"), titles.get(str(plan.course_id), gettext("A new one"))),
            (gettext("Version"), str(version)),
        ]

    @contextlib.contextmanager
    def _checked(self, acting: Acting) -> Iterator[CheckedPackage]:
        """The package, while its file is kept. Raises CannotActError with the reasons why it cannot be published."""
        if acting.upload is None:
            raise CannotActError(gettext("Choose the package again."))
        with acting.upload.opened() as sent, tempfile.NamedTemporaryFile(suffix=".zip") as file:
            shutil.copyfileobj(sent, file)
            file.flush()
            package = check_package(file.name)
            try:
                publishing.refuse_faults(package)
            except InvalidContentError as error:
                raise CannotActError(str(error)) from error
            yield package


def _chosen(acting: Acting) -> uuid.UUID | None:
    return uuid.UUID(acting.data["course_id"]) if acting.data["course_id"] else None


def _versions(form: ActForm) -> list[tuple[str, str]]:
    """The versions that are not withdrawn."""
    found = queries.releases_in_use(form.organization_id, OFFERED_AT_MOST)
    words = gettext("%(title)s, version %(version)s")
    return [(str(release_id), words % {"title": title, "version": version}) for release_id, title, version in found]


def _withdrawn(acting: Acting, line: ReleaseWithdrawn) -> Done:
    """Leads to the page of the course whose version it was."""
    found = queries.release_states(acting.organization_id, [line.course_release_id])[line.course_release_id]
    return Done(gettext("The version is withdrawn."), "course", {"course_id": found.course_id})


class _OfVersion(Recorded):
    """An act on a version of a course."""

    def also_about(self, acting: Acting) -> list[uuid.UUID]:
        """Its course, of which somebody may publish another version meanwhile."""
        version = uuid.UUID(acting.data["course_release_id"])
        return [each.course_id for each in queries.release_states(acting.organization_id, [version]).values()]


ACTS: tuple[Act, ...] = (
    PublishCourse(),
    _OfVersion(
        name="withdraw-course",
        tells=(ReleaseWithdrawn,),
        title=gettext_lazy("Withdraw a course version"),
        explains=gettext_lazy("Whoever owes the version owes it no longer. Earlier versions do not come back."),
        permission=Permission.CHANGE_RECORDS,
        group=GROUP,
        form=form_of(course_release_id=Listed(_versions, label=gettext_lazy("Version"))),
        danger=True,
        everybody=True,
        arguments=lambda acting: {"course_release_id": uuid.UUID(acting.data["course_release_id"])},
        done=_withdrawn,
    ),
)
