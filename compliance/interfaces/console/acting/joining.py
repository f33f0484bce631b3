"""Acts that add a person to the company without an invitation: somebody new, or somebody who has left."""

import uuid
from datetime import date, datetime
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from compliance.facts.people import joining, queries, team_queries
from compliance.interfaces.console.acting.act import Act, Acting, CannotActError, Done
from compliance.interfaces.console.acting.fields import TEAMS, ActForm, PersonForm, day_field
from compliance.interfaces.console.acting.people import GROUP
from compliance.interfaces.console.page import Section
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.provisioning import turns
from compliance.rules import company_days


class AddForm(ActForm):
    """The new person, their address, their teams, and since when they have been here."""

    person_name = forms.CharField(label=gettext_lazy("Name"), max_length=200)
    account_email = forms.EmailField(
        label=gettext_lazy("Email address"),
        max_length=254,
        help_text=gettext_lazy("Letters and personal links go there."),
    )
    teams = TEAMS
    joined_on = day_field(
        gettext_lazy("Joined on"), help_text=gettext_lazy("Empty: now. A day in the past counts from its beginning.")
    )


class AddPerson(Act):
    """Makes somebody an employee from now on, or since a day in the past."""

    name = "add-person"
    title = gettext_lazy("Add a person")
    explains = gettext_lazy(
        "Makes somebody an employee at once: what is shared with everyone, or with their teams, is theirs to do."
        " To have them accept first, send an invitation instead."
    )
    permission = Permission.CHANGE_PEOPLE
    form = AddForm
    group = GROUP
    tells = joining.TELLS
    in_files = False  # its identifiers must be made here
    section = Section.PEOPLE

    def preview(self, acting: Acting) -> Preview:
        """Who joins, and what they will owe."""
        found = super().preview(acting)
        data = acting.data
        names = team_queries.names_of(acting.organization_id, _team_ids(data))
        known = joining.known_by_address(acting.organization_id, data["account_email"])
        pairs: list[tuple[str, Any]] = [
            (_("Name"), data["person_name"]),
            (_("Email address"), data["account_email"]),
            (_("Teams"), ", ".join(names.values()) or _("none")),
            (_("Joined on"), _day(data["joined_on"]) if data["joined_on"] else _("now")),
        ]
        found.pairs, found.subject = pairs, data["person_name"]
        if known is not None:
            found.seen.append(known)
            found.warnings.append(
                _(
                    "Somebody with this address was here before, as %(name)s."
                    " They come back, with all that was recorded."
                )
                % {"name": queries.name_of(acting.organization_id, known) or _("a person without a name")}
            )
        return found

    def perform(self, acting: Acting) -> Done:
        """Records the joining, of the known person with this address if there is one."""
        data = acting.data
        turns.wait(acting.organization_id)  # other staff, or a client, may add the same person at the same time
        known = joining.known_by_address(acting.organization_id, data["account_email"])
        if known is not None and queries.present_employment(acting.organization_id, known, timezone.now()):
            raise CannotActError(_("Somebody with this address is here already. Search for it."))
        learner = known or uuid.uuid4()
        joining.take_in(
            organization_id=acting.organization_id,
            actor_id=acting.staff.actor_id,
            at=_since(acting),
            now=acting.at,
            learner_profile_id=learner,
            person_name=data["person_name"],
            account_email=data["account_email"],
            team_ids=_team_ids(data),
        )
        return _added(acting, learner, _("The person is added."))


class Rejoin(Act):
    """Takes back somebody who has left, as a new employment of the same person."""

    name = "rejoin"
    title = gettext_lazy("Take back")
    explains = gettext_lazy(
        "The person is an employee again from now on. What was recorded of them before is there still."
    )
    permission = Permission.CHANGE_PEOPLE
    form = PersonForm
    about = "person"
    group = GROUP
    tells = joining.TELLS
    in_files = False  # its identifiers must be made here

    def preview(self, acting: Acting) -> Preview:
        """Who returns, and what they will owe."""
        found = super().preview(acting)
        found.subject = queries.name_of(acting.organization_id, acting.data["learner_profile_id"]) or ""
        return found

    def perform(self, acting: Acting) -> Done:
        """Records the new employment."""
        learner: uuid.UUID = acting.data["learner_profile_id"]
        if queries.present_employment(acting.organization_id, learner, acting.at) is not None:
            raise CannotActError(_("This person is an employee of the company already."))
        if queries.person(acting.organization_id, learner) is None:
            raise CannotActError(_("This company knows no such person."))
        joining.take_in(**acting.common, now=acting.at, learner_profile_id=learner)
        return _added(acting, learner, _("The person is back."))


def _added(acting: Acting, learner: uuid.UUID, message: str) -> Done:
    return Done(message, "person", {"learner_profile_id": learner}, undo=("end", {"learner_profile_id": learner}))


def _team_ids(data: dict[str, Any]) -> list[uuid.UUID]:
    return [uuid.UUID(str(each)) for each in data["teams"]]


def _since(acting: Acting) -> datetime:
    """The moment from which the person is here. Raises CannotActError if it is in the future or before the records."""
    day: date | None = acting.data["joined_on"]
    if day is None:
        return acting.at
    since = company_days.start_of_day(acting.organization.time_zone, day)
    if since > acting.at:
        raise CannotActError(_("Choose a day that has begun: who comes later is added then, or invited."))
    if since < acting.organization.history_complete_from:
        raise CannotActError(_("The records of this company begin later than this day."))
    return since


def _day(day: date) -> str:
    return date_format(day, _("j F Y"))


ACTS: tuple[Act, ...] = (AddPerson(), Rejoin())
