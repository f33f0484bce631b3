"""Acts on people: invite, let in, suspend, end, withdraw their links, erase."""

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from django import forms

from compliance.facts.lines import (
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
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.interfaces.console.who_may import Permission
from compliance.interfaces.pages import links
from compliance.learning import links as learning
from compliance.letters.actions import Kind, ask

GROUP = "People"


def _invited(acting: Acting) -> dict[str, Any]:
    return {
        "invitation_id": uuid.uuid4(),
        "work_email": acting.data["work_email"],
        "person_name": acting.data["person_name"] or None,
        "expires_at": end_of(acting.organization, acting.data["expires_on"]),
        "team_ids": acting.data["teams"],
    }


def _invitation_leaves(acting: Acting, line: Any) -> Done:
    """Has the invited hear of it."""
    ask(acting.organization_id, Kind.INVITATION, now=acting.at, invitation_id=line.invitation_id)
    undo = ("revoke-invitation", {"invitation_id": line.invitation_id})
    return Done(f"The invitation is recorded, and a letter with it goes to {line.work_email}.", "people", undo=undo)


def _employment(acting: Acting) -> dict[str, Any]:
    """The person's present employment. Raises CannotActError when there is none."""
    found = queries.present_employment(acting.organization_id, acting.data["learner_profile_id"], acting.at)
    if found is None:
        raise CannotActError("This person is no employee of the company now.")
    return {"person_id": found}


def _undone_by(act: str) -> Callable[[Acting], tuple[str, dict[str, Any]]]:
    """The act that undoes what was done to the same person."""
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
    """Withdraws the personal links by which somebody could sign or come in."""

    name = "revoke-links"
    title = "Withdraw personal links"
    explains = (
        "The links by which this person could come in or sign policies stop working. What is signed stays signed, and"
        " devices on which the person is signed in stay so."
    )
    permission = Permission.CHANGE_PEOPLE
    form = PersonForm
    about = "person"
    group = GROUP

    def preview(self, acting: Acting) -> Preview:
        """Says how many links there are; nothing of the records changes."""
        learner = acting.data["learner_profile_id"]
        number = links.standing(acting.organization_id, learner, acting.at)
        number += learning.usable(acting.organization_id, learner, acting.at)
        return Preview(pairs=[("Links that would stop working", number)])

    def perform(self, acting: Acting) -> Done:
        """Withdraw all open links of the person."""
        learner = acting.data["learner_profile_id"]
        number = links.revoke(acting.organization_id, learner, acting.at)
        number += learning.revoke(acting.organization_id, acting.at, learner_profile_id=learner)
        return to(acting, f"{number} links are withdrawn.")


CLEARED = {  # in words, each column that an erasure clears
    "people_identity.person_name": "names that rows of the history commit to",
    "people_identity.work_email": "addresses that rows of the history commit to",
    "people_identity.salt": "what proves which name and address those were",
    "people_profile.person_name": "the name",
    "people_profile.account_email": "the account email",
    "people_profile.work_email": "the work email",
    "people_personaldetail.person_name": "names, as facts told them",
    "people_personaldetail.account_email": "account emails, as facts told them",
    "people_personaldetail.work_email": "work emails, as facts told them",
    "people_personroles.role_ids": "roles, as facts told them",
    "people_absence.reason_code": "why they were away",
    "people_invitation.work_email": "addresses on invitations",
    "people_invitation.person_name": "names on invitations",
    "people_contact.company": "companies they came from",
    "provisioning_provisioneduser.external_id": "identifiers that identity providers gave",
    "provisioning_provisioneduser.user_name": "names by which identity providers know them",
    "provisioning_provisioneduser.addresses": "addresses that identity providers gave",
    "provisioning_provisioneduser.attributes": "what identity providers told beside the facts",
    "provisioning_employeenumber.employee_number": "the employee number",
    "training_trainer.trainer_name": "the name as a trainer",
    "certificates_certificatecorrection.person_name": "names on corrected certificates",
    "certificates_issuedname.person_name": "names on certificates, as issued",
    "certificates_issuedname.salt": "what proves which names those were",
    "certificates_checkcode.check_code": "check codes: their public pages then open nothing",
    "policies_rawsignature.signature": "signatures as typed or drawn",
    "policies_rawsignature.signer_company": "companies that they signed for",
    "learning_learnersession.device": "devices on which they were signed in",
    "learning_learnerpreference.language": "the language that they chose to read in",
    "learning_answer.choices": "what they answered to questions of courses",
}


class Erase(Act):
    """Erases a person at the company's instruction."""

    name = "erase"
    tells = (PersonErased,)
    title = "Erase"
    explains = (
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
        assert person is not None  # `would_clear` refuses whom the company does not know
        found.pairs = [
            ("Person", person.person_name or "No name"),
            ("Work email", person.work_email or "none"),
            ("Account email", person.account_email or "none"),
            ("Identifier, which stays", person.learner_profile_id),
            *(
                (f"Goes: {CLEARED[f'{each.table}.{each.column}']}", f"{each.values:,}")
                for each in cleared
                if each.values
            ),
        ]
        found.subject = person.person_name or "this person"
        found.warnings.append("This cannot be undone. Importing the same facts again restores nothing.")
        return found

    def perform(self, acting: Acting) -> Done:
        """Erase the person, for good."""
        erasing.erase_person(**acting.common, learner_profile_id=acting.data["learner_profile_id"])
        return to(acting, "The person is erased.")


ACTS: tuple[Act, ...] = (
    _Recorded(
        name="invite",
        tells=(PersonInvited,),
        title="Invite a person",
        explains="Writes to the person, who becomes an employee when the invitation is accepted.",
        form=form_of(
            work_email=forms.EmailField(label="Work email", max_length=254),
            person_name=forms.CharField(label="Name", required=False, max_length=200),
            expires_on=day_field("Open until", help_text="The end of this day of the company. Empty: it stays open."),
            teams=TEAMS,
        ),
        arguments=_invited,
        done=_invitation_leaves,
    ),
    _Recorded(
        name="revoke-invitation",
        tells=(InvitationRevoked,),
        title="Revoke an invitation",
        about="invitation",
        explains="It can no longer be accepted.",
        form=form_of(invitation_id=Picked(pickable.INVITATION, label="Invitation")),
        arguments=lambda acting: {"invitation_id": acting.data["invitation_id"]},
        done="The invitation is revoked.",
    ),
    _OfEmployee(
        name="suspend",
        tells=(EmployeeSuspended,),
        title="Suspend",
        explains="The person cannot come in for the time being. What they owe goes on, and so do its deadlines.",
        done="The person is suspended.",
        undo=_undone_by("resume"),
    ),
    _OfEmployee(
        name="resume",
        tells=(EmployeeResumed,),
        title="Resume",
        explains="Ends a suspension.",
        done="The suspension is over.",
        undo=_undone_by("suspend"),
    ),
    _OfEmployee(
        name="end",
        tells=(EmployeeLeft,),
        title="End employment",
        explains="The person leaves the company: what they owe ends. Coming back later starts a new stay.",
        danger=True,
        done="The person has left the company.",
        undo=_undone_by("rejoin"),
    ),
    RevokeLinks(),
    Erase(),
)
