"""Acts on completions: record one that happened elsewhere, possibly in the past, and declare one void.

Both record ordinary facts: their origin has who recorded them and by which way, the access log has the reason.
"""

import uuid
from datetime import datetime, time
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from compliance.facts.courses import queries as courses
from compliance.facts.courses import versions
from compliance.facts.lines.kinds import CompletionVoided, CourseCompleted
from compliance.facts.recording import act
from compliance.facts.training.actions import record_completion
from compliance.facts.training.queries import Completed, completions_of
from compliance.interfaces.console.acting import pickable
from compliance.interfaces.console.acting.act import Act, Acting, CannotActError, Done, to
from compliance.interfaces.console.acting.fields import (
    PERSON,
    ActForm,
    Choices,
    Listed,
    day_field,
    end_of,
)
from compliance.interfaces.console.acting.picker import Picked
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.interfaces.console.wording import written_day, written_moment
from compliance.rules import company_days
from compliance.tenancy.models import Organization

GROUP = gettext_lazy("What people owe")
OFFERED_AT_MOST = 100
"""How many completions of a person a form offers to declare void, the newest first."""

COURSE = Picked(pickable.COURSE, label=gettext_lazy("Course"))


class RecordForm(ActForm):
    """Who completed which course, and when."""

    learner_profile_id = PERSON
    course_id = COURSE
    completed_on = day_field(
        gettext_lazy("Completed on"),
        required=True,
        help_text=gettext_lazy("A day of the company, today or in the past."),
    )
    completed_at = forms.TimeField(
        required=False,
        label=gettext_lazy("At"),
        widget=forms.TimeInput(attrs={"type": "time"}),
        help_text=gettext_lazy("In the company's time. Empty: the end of the day; today: now."),
    )
    assessed = forms.BooleanField(
        required=False,
        label=gettext_lazy("They passed its assessment"),
        help_text=gettext_lazy("A certificate that attests an assessment is earned only so."),
    )

    def __init__(self, organization: Organization, at: datetime, *arguments: Any, **values: Any) -> None:
        super().__init__(organization, at, *arguments, **values)
        self.organization = organization
        self.fields["completed_on"].initial = company_days.day_of(organization.time_zone, at)

    def clean(self) -> dict[str, Any]:
        """Refuses a completion in the future or before the company's history begins."""
        data: dict[str, Any] = super().clean() or {}
        day = data.get("completed_on")
        if day is None:
            return data
        data["moment"] = moment = _moment(self.organization, self.at, day, data.get("completed_at"))
        if moment > self.at:
            self.add_error("completed_on", _("This lies in the future. A completion is recorded when it has happened."))
        elif moment < self.organization.history_complete_from:
            self.add_error("completed_on", _("The records of this company begin later. Choose a later day."))
        return data


def _moment(organization: Organization, now: datetime, day: Any, clock: time | None) -> datetime:
    """The moment of a day and a time in the company's zone; for today without a time, now."""
    zone = organization.time_zone
    if clock is not None:
        return datetime.combine(day, clock, company_days.zone_info(zone))
    end = end_of(organization, day)
    assert end is not None
    return now if company_days.day_of(zone, now) == day else end


