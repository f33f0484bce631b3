"""Acts on reports by letter: set one up, stop it."""

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from compliance.interfaces.console.acting.act import Act, Acting, CannotActError, Done, chosen
from compliance.interfaces.console.acting.fields import ActForm, Listed, form_of
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.interfaces.console.reports import schedule
from compliance.interfaces.console.reports.models import StandingReport
from compliance.interfaces.console.wording import written_moment
from compliance.rules.company_days import zone_info

MOST = 20
"""How many reports by letter a company may have."""


class _OfReport(Act):
    permission = Permission.CHANGE_RECORDS
    group = gettext_lazy("Reports by letter")


class AddForm(ActForm):
    """How often, and at which hour."""

    every = forms.ChoiceField(label=gettext_lazy("How often"), choices=StandingReport.Every.choices)
    hour = forms.IntegerField(
        label=gettext_lazy("At which hour"),
        min_value=0,
        max_value=23,
        initial=7,
        help_text=gettext_lazy("In the company's time."),
    )


class AddReport(_OfReport):
    """Sets up a report that is made by schedule, with a letter about it to the person who sets it up."""

    name = "add-report"
    title = gettext_lazy("Have a report sent to me by schedule")
    explains = gettext_lazy(
        "Makes the report of completion and of what changed, and sends you a letter that holds its numbers and leads to"
        " it. The letter names nobody."
    )
    form = AddForm

    def _address(self, acting: Acting) -> str:
        address = User.objects.filter(pk=acting.staff.user_id).values_list("email", flat=True).first()
        if not address:
            raise CannotActError(_("Your account has no e-mail address. Whoever keeps the staff accounts can add one."))
        running = StandingReport.objects.filter(organization_id=acting.organization_id, stopped_at=None)
        if running.count() >= MOST:
            raise CannotActError(_("This company has %(most)s reports by letter. Stop one first.") % {"most": MOST})
        return address

    def preview(self, acting: Acting) -> Preview:
        """Says to whom it goes, and when the first time is."""
        address, data = self._address(acting), acting.data
        first = schedule.next_run(acting.organization.time_zone, data["every"], data["hour"], acting.at)
        return Preview(
            pairs=[
                (_("To"), address),
                (_("How often"), str(StandingReport.Every(data["every"]).label)),
                (_("First"), written_moment(first, zone_info(acting.organization.time_zone))),
            ]
        )

    def perform(self, acting: Acting) -> Done:
        """Sets it up. The first letter is sent at its next hour."""
        self._address(acting)
        data = acting.data
        first = schedule.next_run(acting.organization.time_zone, data["every"], data["hour"], acting.at)
        StandingReport.objects.create(
            organization_id=acting.organization_id,
            every=data["every"],
            hour=data["hour"],
            user_id=acting.staff.user_id,
            username=acting.staff.username,
            made_at=acting.at,
            next_run_at=first,
            try_at=first,
        )
        return Done(_("The report is set up."), "reports")


def _running(form: ActForm) -> list[tuple[str, str]]:
    """The reports that are not stopped."""
    found = StandingReport.objects.filter(organization_id=form.organization_id, stopped_at=None)
    return [(str(each.standing_id), f"{each}, {each.username}") for each in found.order_by("made_at")]


class StopReport(_OfReport):
    """Stops a report that comes by letter."""

    name = "stop-report"
    title = gettext_lazy("Stop a report by letter")
    explains = gettext_lazy("No further letter is sent. Reports that were made stay where they are.")
    form = form_of(standing_id=Listed(_running, label=gettext_lazy("Report")))
    about = "report"

    def preview(self, acting: Acting) -> Preview:
        """Names the report and its recipient."""
        found = self._report(acting)
        return Preview(pairs=[(_("Report"), str(found)), (_("To"), found.username)])

    def perform(self, acting: Acting) -> Done:
        """Stops it; reports that were made stay."""
        found = self._report(acting)
        found.stopped_at = acting.at
        found.save(update_fields=["stopped_at"])
        return Done(_("The report is stopped."), "reports")

    def _report(self, acting: Acting) -> StandingReport:
        """The chosen report, of this company and no other."""
        none = _("This company has no such report.")
        return chosen(acting, StandingReport, "standing_id", none, stopped_at=None)


ACTS: tuple[Act, ...] = (AddReport(), StopReport())
