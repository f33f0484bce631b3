"""Acts that give people access: send a personal link, copy one, send an invitation again.

Anybody who has a link signs in as its person. So it is sent only to that person, and displaying it needs more: the
permission to change records, and a recent confirmation. Each has its line in the access log, as every act does.
"""

import uuid

from django.utils.translation import gettext, gettext_lazy

from compliance.facts.people.presence import OpenInvitation, open_invitation, present
from compliance.facts.people.queries import name_of
from compliance.interfaces.console.acting import pickable
from compliance.interfaces.console.acting.act import Act, Acting, CannotActError, Done, to
from compliance.interfaces.console.acting.fields import PersonForm, form_of
from compliance.interfaces.console.acting.picker import Picked
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.learning import links
from compliance.letters.actions import Kind, ask
from compliance.letters.message import can_be_written_to
from compliance.letters.recipients import Recipient, recipients

GROUP = gettext_lazy("People")


def _recipient(acting: Acting) -> Recipient:
    """How to write to the person. Raises CannotActError for somebody without access or without an address."""
    learner = acting.data["learner_profile_id"]
    found = recipients(acting.organization_id, [learner], acting.at).get(learner)
    if found is None:
        raise CannotActError(gettext("This person cannot come in now, or has no address that mail can be sent to."))
    return found


class SendLink(Act):
    """Sends a person a link to their own pages."""

    name = "send-link"
    title = gettext_lazy("Send a personal link")
    explains = gettext_lazy(
        "Writes to the person with a link to their own pages: it works once, for 30 days. No account is needed."
    )
    permission = Permission.CHANGE_PEOPLE
    form = PersonForm
    about = "person"
    group = GROUP

    def preview(self, acting: Acting) -> Preview:
        """Says to whom and where it goes; no record changes."""
        found = _recipient(acting)
        return Preview(
            pairs=[(gettext("To"), found.person_name or gettext("No name")), (gettext("Address"), found.address)]
        )

    def perform(self, acting: Acting) -> Done:
        """Queues the letter, to be sent once this is committed."""
        _recipient(acting)
        learner: uuid.UUID = acting.data["learner_profile_id"]
        ask(acting.organization_id, Kind.STAFF_LINK, now=acting.at, learner_profile_id=learner)
        undo = ("revoke-links", {"learner_profile_id": learner})
        return to(acting, gettext("The letter with the link is on its way."))._replace(undo=undo)


class CopyLink(Act):
    """Makes a link to a person's own pages and displays it once."""

    name = "copy-link"
    title = gettext_lazy("Copy a personal link")
    explains = gettext_lazy(
        "Shows a link to the person's own pages once, to hand it over by another way: it works once, for 15 minutes."
        " Whoever opens it comes in as this person, and could sign in their name."
    )
    permission = Permission.CHANGE_RECORDS
    form = PersonForm
    about = "person"
    group = GROUP
    recent = True
    secret_name = gettext_lazy("The link")

    def preview(self, acting: Acting) -> Preview:
        """Says whose link it is, and what its holder can do with it."""
        found = self._person(acting)
        preview = Preview(pairs=[(gettext("Lets in as"), found)])
        preview.warnings.append(
            gettext("Hand it to the person alone. That you were shown it stands in the access log.")
        )
        return preview

    def perform(self, acting: Acting) -> Done:
        """Makes the link."""
        self._person(acting)
        learner: uuid.UUID = acting.data["learner_profile_id"]
        token = links.make(acting.organization_id, now=acting.at, life=links.ASKED_FOR, learner_profile_id=learner)
        undo = ("revoke-links", {"learner_profile_id": learner})
        return to(acting, gettext("The link is made."))._replace(secret=links.address_of(token), undo=undo)

    def _person(self, acting: Acting) -> str:
        """The person's name. Raises CannotActError for somebody without access."""
        learner = acting.data["learner_profile_id"]
        if learner not in present(acting.organization_id, [learner], acting.at):
            raise CannotActError(gettext("This person cannot come in now."))
        return name_of(acting.organization_id, learner) or gettext("a person without a name")


class SendInvitation(Act):
    """Sends an invitation again."""

    name = "send-invitation"
    title = gettext_lazy("Send an invitation again")
    explains = gettext_lazy("Writes to the invited again, with a new link. Links that were sent before go on working.")
    permission = Permission.CHANGE_PEOPLE
    form = form_of(invitation_id=Picked(pickable.INVITATION, label=gettext_lazy("Invitation")))
    about = "invitation"
    group = GROUP

    def preview(self, acting: Acting) -> Preview:
        """Says to whom the invitation goes."""
        found = self._invitation(acting)
        return Preview(
            pairs=[(gettext("To"), found.person_name or gettext("No name")), (gettext("Address"), found.work_email)]
        )

    def perform(self, acting: Acting) -> Done:
        """Queues the letter, to be sent once this is committed."""
        self._invitation(acting)
        ask(acting.organization_id, Kind.INVITATION, now=acting.at, invitation_id=acting.data["invitation_id"])
        return Done(gettext("The invitation is on its way again."), "people")

    def _invitation(self, acting: Acting) -> OpenInvitation:
        """The invitation. Raises CannotActError if it can no longer be accepted."""
        found = open_invitation(acting.organization_id, acting.data["invitation_id"], acting.at)
        if found is None or not can_be_written_to(found.work_email):
            raise CannotActError(gettext("There is no such invitation that can still be accepted."))
        return found


ACTS: tuple[Act, ...] = (SendLink(), CopyLink(), SendInvitation())
