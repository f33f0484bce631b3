"""Acts on scheduled exports: set one up, run it now, stop it."""

from datetime import timedelta

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_lazy

from compliance.catalogue import REGISTERS
from compliance.interfaces.console.acting.act import Act, Acting, CannotActError, Done, chosen
from compliance.interfaces.console.acting.fields import ActForm, Listed, form_of
from compliance.interfaces.console.exports import keeping, schedule, writing
from compliance.interfaces.console.exports.models import ExportFile, StandingExport
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.interfaces.console.wording import written_instant

GROUP = gettext_lazy("Standing exports")

MOST = 20
"""How many a company may have: each costs a run of the worker and files that are kept."""


class _OfExport(Act):
    permission = Permission.CHANGE_RECORDS
    group = GROUP
    recent = True


class AddForm(ActForm):
    """Which registers, in which format, how often, and how long files are kept."""

    registers = forms.MultipleChoiceField(
        label=gettext_lazy("Registers"),
        choices=[(register.name, gettext_lazy(register.title)) for register in REGISTERS.values()],
        widget=forms.CheckboxSelectMultiple,
    )
    written_as = forms.ChoiceField(label=gettext_lazy("Written as"), choices=list(writing.FORMATS.items()))
    personal = forms.BooleanField(
        required=False,
        label=gettext_lazy("With names and e-mail addresses"),
        help_text=gettext_lazy(
            "Such files are removed as soon as somebody is erased, and written again without that person."
        ),
    )
    every = forms.ChoiceField(label=gettext_lazy("How often"), choices=StandingExport.Every.choices)
    hour = forms.IntegerField(
        label=gettext_lazy("At which hour"),
        min_value=0,
        max_value=23,
        initial=5,
        help_text=gettext_lazy("Company time."),
    )
    keep = forms.IntegerField(
        label=gettext_lazy("How many are kept"),
        min_value=1,
        max_value=60,
        initial=7,
        help_text=gettext_lazy("The newest."),
    )
    days = forms.IntegerField(
        label=gettext_lazy("Days after which a file is removed"),
        min_value=1,
        max_value=366,
        initial=31,
        help_text=gettext_lazy("In any case."),
    )


class AddExport(_OfExport):
    """Sets up registers to be written to files by schedule."""

    name = "add-export"
    title = gettext_lazy("Set up a standing export")
    explains = gettext_lazy(
        "Writes registers to files by schedule, to be taken from the page of exports or from the storage itself, as"
        " long as you may export."
    )
    form = AddForm

    def _check(self, acting: Acting) -> None:
        if not acting.may(Permission.EXPORT):
            raise CannotActError(gettext("Only who may export sets this up."))
        running = StandingExport.objects.filter(organization_id=acting.organization_id, stopped_at=None)
        if running.count() >= MOST:
            text = gettext("This company has %(most)s standing exports. Stop one first.")
            raise CannotActError(text % {"most": MOST})
        writing.check(acting.data["written_as"])

    def preview(self, acting: Acting) -> Preview:
        """Says what is written, and when the first time is."""
        self._check(acting)
        data = acting.data
        first = schedule.next_run(acting.organization.time_zone, data["every"], data["hour"], acting.at)
        titles = dict(self.form.base_fields["registers"].choices)  # type: ignore[attr-defined]
        found = Preview(
            pairs=[
                (gettext("Registers"), ", ".join(str(titles[name]) for name in data["registers"])),
                (gettext("Written as"), writing.FORMATS[data["written_as"]]),
                (gettext("Names and addresses"), gettext("yes") if data["personal"] else gettext("no")),
                (gettext("First"), written_instant(first)),
                (
                    gettext("Kept"),
                    gettext("the newest %(keep)s, none for more than %(days)s days")
                    % {"keep": data["keep"], "days": data["days"]},
                ),
            ]
        )
        if data["personal"]:
            found.warnings.append(
                gettext(
                    "Files that somebody has taken away are out of reach: an erasure removes those that are kept here."
                )
            )
        return found

    def perform(self, acting: Acting) -> Done:
        """Sets it up. It first runs at its next hour."""
        self._check(acting)
        data = acting.data
        StandingExport.objects.create(
            organization_id=acting.organization_id,
            registers=data["registers"],
            written_as=data["written_as"],
            personal=data["personal"],
            every=data["every"],
            hour=data["hour"],
            keep=data["keep"],
            days=data["days"],
            user_id=acting.staff.user_id,
            username=acting.staff.username,
            made_at=acting.at,
            next_run_at=schedule.next_run(acting.organization.time_zone, data["every"], data["hour"], acting.at),
        )
        return Done(gettext("The export is set up."), "exports")


def _running(form: ActForm) -> list[tuple[str, str]]:
    """The exports that are not stopped."""
    found = StandingExport.objects.filter(organization_id=form.organization_id, stopped_at=None)
    return [(str(each.export_id), f"{each}, {each.get_every_display()}") for each in found.order_by("made_at")]


ExportForm = form_of(export_id=Listed(_running, label=gettext_lazy("Export")))


def _export(acting: Acting) -> StandingExport:
    """The chosen export, of this company and no other."""
    none = gettext("This company has no such export.")
    return chosen(acting, StandingExport, "export_id", none, stopped_at=None)


def _files(export: StandingExport) -> QuerySet[ExportFile]:
    return ExportFile.objects.filter(organization_id=export.organization_id, export_id=export.export_id)


class RunExport(_OfExport):
    """Runs an export now."""

    name = "run-export"
    title = gettext_lazy("Run a standing export now")
    explains = gettext_lazy("Writes its files within five minutes, beside its schedule.")
    form = ExportForm
    about = "export"

    def preview(self, acting: Acting) -> Preview:
        """Names the export."""
        return Preview(pairs=[(gettext("Export"), str(_export(acting)))])

    def perform(self, acting: Acting) -> Done:
        """Makes it due."""
        keeping.run_now(_export(acting), acting.at)
        return Done(gettext("The export runs within five minutes."), "exports")


class StopExport(_OfExport):
    """Stops an export and removes its files."""

    name = "stop-export"
    title = gettext_lazy("Stop a standing export")
    explains = gettext_lazy("Nothing more is written, and the files that are kept are removed.")
    form = ExportForm
    about = "export"
    danger = True

    def preview(self, acting: Acting) -> Preview:
        """Names the export, and how many files would be removed."""
        export = _export(acting)
        return Preview(
            pairs=[(gettext("Export"), str(export)), (gettext("Files that are removed"), _files(export).count())]
        )

    def perform(self, acting: Acting) -> Done:
        """Stops it; its files expire now."""
        export = _export(acting)
        export.stopped_at = acting.at
        export.save(update_fields=["stopped_at"])
        _files(export).update(expires_at=acting.at - timedelta(seconds=1))
        keeping.forget(acting.organization_id, acting.at)
        return Done(gettext("The export is stopped."), "exports")


ACTS: tuple[Act, ...] = (AddExport(), RunExport(), StopExport())
