"""Upkeep acts: import a facts file, sweep, verify. They are long work, done by the worker."""

import io
from collections.abc import Callable
from datetime import UTC, datetime
from typing import BinaryIO, cast

from django import forms
from django.db import transaction
from django.utils.translation import gettext, gettext_lazy

from compliance.facts.importing import Progress, Report, import_facts
from compliance.facts.recording import Channel
from compliance.history.actions import capture_all, sweep_company
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.acting.act import Act, Acting, CannotActError
from compliance.interfaces.console.acting.fields import ActForm
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.interfaces.operations.errors import BeingVerifiedError
from compliance.interfaces.operations.verification import verify_company

GROUP = gettext_lazy("Upkeep")
PREVIEWED_BYTES = 256 * 1024
"""A larger file is tried by the worker, not during the request, because a page must be served within a second."""
FAULTS_LISTED = 40


class ImportForm(ActForm):
    """A facts file, and how to import it."""

    file = forms.FileField(
        label=gettext_lazy("Facts file"), help_text=gettext_lazy("svc.facts/1: UTF-8 JSON Lines, one fact a line.")
    )
    strict = forms.BooleanField(required=False, label=gettext_lazy("Record nothing if any line is wrong"))
    only_try = forms.BooleanField(
        required=False,
        label=gettext_lazy("Only try it: record nothing"),
        help_text=gettext_lazy(
            "The worker reads the whole file and reports what would be recorded and which lines are wrong."
        ),
    )


class ImportFacts(Act):
    """Imports a facts file."""

    name = "import"
    everybody = True
    title = gettext_lazy("Import a facts file")
    explains = gettext_lazy(
        "Records what happened, as another system tells it: the kinds of fact that you may tell in the console, and no"
        " others. Lines known already are left alone."
    )
    permission = Permission.OPERATE
    recent = True
    form = ImportForm
    group = GROUP
    long = True
    second = True
    upload = "file"

    def needs_second(self, acting: Acting) -> bool:
        """True, unless nothing is recorded."""
        return not acting.data["only_try"]

    def preview(self, acting: Acting) -> Preview:
        """Imports the whole file and rolls it back; only counts the lines of a large one."""
        found = Preview(
            pairs=[
                (gettext("File"), acting.upload.name if acting.upload else ""),
                (gettext("Lines"), _lines(acting)),
                (gettext("Kinds that you may tell"), ", ".join(sorted(acting.may_tell)) or gettext("none")),
                (gettext("Who acted, in lines that say so"), acting.staff.actor_id),
            ]
        )
        if acting.upload and acting.upload.size > PREVIEWED_BYTES:
            found.warnings.append(
                gettext(
                    "The file is too large to be tried while you wait. Tick “only try it” to have the worker report"
                    " what would be recorded, or “record nothing if any line is wrong” to be safe."
                )
            )
            return found
        report = self._rehearse(acting)
        found.pairs += [(gettext("Would be recorded"), report.recorded), (gettext("Known already"), report.known)]
        found.pairs += [(kind.replace("_", " "), count) for kind, count in sorted(report.facts.items())]
        found.pairs.append((gettext("Lines that are wrong"), len(report.errors)))
        found.notes = _sentences(report)[:FAULTS_LISTED]
        if report.errors:
            found.warnings.append(gettext("Lines that are wrong are left out; the good ones are recorded."))
        return found

    def _import(self, acting: Acting, progress: Progress | None = None) -> Report:
        with acting.upload.opened() if acting.upload else io.BytesIO() as stream:
            return import_facts(
                organization_id=acting.organization_id,
                stream=cast(BinaryIO, stream),
                now=acting.at,
                strict=acting.data["strict"],
                teller=acting.teller(acting.may_tell, Channel.FILE),
                progress=progress,
            )

    def _rehearse(self, acting: Acting, progress: Progress | None = None) -> Report:
        with transaction.atomic():
            report = self._import(acting, progress)
            transaction.set_rollback(True)
        return report

    def work(self, acting: Acting, job: Job) -> str:
        """Records and captures the file, or only tries it."""

        def say(_: str, done: int, total: int | None) -> None:
            jobs.say(job, done, total or 0)

        only_try = acting.data["only_try"]
        report = self._rehearse(acting, say) if only_try else self._import(acting, say)
        if not only_try:
            capture_all(acting.organization_id, acting.at, _counting(job))
        acting.findings += _sentences(report)
        if only_try:
            return gettext(
                "Tried, and nothing recorded: %(recorded)s facts would be recorded, %(known)s are known already,"
                " %(errors)s lines are wrong."
            ) % {"recorded": report.recorded, "known": report.known, "errors": len(report.errors)}
        counted = {"recorded": report.recorded, "known": report.known, "errors": len(report.errors)}
        if report.errors:
            return gettext("%(recorded)s facts recorded, %(known)s known already, %(errors)s lines wrong.") % counted
        return gettext("%(recorded)s facts recorded, %(known)s known already.") % counted


