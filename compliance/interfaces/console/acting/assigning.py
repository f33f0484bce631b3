"""The act that assigns a course or a policy to teams or people, with a deadline.

It makes shares, as the acts on shares do, but for the usual case only: for employees, and required.
"""

import uuid
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from compliance.catalogue import REGISTERS
from compliance.facts.courses import queries as courses
from compliance.facts.lines.kinds import Audience, CourseShared, FactLine, FixedDeadline, NoDeadline, PolicyShared
from compliance.facts.recording import act
from compliance.interfaces.console.acting import pickable
from compliance.interfaces.console.acting.act import Act, Acting, Done
from compliance.interfaces.console.acting.fields import ActForm, PeopleField, TeamsField, day_field, end_of
from compliance.interfaces.console.acting.picker import Picked
from compliance.interfaces.console.acting.shares import done_with_share
from compliance.interfaces.console.page import Section
from compliance.interfaces.console.permissions import Permission
from compliance.rules.vocabulary import Door, Requirement


class AssignForm(ActForm):
    """What is assigned, to whom, and until when."""

    course_id = Picked(pickable.COURSE_OR_POLICY, label=_("Course or policy"))
    teams = TeamsField(required=False, help_text=_("Whoever joins a team later is asked for it too."))
    people = PeopleField(required=False)
    everyone = forms.BooleanField(required=False, label=_("Everybody in the company, and whoever comes"))
    due_on = day_field(
        _("To be done by"), help_text=_("The end of this day. Without a day nobody is ever late."), required=False
    )

    def clean(self) -> dict[str, Any]:
        """Refuses an empty audience, and everybody together with teams or people."""
        data: dict[str, Any] = super().clean() or {}
        named = bool(data.get("teams") or data.get("people"))
        if data.get("everyone") and named:
            self.add_error("everyone", _("Choose either everybody, or teams and people."))
        elif not data.get("everyone") and not named and not {"teams", "people"} & self.errors.keys():
            self.add_error("teams", _("Choose a team, a person, or everybody."))
        return data


class Assign(Act):
    """Shares a course or a policy with teams, with people, or with both, which makes two shares."""

    name = "assign"
    tells = (CourseShared, PolicyShared)
    title = _("Assign a course or policy")
    explains = _("Asks employees to do a course, or to sign a policy, by a day.")
    permission = Permission.CHANGE_PEOPLE
    form = AssignForm
    group = _("Shares")
    takes = tuple(each.name for each in REGISTERS.values() if each.of_person == "employments")
    section = Section.COURSE
    everybody = True

    def perform(self, acting: Acting) -> Done:
        """Records the shares."""
        course_id: uuid.UUID = acting.data["course_id"]
        (kind,) = courses.kinds_of(acting.organization_id, [course_id]).values()
        line: type[FactLine] = PolicyShared if kind == "policy" else CourseShared
        required: dict[str, Any] = {} if kind == "policy" else {"requirement": Requirement.REQUIRED}
        due_at = end_of(acting.organization, acting.data["due_on"])
        done: list[Done] = []
        for audience in _audiences(acting.data):
            share_id = uuid.uuid4()
            act(
                line,
                **acting.common,
                share_id=share_id,
                course_id=course_id,
                audience=audience,
                deadline=FixedDeadline(due_at=due_at) if due_at else NoDeadline(),
                doors=[Door.EMPLOYEE],
                **required,
            )
            done.append(done_with_share(acting, share_id, _("It is assigned.")))
        return done[0] if len(done) == 1 else _both(done, "policy-page" if kind == "policy" else "course", course_id)


def _audiences(data: dict[str, Any]) -> list[Audience]:
    if data["everyone"]:
        return [Audience(everyone=True)]
    found = [Audience(team_ids=tuple(data["teams"]))] if data["teams"] else []
    return found + ([Audience(learner_profile_ids=tuple(data["people"]))] if data["people"] else [])


def _both(done: list[Done], page: str, course_id: uuid.UUID) -> Done:
    """The result of two shares, on the page of what they share. The preview counts people whom both reach once."""
    first = tuple(dict.fromkeys(each for one in done for each in one.first))
    warnings = tuple(dict.fromkeys(words for one in done for words in one.warnings))
    return Done(str(_("It is assigned.")), page, {"course_id": course_id}, warnings=warnings, first=first)


ACTS: tuple[Act, ...] = (Assign(),)
