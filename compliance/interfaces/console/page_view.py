"""The view of a page: every page in the registry (`pages.py`) is served through `entrance`, and only through it.

Sign-in (`sign_in/`) and the staff accounts below /console/staff/ (`staff_admin.py`) have checks of their own.

The checks, in this order: signed in, a member of staff, allowed this page, recently confirmed where the page needs
that, allowed this company. Refusals are logged like visits. A company that the person may not see answers like one
that does not exist.
"""

import uuid
from collections.abc import Callable
from typing import Any

import psycopg
from django.contrib.auth.views import redirect_to_login
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from compliance.errors import ComplianceError
from compliance.files.errors import FileGoneError, FilesError
from compliance.history import queries as history
from compliance.interfaces.console import access_log, awaiting
from compliance.interfaces.console.awaiting import Taken
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.page import ConsolePage
from compliance.interfaces.console.permissions import Staff, reason_for_nobody, staff_of
from compliance.interfaces.console.sign_in import kept_forms, sessions, step_up
from compliance.interfaces.console.visit import Visit
from compliance.interfaces.pages import request_id
from compliance.tenancy import context, queries
from compliance.tenancy.errors import NoSuchCompanyError


def entrance(page: ConsolePage, pages: tuple[ConsolePage, ...]) -> Callable[..., HttpResponseBase]:
    """The Django view of `page`."""

    def enter(request: HttpRequest, organization_id: uuid.UUID | None = None, **values: Any) -> HttpResponseBase:
        if request.method not in ("HEAD", *page.methods):
            return HttpResponseNotAllowed(page.methods)
        if not request.user.is_authenticated:
            return kept_forms.signed_out(request) or redirect_to_login(request.get_full_path())
        now = timezone.now()
        staff = staff_of(request.user, now)
        visit = None
        response: HttpResponseBase
        if staff is None:
            words = f"{reason_for_nobody(request.user, now)} {_ASK}"
            response = _refusal(request, 403, gettext("This account has no access"), words, sign_out=True)
        elif not staff.may(page.permission):
            response = _refusal(request, 403, gettext("Not with this account"), _NO_PERMISSION)
        elif page.recent and (asked := step_up.ask(request)) is not None:
            response = asked
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
            subject=values,
            learner_profile_ids=visit.learners if visit else (),
            everybody=visit.everybody if visit else False,
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
        visit.taken = awaiting.look(organization_id, visit.request, visit.now)
        with context.company(organization_id):
            named = [each for each in values.values() if isinstance(each, uuid.UUID)]
            visit.saw(history.learners_named(organization_id, named) if named else ())
            response = page.view(visit, **given)
        if visit.taken is Taken.COMING and response.status_code == 200 and "Refresh" not in response.headers:
            sessions.refresh(visit.request, response)
        return response
    except (NothingThereError, NoSuchCompanyError) as error:
        return _refused(visit, 404, gettext("Nothing there"), str(error))
    except OperationalError as error:
        if not isinstance(error.__cause__, psycopg.errors.QueryCanceled):
            raise
        return _refused(visit, 503, gettext("This took too long"), str(_TOO_LONG))
    except FileGoneError as error:
        return _refused(visit, 404, gettext("Nothing there"), str(error))
    except FilesError as error:
        return _refused(visit, 503, gettext("The file cannot be given"), str(error))
    except ComplianceError as error:
        return _refused(visit, 422, gettext("That did not work"), str(error))


def _refused(visit: Visit, status: int, title: str, words: str) -> HttpResponse:
    """A refusal, with the navigation of the visit's company if there is one, so that the person can go on from it."""
    if visit.company is None:
        return _refusal(visit.request, status, title, words)
    values = {"title": title, "words": words, "request_id": request_id.of(visit.request)}
    with context.company(visit.company.organization_id):
        return visit.render("console/refused.html", values, status=status)


def _enter_company(visit: Visit, staff: Staff, organization_id: uuid.UUID) -> None:
    if not staff.may_enter(organization_id):
        raise NoSuchCompanyError(
            gettext("There is no organization %(organization_id)s.") % {"organization_id": organization_id}
        )
    visit.company = queries.organization(organization_id)


def _refusal(request: HttpRequest, status: int, title: str, words: str, *, sign_out: bool = False) -> HttpResponse:
    values = {"title": title, "words": words, "sign_out": sign_out, "request_id": request_id.of(request)}
    html = render_to_string("console/outside.html", values, request)
    return HttpResponse(html, status=status)


_TOO_LONG = gettext_lazy(
    "The page was given up so that others are served. Ask for less at once, or try again in a moment."
)
_ASK = gettext_lazy("Ask whoever keeps the staff accounts.")
_NO_PERMISSION = gettext_lazy("None of your groups may open this page. %(ASK)s") % {"ASK": _ASK}
