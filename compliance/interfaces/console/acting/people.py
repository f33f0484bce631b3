"""Acts on people: invite, let in, suspend, end, erase."""

import uuid

from django import forms

from compliance.facts.people import actions, erasing
from compliance.interfaces.console.acting.act import Act, ActForm, Acting, CannotActError, Done
from compliance.interfaces.console.acting.fields import day_field, end_of, person_field, team_choices
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.interfaces.console.who_may import Permission
from compliance.tenancy import sql

GROUP = "People"


class PersonForm(ActForm):
    """Names a person."""

    learner_profile_id = person_field()


class InviteForm(ActForm):
    """Who is invited."""

    work_email = forms.EmailField(label="Work email", max_length=254)
    person_name = forms.CharField(label="Name", required=False, max_length=200)
    expires_on = day_field("Open until", help_text="The end of this day of the company. Empty: it stays open.")
    teams = forms.MultipleChoiceField(required=False, label="Teams", widget=forms.CheckboxSelectMultiple)

    def prepare(self) -> None:
        """Lists the teams."""
        self.offer("teams", team_choices(self.organization))


class Invite(Act):
    """Invites someone."""

    name = "invite"
    title = "Invite a person"
    explains = "The person becomes an employee when the invitation is accepted."
    permission = Permission.CHANGE_PEOPLE
    form = InviteForm
    group = GROUP

    def perform(self, acting: Acting) -> Done:
        """Records the invitation."""
        actions.invite_person(
            **acting.common,
            work_email=acting.data["work_email"],
            person_name=acting.data["person_name"] or None,
            expires_at=end_of(acting.organization, acting.data["expires_on"]),
            team_ids=[uuid.UUID(team) for team in acting.data["teams"]],
        )
        return Done("The invitation is recorded.", "people")


class RevokeInvitationForm(ActForm):
    """Names an invitation."""

    invitation_id = forms.UUIDField(label="Invitation", help_text="Its identifier, from the register of people.")


class RevokeInvitation(Act):
    """Takes an invitation back."""

    name = "revoke-invitation"
    title = "Revoke an invitation"
    explains = "It can no longer be accepted."
    permission = Permission.CHANGE_PEOPLE
    form = RevokeInvitationForm
    group = GROUP

    def perform(self, acting: Acting) -> Done:
        """Records the revocation."""
        actions.revoke_invitation(**acting.common, invitation_id=acting.data["invitation_id"])
        return Done("The invitation is revoked.", "people")


def stay_of(acting: Acting) -> uuid.UUID:
    """The person's present stay in the company. Raises CannotActError when there is none."""
    rows = sql.fetch(
        "SELECT person_id FROM people_employment WHERE organization_id = %s AND learner_profile_id = %s"
        " AND joined_at <= %s AND (left_at IS NULL OR left_at > %s) ORDER BY joined_at DESC LIMIT 1",
        [acting.organization_id, acting.data["learner_profile_id"], acting.at, acting.at],
    )
    if not rows:
        raise CannotActError("This person is no employee of the company now.")
    return uuid.UUID(str(rows[0][0]))


class _OfEmployee(Act):
    permission = Permission.CHANGE_PEOPLE
    form = PersonForm
    about = "person"
    group = GROUP

    def back(self, acting: Acting, message: str) -> Done:
        """Back to the person's page."""
        return Done(message, "person", {"learner_profile_id": acting.data["learner_profile_id"]})


class Suspend(_OfEmployee):
    """Keeps an employee out for now."""

    name = "suspend"
    title = "Suspend"
    explains = "The person cannot come in for the time being. What they owe goes on, and so do its deadlines."

    def perform(self, acting: Acting) -> Done:
        """Records the suspension."""
        actions.suspend_employee(**acting.common, person_id=stay_of(acting))
        return self.back(acting, "The person is suspended.")


class Resume(_OfEmployee):
    """Lets a suspended employee in again."""

    name = "resume"
    title = "Resume"
    explains = "Ends a suspension."

    def perform(self, acting: Acting) -> Done:
        """Records it."""
        actions.resume_employee(**acting.common, person_id=stay_of(acting))
        return self.back(acting, "The suspension is over.")


class End(_OfEmployee):
    """Ends a stay."""

    name = "end"
    title = "End employment"
    explains = "The person leaves the company: what they owe ends. Coming back later starts a new stay."
    danger = True

    def perform(self, acting: Acting) -> Done:
        """Records that the person left."""
        actions.end_employment(**acting.common, person_id=stay_of(acting))
        return self.back(acting, "The person has left the company.")


class ChangeTeamForm(PersonForm):
    """A person and a team."""

    team_id = forms.ChoiceField(label="Team")
    change = forms.ChoiceField(choices=[("join", "Joins the team"), ("leave", "Leaves the team")], label="Change")

    def prepare(self) -> None:
        """Lists the teams."""
        self.offer("team_id", team_choices(self.organization))


class ChangeTeam(_OfEmployee):
    """Takes a person into a team or out of it."""

    name = "team"
    title = "Change teams"
    explains = "Shares with a team reach whoever is in it."
    form = ChangeTeamForm

    def perform(self, acting: Acting) -> Done:
        """Records the move."""
        move = actions.add_to_team if acting.data["change"] == "join" else actions.remove_from_team
        move(
            **acting.common,
            team_id=uuid.UUID(acting.data["team_id"]),
            learner_profile_id=acting.data["learner_profile_id"],
        )
        return self.back(acting, "The teams are changed.")


class Erase(_OfEmployee):
    """Erases a person at the company's instruction."""

    name = "erase"
    title = "Erase"
    explains = (
        "Clears the person's names, addresses, signatures and check codes, everywhere and for good, at the company's"
        " instruction. Records, receipts and hashes stay, without them. This cannot be undone."
    )
    permission = Permission.CHANGE_RECORDS
    danger = True

    def preview(self, acting: Acting) -> Preview:
        """What would be cleared, column by column, and which rows would change."""
        cleared = erasing.would_clear(
            organization_id=acting.organization_id, learner_profile_id=acting.data["learner_profile_id"]
        )
        found = super().preview(acting)
        found.pairs = [(f"{each.table}.{each.column}", f"{each.values} cleared") for each in cleared if each.values]
        found.warnings.append("This cannot be undone. Importing the same facts again restores nothing.")
        return found

    def perform(self, acting: Acting) -> Done:
        """Erases."""
        erasing.erase_person(**acting.common, learner_profile_id=acting.data["learner_profile_id"])
        return self.back(acting, "The person is erased.")
