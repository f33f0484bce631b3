"""The act that changes a person's roles, which decide which lessons of courses they must take."""

import uuid
from datetime import datetime
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from compliance.contentfile.identifiers import is_slug
from compliance.facts.courses import queries as courses
from compliance.facts.lines.kinds import PersonChanged
from compliance.facts.people import queries
from compliance.facts.recording import act
from compliance.interfaces.console import identifiers
from compliance.interfaces.console.acting.act import Act, Acting, Done, to
from compliance.interfaces.console.acting.fields import PERSON, ActForm, Choices, ListedMany
from compliance.interfaces.console.acting.people import GROUP
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.rules.vocabulary import ERASED_PERSON
from compliance.tenancy.models import Organization

_NAMED = "named"
_OTHERS = "others"


class _RolesField(forms.CharField):
    """Roles that no course names yet, separated by blanks or commas."""

    def clean(self, value: Any) -> list[str]:
        """The roles, each once, in order."""
        found = sorted(set(str(super().clean(value) or "").replace(",", " ").split()))
        for role in found:
            if not is_slug(role):
                raise forms.ValidationError(
                    gettext("%(role)s is no role: write lower-case letters, digits and hyphens, no hyphen first.")
                    % {"role": repr(role[:64])}
                )
        return found


def _named_by_courses(form: ActForm) -> Choices:
    return [
        (
            role.role_id,
            gettext("%(title)s (%(role)s), in %(courses)s")
            % {"title": role.title, "role": role.role_id, "courses": ", ".join(role.courses)},
        )
        for role in courses.roles(form.organization_id)
    ]


class RolesForm(ActForm):
    """All roles of a person, prefilled with today's when opened from the person's page."""

    learner_profile_id = PERSON
    named = ListedMany(_named_by_courses, label=gettext_lazy("Roles that courses have lessons for"))
    others = _RolesField(
        required=False,
        label=gettext_lazy("Other roles"),
        help_text=gettext_lazy("As the manifest of a course to come will name them: fire-warden."),
    )

    def __init__(self, organization: Organization, at: datetime, *arguments: Any, **values: Any) -> None:
        super().__init__(organization, at, *arguments, **values)
        person = None if self.is_bound else identifiers.read(self.initial.get("learner_profile_id"))
        if person is not None:
            offered = {choice for choice, _ in self.fields[_NAMED].choices}  # type: ignore[attr-defined]
            roles = queries.roles_of(self.organization_id, person, at)
            self.initial[_NAMED] = sorted(roles & offered)
            self.initial[_OTHERS] = " ".join(sorted(roles - offered))


class ChangeRoles(Act):
    """Sets the roles that a person has from now on."""

    name = "roles"
    title = gettext_lazy("Change roles")
    explains = gettext_lazy("Some lessons are required of some roles alone. What is finished already stays finished.")
    permission = Permission.CHANGE_PEOPLE
    form = RolesForm
    about = "person"
    group = GROUP
    tells = (PersonChanged,)

    def preview(self, acting: Acting) -> Preview:
        """The roles before and after, which no row of a register holds."""
        found = super().preview(acting)
        learner = acting.data["learner_profile_id"]
        person = queries.person(acting.organization_id, learner)
        assert person is not None  # the dry run has recorded a fact about them
        before = queries.roles_of(acting.organization_id, learner, acting.at)
        found.subject = ERASED_PERSON if person.erased_at else person.person_name or gettext("this person")
        found.pairs = [
            (gettext("Person"), found.subject),
            (gettext("Roles today"), ", ".join(sorted(before)) or gettext("none")),
            (gettext("Roles from now on"), ", ".join(_chosen(acting)) or gettext("none")),
        ]
        known = {role.role_id for role in courses.roles(acting.organization_id)}
        found.warnings += [
            gettext("No course has lessons for the role %(role)s yet.") % {"role": role}
            for role in _chosen(acting)
            if role not in known
        ]
        return found

    def perform(self, acting: Acting) -> Done:
        """Records the complete new list of the person's roles."""
        learner: uuid.UUID = acting.data["learner_profile_id"]
        act(PersonChanged, **acting.common, learner_profile_id=learner, role_ids=tuple(_chosen(acting)))
        return to(acting, gettext("The roles are changed."))


def _chosen(acting: Acting) -> list[str]:
    return sorted({*acting.data[_NAMED], *acting.data[_OTHERS]})


ACTS: tuple[Act, ...] = (ChangeRoles(),)