def _lines(acting: Acting) -> int:
    """How many lines the file has; the last one counts even without a line end."""
    if acting.upload is None:
        return 0
    lines, last = 0, b"\n"
    with acting.upload.opened() as content:
        while chunk := content.read(1024 * 1024):
            lines += chunk.count(b"\n")
            last = chunk[-1:]
    return lines + (last != b"\n")


def _sentences(report: Report) -> list[str]:
    return [
        gettext("Line %(line)s: %(reason)s") % {"line": each.line, "reason": each.reason}
        for each in (*report.errors, *report.notes)
    ]


def _counting(job: Job) -> Callable[[int], None]:
    """Adds up what captures have done, for the page with the progress of the work."""
    captured = 0

    def tell(count: int) -> None:
        nonlocal captured
        captured += count
        jobs.say(job, captured, 0)

    return tell


class Sweep(Act):
    """Captures pending subjects and what the clock has changed."""

    name = "sweep"
    title = gettext_lazy("Sweep")
    explains = gettext_lazy("Captures what waits and what the clock has brought. This runs by itself every minute.")
    permission = Permission.OPERATE
    group = GROUP
    long = True

    def preview(self, acting: Acting) -> Preview:
        """Explains that a sweep only records what is already the case."""
        return Preview(notes=[gettext("Writes down what is already so. Nothing that anybody owes is changed by it.")])

    def work(self, acting: Acting, job: Job) -> str:
        """Captures what the clock has changed, and reports how many subjects were decided."""
        captured = sweep_company(acting.organization_id, acting.at, _counting(job))
        rows = sum(each.rows for each in captured)
        return (
            gettext("%(captured)s captures, %(rows)s row versions.") % {"captured": len(captured), "rows": rows}
            if captured
            else gettext("There was nothing to capture.")
        )


class Verify(Act):
    """Computes every hash anew."""

    name = "verify"
    title = gettext_lazy("Verify history and receipts")
    explains = gettext_lazy(
        "Computes every hash and signed checkpoint anew, and names the first that does not hold. Runs every night, too."
    )
    permission = Permission.OPERATE
    group = GROUP
    long = True

    def preview(self, acting: Acting) -> Preview:
        """Explains that verification only reads."""
        return Preview(notes=[gettext("Only reads. On a large company it takes some minutes.")])

    def work(self, acting: Acting, job: Job) -> str:
        """Verifies the history and the ledger. Raises CannotActError if one fails, or another one is under way."""
        try:
            findings = verify_company(acting.organization_id, lambda: datetime.now(UTC))
        except BeingVerifiedError as error:
            message = gettext("The company is being verified already. Try again when that has ended.")
            raise CannotActError(message) from error
        faults = [finding.fault for finding in findings.values() if finding.fault]
        if faults:
            acting.findings += faults
            raise CannotActError(gettext("Something does not hold: %(faults)s") % {"faults": faults[0]})
        counts = ", ".join(
            gettext("%(checked)s in %(kind)s") % {"checked": finding.checked, "kind": kind.label}
            for kind, finding in findings.items()
        )
        return gettext("All holds. Computed anew: %(said)s.") % {"said": counts}


ACTS: tuple[Act, ...] = (ImportFacts(), Sweep(), Verify())
