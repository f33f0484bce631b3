"""The doorway: every page of the console is entered through here, and only through here (issue 8, part 4).

Signed in, a member of staff, allowed this page, allowed this company: in that order, each refusal logged like each
visit. A company that one may not see answers like one that does not exist.
"""

import uuid
from collections.abc import Callable
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.template.loader import render_to_string
from django.utils import timezone

from compliance.errors import ComplianceError
from compliance.interfaces.console import access_log
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.page import Page
from compliance.interfaces.console.visit import Visit
from compliance.interfaces.console.who_may import Staff, staff_of
from compliance.tenancy import context, queries
from compliance.tenancy.errors import NoSuchCompanyError


def entrance(page: Page, pages: tuple[Page, ...]) -> Callable[..., HttpResponseBase]:
    """The Django view of `page`."""

    def enter(request: HttpRequest, organization_id: uuid.UUID | None = None, **values: Any) -> HttpResponseBase:
        if request.method not in ("HEAD", *page.methods):
            return HttpResponseNotAllowed(page.methods)
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        now = timezone.now()
        staff = staff_of(request.user, now)
        visit = None
        response: HttpResponseBase
        if staff is None:
            response = _refusal(request, 403, "This account has no access", _NO_STAFF)
        elif not staff.may(page.permission):
            response = _refusal(request, 403, "Not with this account", _NO_PERMISSION)
        else:
            visit = Visit(request=request, page=page, staff=staff, now=now, pages=pages)
            response = _answer(visit, organization_id, values)
        if visit is not None and visit.logged:
            return response
        access_log.record(
            request,
            staff=staff,
            username=request.user.get_username(),
            page=page.name,
            at=now,
            status=response.status_code,
            organization_id=organization_id,
            subject=" ".join(f"{name}={value}" for name, value in values.items()),
            act=visit.act if visit else "",
            reason=visit.reason if visit else "",
        )
        return response

    return enter


def _answer(visit: Visit, organization_id: uuid.UUID | None, values: dict[str, Any]) -> HttpResponseBase:
    page = visit.page
    given = dict(page.arguments) | values
    try:
        if not page.company or organization_id is None:
            return page.view(visit, **given)
        _enter_company(visit, visit.staff, organization_id)
        with context.company(organization_id):
            return page.view(visit, **given)
    except (NothingThereError, NoSuchCompanyError) as error:
        return _refusal(visit.request, 404, "Nothing there", str(error))
    except ComplianceError as error:
        return visit.render("console/refused.html", {"title": "That did not work", "words": str(error)}, status=422)


def _enter_company(visit: Visit, staff: Staff, organization_id: uuid.UUID) -> None:
    if not staff.may_enter(organization_id):
        raise NoSuchCompanyError(f"There is no organization {organization_id}.")
    visit.company = queries.organization(organization_id)


def _refusal(request: HttpRequest, status: int, title: str, words: str) -> HttpResponse:
    html = render_to_string("console/outside.html", {"title": title, "words": words}, request)
    return HttpResponse(html, status=status)


_NO_STAFF = "It belongs to no group of the console, or its time has ended. Ask whoever keeps the staff accounts."
_NO_PERMISSION = "None of your groups may open this page. Ask whoever keeps the staff accounts."
