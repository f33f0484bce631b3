"""Acts on people: invite, give access, suspend, end, withdraw their links, erase."""

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from compliance.facts.lines.kinds import (
    EmployeeLeft,
    EmployeeResumed,
    EmployeeSuspended,
    InvitationRevoked,
    PersonErased,
    PersonInvited,
)
from compliance.facts.people import erasing, queries
from compliance.interfaces.console.acting import pickable
from compliance.interfaces.console.acting.act import Act, Acting, CannotActError, Done, Recorded, to
from compliance.interfaces.console.acting.fields import TEAMS, PersonForm, day_field, end_of, form_of
from compliance.interfaces.console.acting.picker import Picked
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.interfaces.pages import links
from compliance.learning import links as learning
from compliance.letters.actions import Kind, ask

GROUP = gettext_lazy("People")


def _invited(acting: Acting) -> dict[str, Any]:
    return {
        "invitation_id": uuid.uuid4(),
        "work_email": acting.data["work_email"],
        "person_name": acting.data["person_name"] or None,
        "expires_at": end_of(acting.organization, acting.data["expires_on"]),
        "team_ids": acting.data["teams"],
    }


def _invitation_leaves(acting: Acting, line: Any) -> Done:
    """Queues the letter to the invited person. The sentence names nobody: it is kept, and no erasure clears it."""
    ask(acting.organization_id, Kind.INVITATION, now=acting.at, invitation_id=line.invitation_id)
    undo = ("revoke-invitation", {"invitation_id": line.invitation_id})
    return Done(gettext("The invitation is recorded, and a letter with it is on its way."), "people", undo=undo)


def _employment(acting: Acting) -> dict[str, Any]:
    """The person's present employment. Raises CannotActError when there is none."""
    found = queries.present_employment(acting.organization_id, acting.data["learner_profile_id"], acting.at)
    if found is None:
        raise CannotActError(gettext("This person is no employee of the company now."))
    return {"person_id": found}


def _undone_by(act: str) -> Callable[[Acting], tuple[str, dict[str, Any]]]:
    """The undo of an act about a person: `act`, with the same person."""
    return lambda acting: (act, {"learner_profile_id": acting.data["learner_profile_id"]})


_Recorded = partial(Recorded, permission=Permission.CHANGE_PEOPLE, group=GROUP, page="people")
_OfEmployee = partial(
    Recorded,
    permission=Permission.CHANGE_PEOPLE,
    group=GROUP,
    about="person",
    page="person",
    form=PersonForm,
    arguments=_employment,
)


class RevokeLinks(Act):
    """Withdraws the personal links with which somebody could sign policies or sign in."""

    name = "revoke-links"
    title = gettext_lazy("Withdraw personal links")
    explains = gettext_lazy(
        "The links by which this person could come in or sign policies stop working. What is signed stays signed, and"
        " devices on which the person is signed in stay so."
    )
    permission = Permission.CHANGE_PEOPLE
    form = PersonForm
    about = "person"
    group = GROUP

    def preview(self, acting: Acting) -> Preview:
        """Says how many links there are; no record changes."""
        learner = acting.data["learner_profile_id"]
        number = links.open_links(acting.organization_id, learner, acting.at)
        number += learning.usable(acting.organization_id, learner, acting.at)
        return Preview(pairs=[(gettext("Links that would stop working"), number)])

    def perform(self, acting: Acting) -> Done:
        """Withdraws all open links of the person."""
        learner = acting.data["learner_profile_id"]
        number = links.revoke(acting.organization_id, learner, acting.at)
        number += learning.revoke(acting.organization_id, acting.at, learner_profile_id=learner)
        return to(acting, gettext("%(number)s links are withdrawn.") % {"number": number})


CLEARED = {  # the columns that an erasure clears, in words
    "people_identity.person_name": gettext_lazy("names that rows of the history commit to"),
    "people_identity.work_email": gettext_lazy("addresses that rows of the history commit to"),
    "people_identity.salt": gettext_lazy("what proves which name and address those were"),
    "people_profile.person_name": gettext_lazy("the name"),
    "people_profile.account_email": gettext_lazy("the account email"),
    "people_profile.work_email": gettext_lazy("the work email"),
    "people_personaldetail.person_name": gettext_lazy("names, as facts told them"),
    "people_personaldetail.account_email": gettext_lazy("account emails, as facts told them"),
    "people_personaldetail.work_email": gettext_lazy("work emails, as facts told them"),
    "people_personroles.role_ids": gettext_lazy("roles, as facts told them"),
    "people_absence.reason_code": gettext_lazy("why they were away"),
    "people_invitation.work_email": gettext_lazy("addresses on invitations"),
    "people_invitation.person_name": gettext_lazy("names on invitations"),
    "people_contact.company": gettext_lazy("companies they came from"),
    "provisioning_provisioneduser.external_id": gettext_lazy("identifiers that identity providers gave"),
    "provisioning_provisioneduser.user_name": gettext_lazy("names by which identity providers know them"),
    "provisioning_provisionedaddress.address": gettext_lazy("addresses that identity providers gave"),
    "provisioning_provisioneduser.attributes": gettext_lazy("what identity providers told beside the facts"),
    "provisioning_employeenumber.employee_number": gettext_lazy("the employee number"),
    "training_trainer.trainer_name": gettext_lazy("the name as a trainer"),
    "certificates_certificatecorrection.person_name": gettext_lazy("names on corrected certificates"),
    "certificates_issuedname.person_name": gettext_lazy("names on certificates, as issued"),
    "certificates_issuedname.salt": gettext_lazy("what proves which names those were"),
    "certificates_checkcode.check_code": gettext_lazy("check codes: their public pages then open nothing"),
    "policies_rawsignature.signature": gettext_lazy("signatures as typed or drawn"),
    "policies_rawsignature.signer_company": gettext_lazy("companies that they signed for"),
    "learning_learnersession.device": gettext_lazy("devices on which they were signed in"),
    "learning_learnerpreference.language": gettext_lazy("the language that they chose to read in"),
    "learning_answer.choices": gettext_lazy("what they answered to questions of courses"),
}


