"""A visit: one request of a member of staff to one page, with what `page_view` found out about it."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext

from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.awaiting import Taken
from compliance.interfaces.console.page import ConsolePage, Section, Words
from compliance.interfaces.console.permissions import Staff
from compliance.tenancy.models import Organization

INBOX = "inbox"
"""The page whose entry in the navigation has the number of jobs that wait there."""


@dataclass
class Visit:
    """The argument of a page's view. `company` is set exactly on pages of a company, whose context is then open."""

    request: HttpRequest
    page: ConsolePage
    staff: Staff
    now: datetime
    pages: tuple[ConsolePage, ...]
    company: Organization | None = None
    # What an act adds to the access log, and whether it wrote its line itself, in its own transaction.
    act: str = ""
    reason: str = ""
    logged: bool = False
    # Whose records the page shows, and whether everybody's may be among them.
    learners: set[uuid.UUID] = field(default_factory=set)
    everybody: bool = False
    crumbs: list[tuple[str, str]] = field(default_factory=list)
    taken: Taken = Taken.UP  # whether the history has captured the act that led to this page

    @property
    def organization(self) -> Organization:
        """The company of this page. Raises LookupError on a page without one."""
        if self.company is None:
            raise LookupError("This page belongs to no company.")
        return self.company

    @property
    def zone(self) -> ZoneInfo:
        """The time zone that moments are displayed in: the company's, else UTC."""
        return ZoneInfo(self.company.time_zone if self.company else "UTC")

    def saw(self, identifiers: Iterable[Any]) -> None:
        """Adds whose records are displayed to the line of the access log. Ignores empty values."""
        self.learners.update(uuid.UUID(str(each)) for each in identifiers if each)

    def address(self, name: str, **values: Any) -> str:
        """The address of a page of the console, in the same company if the page belongs to one."""
        if self.company is not None and next(page.company for page in self.pages if page.name == name):
            values = {"organization_id": self.company.organization_id} | values
        return reverse(f"console:{name}", kwargs=values)

    def link(self, name: str, query: Mapping[str, Any], **values: Any) -> str:
        """The address of a page with a query, without its empty values."""
        given = urlencode({key: value for key, value in query.items() if value})
        return self.address(name, **values) + (f"?{given}" if given else "")

    def crumb(self, words: Words, name: str, **values: Any) -> None:
        """Adds a step to the breadcrumbs above the title."""
        self.crumbs.append((str(words), self.address(name, **values)))

    def render(self, template: str, values: dict[str, Any] | None = None, status: int = 200) -> HttpResponse:
        """The page as HTML, rendered while the company's context is open."""
        context = {
            "visit": self,
            "staff": self.staff,
            "company": self.company,
            "now": self.now,
            "title": self.page.title,
        }
        html = render_to_string(template, context | {"navigation": self._navigation()} | (values or {}), self.request)
        return HttpResponse(html, status=status)

    def _navigation(self) -> list[dict[str, Any]]:
        if self.company is None:
            return []
        sections: dict[str, list[dict[str, Any]]] = {}
        for page in self.pages:
            if page.section is None or not page.company or not self.staff.may(page.permission):
                continue
            title, count = page.title, 0
            if page.name == INBOX:
                if not settings.FOUR_EYES:
                    continue
                others = jobs.prepared(self.company.organization_id, self.now).exclude(user_id=self.staff.user_id)
                count = others.count()
            address = self.address(page.name)
            entry = {"title": title, "address": address, "here": page.name == self.page.name, "count": count}
            sections.setdefault(page.section, []).append(entry)
        return [{"title": gettext(name), "entries": sections[name]} for name in Section if name in sections]
