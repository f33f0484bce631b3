"""A report as a PDF: its sums, laid out by Typst from `report.typ`. It names no person."""

import uuid
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson
import typst
from django.http import HttpResponse, HttpResponseRedirect
from django.utils import translation
from django.utils.translation import gettext as _

from compliance.catalogue import REGISTERS
from compliance.facts.courses.queries import titles_of
from compliance.facts.people import queries as people_queries
from compliance.interfaces.console.reports import keeping, queries, views
from compliance.interfaces.console.reports.making import NO_TEAM
from compliance.interfaces.console.reports.models import Report
from compliance.interfaces.console.reports.states import COMPARED, SIGNING, TRAINING
from compliance.interfaces.console.visit import Visit
from compliance.interfaces.console.wording import written_day, written_number

_TEMPLATE = Path(__file__).with_name("report.typ")


def pdf(visit: Visit, report_id: uuid.UUID) -> HttpResponse:
    """The report as a PDF, narrowed to the same course and team as its page, which waits for one that is not ready."""
    found = keeping.report_of(visit.organization.organization_id, report_id)
    asked = views.narrowed(visit)
    if not found.ready:
        query = {"course": asked.course, "team": asked.team_word}
        return HttpResponseRedirect(visit.link("report", query, report_id=report_id))
    content = _compiled(_contents(visit, found, asked))
    first, last = views.days(visit, found)
    headers = {"Content-Disposition": f'attachment; filename="completion-{first}-to-{last}.pdf"'}
    return HttpResponse(content, content_type="application/pdf", headers=headers)


def _compiled(contents: dict[str, Any]) -> bytes:
    given = {"report": orjson.dumps(contents).decode()}
    made = typst.compile(_TEMPLATE.read_bytes(), format="pdf", sys_inputs=given, font_paths=_fonts())
    assert isinstance(made, bytes)
    return made


@lru_cache(maxsize=1)
def _fonts() -> typst.Fonts:
    """The fonts embedded in Typst, then the system's fonts for characters that those lack."""
    return typst.Fonts(include_system_fonts=True, include_embedded_fonts=True)


def _contents(visit: Visit, found: Report, asked: views.Narrowed) -> dict[str, Any]:
    """Everything that the PDF states, as text."""
    names = people_queries.team_names(found.organization_id)
    whole = queries.whole(found, asked.course, asked.team)
    first, last = views.days(visit, found)
    headings = [_("At the start"), _("At the end"), _("Share done"), _("Overdue"), _("Done in the period")]
    tables = []
    if not asked.course:
        rows = [_cells(each.name, each.sums) for each in queries.by_course(found, asked.team)]
        tables.append(
            {"title": _("By course and policy"), "headings": [_("Course or policy"), *headings], "rows": rows}
        )
    if not asked.team:
        rows = [
            _cells(each.name or _("Without a team"), each.sums) for each in queries.by_team(found, asked.course, names)
        ]
        tables.append({"title": _("By team"), "headings": [_("Team"), *headings], "rows": rows})
    of = [titles_of(found.organization_id, [asked.course]).get(asked.course, "") if asked.course else ""]
    of.append(_("Without a team") if asked.team == NO_TEAM else names.get(asked.team, "") if asked.team else "")
    return {
        "company": visit.organization.name,
        "language": (translation.get_language() or "en").partition("-")[0],
        "title": _("Completion"),
        "period": f"{written_day(first)} – {written_day(last)}",
        "narrowed": ", ".join(each for each in of if each),
        "tiles": _tiles(whole),
        "tables": [each for each in tables if each["rows"]],
        "notes": [
            _(
                "Required: what a person had to do on that day, waived records aside. Done in the period: what was"
                " required on the last day and was completed or signed between the two days."
            ),
            _("Who is in two teams counts in both."),
            *_changes(found),
            _("As known at capture %(capture)s. Report %(report)s.")
            % {"capture": written_number(found.capture_sequence), "report": found.report_id},
        ],
    }


def _tiles(whole: dict[int, queries.Sums]) -> list[tuple[str, str]]:
    """The numbers at the top, training first."""
    training, signing = whole.get(TRAINING, queries.Sums()), whole.get(SIGNING, queries.Sums())
    tiles = [
        (_percent(training.percent), _("of required training done")),
        (written_number(training.done_between), _("completed in the period")),
        (written_number(training.overdue), _("training overdue at the end")),
    ]
    if signing.required or signing.required_before:
        tiles += [
            (_percent(signing.percent), _("of policies signed")),
            (written_number(signing.done_between), _("signed in the period")),
            (written_number(signing.overdue), _("signatures overdue at the end")),
        ]
    return tiles


def _changes(found: Report) -> list[str]:
    """A sentence for each register in which something changed in the whole company."""
    sentences = []
    for number in COMPARED:
        counts = found.counts.get(REGISTERS[number].name, {})
        if any(counts.values()):
            kinds = {kind: written_number(counts.get(kind, 0)) for kind in ("new", "ended", "changed", "late")}
            sentences.append(
                _(
                    "%(register)s of the whole company: %(new)s new, %(ended)s ended, %(changed)s changed, %(late)s"
                    " recorded late."
                )
                % ({"register": _(REGISTERS[number].title)} | kinds)
            )
    return sentences


def _cells(name: str, sums: queries.Sums) -> list[str]:
    """A row of a table, as text."""
    return [
        name,
        f"{written_number(sums.done_before)} / {written_number(sums.required_before)}" if sums.required_before else "–",
        f"{written_number(sums.done)} / {written_number(sums.required)}" if sums.required else "–",
        _percent(sums.percent),
        written_number(sums.overdue),
        written_number(sums.done_between),
    ]


def _percent(value: int | None) -> str:
    return "–" if value is None else f"{value} %"