class Erase(Act):
    """Erases a person at the company's instruction."""

    name = "erase"
    tells = (PersonErased,)
    title = gettext_lazy("Erase")
    explains = gettext_lazy(
        "Clears the person's names, addresses, signatures and check codes, everywhere and for good, at the company's"
        " instruction. Records, receipts and hashes stay, without them. This cannot be undone."
    )
    permission = Permission.CHANGE_RECORDS
    form = PersonForm
    about = "person"
    group = GROUP
    danger = True
    recent = True
    second = True

    def preview(self, acting: Acting) -> Preview:
        """What would be cleared, column by column, and which rows would change."""
        cleared = erasing.would_clear(
            organization_id=acting.organization_id, learner_profile_id=acting.data["learner_profile_id"]
        )
        found = super().preview(acting)
        person = queries.person(acting.organization_id, acting.data["learner_profile_id"])
        assert person is not None  # `would_clear` refuses people unknown to the company
        found.pairs = [
            (gettext("Person"), person.person_name or gettext("No name")),
            (gettext("Work email"), person.work_email or gettext("none")),
            (gettext("Account email"), person.account_email or gettext("none")),
            (gettext("Identifier, which stays"), person.learner_profile_id),
            *(
                (gettext("Goes: %(what)s") % {"what": CLEARED[f"{each.table}.{each.column}"]}, f"{each.values:,}")
                for each in cleared
                if each.values
            ),
        ]
        found.subject = person.person_name or gettext("this person")
        found.named = [found.subject]
        found.warnings.append(gettext("This cannot be undone. Importing the same facts again restores nothing."))
        return found

    def perform(self, acting: Acting) -> Done:
        """Erases the person, irreversibly."""
        erasing.erase_person(**acting.common, learner_profile_id=acting.data["learner_profile_id"])
        return to(acting, gettext("The person is erased."))


ACTS: tuple[Act, ...] = (
    _Recorded(
        name="invite",
        tells=(PersonInvited,),
        title=gettext_lazy("Invite a person"),
        explains=gettext_lazy("Writes to the person, who becomes an employee when the invitation is accepted."),
        form=form_of(
            work_email=forms.EmailField(label=gettext_lazy("Work email"), max_length=254),
            person_name=forms.CharField(label=gettext_lazy("Name"), required=False, max_length=200),
            expires_on=day_field(
                gettext_lazy("Open until"),
                help_text=gettext_lazy("The end of this day of the company. Empty: it stays open."),
            ),
            teams=TEAMS,
        ),
        arguments=_invited,
        done=_invitation_leaves,
    ),
    _Recorded(
        name="revoke-invitation",
        tells=(InvitationRevoked,),
        title=gettext_lazy("Revoke an invitation"),
        about="invitation",
        explains=gettext_lazy("It can no longer be accepted."),
        form=form_of(invitation_id=Picked(pickable.INVITATION, label=gettext_lazy("Invitation"))),
        arguments=lambda acting: {"invitation_id": acting.data["invitation_id"]},
        done=gettext_lazy("The invitation is revoked."),
    ),
    _OfEmployee(
        name="suspend",
        tells=(EmployeeSuspended,),
        title=gettext_lazy("Suspend"),
        explains=gettext_lazy(
            "The person cannot come in for the time being. What they owe goes on, and so do its deadlines."
        ),
        done=gettext_lazy("The person is suspended."),
        undo=_undone_by("resume"),
    ),
    _OfEmployee(
        name="resume",
        tells=(EmployeeResumed,),
        title=gettext_lazy("Resume"),
        explains=gettext_lazy("Ends a suspension."),
        done=gettext_lazy("The suspension is over."),
        undo=_undone_by("suspend"),
    ),
    _OfEmployee(
        name="end",
        tells=(EmployeeLeft,),
        title=gettext_lazy("End employment"),
        explains=gettext_lazy(
            "The person leaves the company: what they owe ends. Coming back later starts a new stay."
        ),
        danger=True,
        done=gettext_lazy("The person has left the company."),
        undo=_undone_by("rejoin"),
    ),
    RevokeLinks(),
    Erase(),
)