class RecordCompletion(Act):
    """Records that somebody completed a course on paper or in another system, at the time of the completion."""

    name = "record-completion"
    title = gettext_lazy("Record a completion")
    explains = gettext_lazy(
        "For a course that was done elsewhere, or on paper. The record says on which day it was done, and the history"
        " says that you recorded it, and when."
    )
    permission = Permission.CHANGE_RECORDS
    group = GROUP
    about = "person"
    tells = (CourseCompleted,)
    in_files = False  # its identifier must be made here
    form = RecordForm

    def preview(self, acting: Acting) -> Preview:
        """What would change, for which version, and a warning if it was completed before."""
        found = super().preview(acting)
        course_id = acting.data["course_id"]
        version = self._version(acting)[1]
        found.pairs += [
            (_("Version"), version),
            (_("Completed"), _moment_words(acting.organization, acting.data["moment"])),
        ]
        known = completions_of(acting.organization_id, acting.data["learner_profile_id"], course_id, 1)
        if known:
            words = _("A completion of {moment} is recorded already. The first that counts settles what is owed.")
            found.warnings.append(words.format(moment=_moment_words(acting.organization, known[0].at)))
        return found

    def perform(self, acting: Acting) -> Done:
        """Records the completion at its own moment."""
        release_id, _version = self._version(acting)
        receipt_id = uuid.uuid4()
        record_completion(
            organization_id=acting.organization_id,
            at=acting.data["moment"],
            now=acting.at,
            actor_id=acting.staff.actor_id,
            completion_receipt_id=receipt_id,
            learner_profile_id=acting.data["learner_profile_id"],
            course_release_id=release_id,
            assessed=acting.data["assessed"],
        )
        of = {name: acting.data[name] for name in ("learner_profile_id", "course_id")}
        undo = (VoidCompletion.name, of | {"completion_receipt_id": receipt_id})
        return to(acting, _("The completion is recorded."))._replace(undo=undo)

    def _version(self, acting: Acting) -> tuple[uuid.UUID, int]:
        """The version that was in use then. Raises CannotActError if there is none."""
        found = versions.version_at(acting.organization_id, acting.data["course_id"], acting.data["moment"])
        if found is None:
            raise CannotActError(_("No version of this course was in use then, so there is nothing to complete."))
        return found


class _OfCompany(ActForm):
    """A form that keeps its organization, because its choices name days in the organization's time."""

    def __init__(self, organization: Organization, at: datetime, *arguments: Any, **values: Any) -> None:
        self.organization = organization
        super().__init__(organization, at, *arguments, **values)


def _completions(form: ActForm) -> Choices:
    """The completions of the person, only of the form's course if it names one, the newest first."""
    assert isinstance(form, _OfCompany)
    person, course = form.identifier_of("learner_profile_id"), form.identifier_of("course_id")
    found = completions_of(form.organization_id, person, course, OFFERED_AT_MOST) if person else []
    titles = courses.titles_of(form.organization_id, [each.course_id for each in found])
    return [
        ("", _("The newest one of the course")),
        *(
            (str(each.completion_receipt_id), f"{titles.get(each.course_id, '')}, {_day(form.organization, each.at)}")
            for each in found
        ),
    ]


class VoidForm(_OfCompany):
    """The person, the course, and which of several completions."""

    learner_profile_id = PERSON
    course_id = COURSE
    completion_receipt_id = Listed(_completions, label=gettext_lazy("Completion"), required=False)


class VoidCompletion(Act):
    """Declares that a completion does not count."""

    name = "void-completion"
    title = gettext_lazy("Void a completion")
    explains = gettext_lazy(
        "The completion does not count from now on: the course is owed again, and a certificate that it earned is"
        " revoked. The history keeps both, with who declared it void, and when."
    )
    permission = Permission.CHANGE_RECORDS
    group = GROUP
    about = "person"
    danger = True
    tells = (CompletionVoided,)
    form = VoidForm

    def preview(self, acting: Acting) -> Preview:
        """The completion, and what would change."""
        chosen = self._chosen(acting)
        found = super().preview(acting)
        found.pairs.append((_("Completed"), _moment_words(acting.organization, chosen.at)))
        if chosen.version is not None:
            found.pairs.append((_("Version"), chosen.version))
        return found

    def perform(self, acting: Acting) -> Done:
        """Declares it void from now on."""
        chosen = self._chosen(acting)
        act(CompletionVoided, **acting.common, completion_receipt_id=chosen.completion_receipt_id)
        return to(acting, _("The completion is void."))

    def _chosen(self, acting: Acting) -> Completed:
        """The chosen completion. Raises CannotActError if there is none, or no longer one."""
        course_id, receipt = acting.data["course_id"], acting.data["completion_receipt_id"]
        person: uuid.UUID = acting.data["learner_profile_id"]
        for each in completions_of(acting.organization_id, person, course_id, OFFERED_AT_MOST):
            if not receipt or str(each.completion_receipt_id) == receipt:
                return each
        raise CannotActError(_("There is no completion of this course by this person that counts."))


def _day(organization: Organization, moment: datetime) -> str:
    return written_day(company_days.day_of(organization.time_zone, moment))


def _moment_words(organization: Organization, moment: datetime) -> str:
    return written_moment(moment, company_days.zone_info(organization.time_zone))


ACTS: tuple[Act, ...] = (RecordCompletion(), VoidCompletion())
