"""Acts that give an auditor read access to one company until a day, and end that access."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from django import forms
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from compliance.interfaces.console.acting.act import Act, Acting, CannotActError, Done
from compliance.interfaces.console.acting.fields import ActForm, Listed, day_field, end_of, form_of
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.interfaces.console.sign_in import auditors

GROUP = gettext_lazy("Auditors")


def _day(day: date) -> str:
    """A day with its weekday, which helps people to check it."""
    return date_format(day, _("l, j F Y"))


class InviteAuditor(Act):
    """Makes the account of an auditor, who reads only this company, and displays the link to it once."""

    name = "invite-auditor"
    title = gettext_lazy("Invite an auditor")
    explains = gettext_lazy(
        "Lets somebody from outside read the records of this company until a day, and change nothing. They get a link"
        " that works once; it is shown to whoever confirms this, too."
    )
    permission = Permission.CHANGE_RECORDS
    form = form_of(
        person_name=forms.CharField(label=gettext_lazy("Name"), max_length=150),
        email=forms.EmailField(label=gettext_lazy("Email address"), max_length=254),
        until=day_field(
            gettext_lazy("May look until"),
            required=True,
            help_text=gettext_lazy("The end of this day in the company's time. Within one year."),
        ),
    )
    about = "auditors"
    group = GROUP
    recent = True
    second = True
    secret_name = gettext_lazy("The link for the auditor")
    kept_as = gettext_lazy("make a new one if it is lost")

    def preview(self, acting: Acting) -> Preview:
        """Who will be able to see what, until when."""
        data, zone = acting.data, acting.organization.time_zone
        until = end_of(acting.organization, data["until"])
        if until is None or not acting.at < until <= acting.at + auditors.LONGEST:
            raise CannotActError(_("An auditor's access ends on a day to come, within one year."))
        pairs: list[tuple[str, Any]] = [
            (_("Who"), data["person_name"]),
            (_("Address"), data["email"]),
            (_("May see"), _("all records of %(company)s, with names") % {"company": acting.organization.name}),
            (_("May change"), _("nothing")),
            (_("Until the end of"), f"{_day(data['until'])} ({zone})"),
        ]
        found = Preview(pairs=pairs, subject=data["person_name"])
        known = auditors.known(acting.organization_id, data["email"])
        if known is not None:
            found.warnings.append(
                _("This address has an account here already: %(name)s. Its access will last until the day above.")
                % {"name": known.get_username()}
            )
        return found

    def perform(self, acting: Acting) -> Done:
        """Makes the account and its invitation, and queues the letter."""
        until = end_of(acting.organization, acting.data["until"])
        assert until is not None  # the field is required
        invited = auditors.invite(
            organization_id=acting.organization_id,
            name=acting.data["person_name"],
            email=acting.data["email"],
            until=until,
            by=acting.staff,
            at=acting.at,
        )
        words = {"name": invited.username, "day": _day(acting.data["until"])}
        undo = (EndAuditor.name, {"auditor": invited.user_id})
        if not invited.code:
            return Done(_("The auditor %(name)s may look until the end of %(day)s.") % words, "auditors", undo=undo)
        message = (
            _("The auditor is invited, and a letter with the link is on its way. They sign in as %(name)s.") % words
        )
        return Done(message, "auditors", secret=auditors.link(invited.code), undo=undo)


def _chosen(form: ActForm) -> Iterator[tuple[str, str]]:
    """The auditors of this company whose access has not ended."""
    yield "", _("Choose an auditor")
    for each in auditors.auditors(form.organization_id):
        if each.until and each.until > form.at:
            yield str(each.user_id), f"{each.name or each.email} ({each.username})"


class EndAuditor(Act):
    """Ends the access of an auditor at once."""

    name = "end-auditor"
    title = gettext_lazy("End an auditor's access")
    explains = gettext_lazy("They can no longer see anything, from this moment on. Invite them again to let them back.")
    permission = Permission.CHANGE_RECORDS
    form = form_of(auditor=Listed(_chosen, label=gettext_lazy("Auditor")))
    about = "auditor"
    group = GROUP

    def preview(self, acting: Acting) -> Preview:
        """Whose access would end, and until when it would last otherwise."""
        wanted = int(acting.data["auditor"])
        found = next(each for each in auditors.auditors(acting.organization_id) if each.user_id == wanted)
        name = found.name or found.email
        pairs = [(_("Who"), name), (_("Address"), found.email), (_("Signs in as"), found.username)]
        return Preview(pairs=pairs, subject=name)

    def perform(self, acting: Acting) -> Done:
        """Ends the access and every session."""
        name = auditors.end(
            organization_id=acting.organization_id, user_id=int(acting.data["auditor"]), by=acting.staff, at=acting.at
        )
        return Done(_("The access of %(name)s has ended.") % {"name": name}, "auditors")


ACTS: tuple[Act, ...] = (InviteAuditor(), EndAuditor())
