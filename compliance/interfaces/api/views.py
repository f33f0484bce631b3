"""The endpoints of /v1: read-only DRF viewsets, one a register (contract, Endpoints).

A view parses, asks `registers` and presents; the body of a page is bytes from the database on, so it passes no
serializer and no renderer.
"""

from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Any, ClassVar

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from rest_framework.request import Request
from rest_framework.viewsets import ViewSet

from compliance.interfaces.api import authentication, clock, cursors, exchange, parameters
from compliance.interfaces.api.cursors import Cursor
from compliance.interfaces.api.parameters import Moment, Window
from compliance.interfaces.api.problems import Code, Fault, Problem, invalid
from compliance.interfaces.api.schema import ApiSchema
from compliance.registers import callers, certificates, courses, pages, people, policies, totals, training
from compliance.registers.callers import Caller
from compliance.registers.pages import Listing
from compliance.registers.questions import Position, Question
from compliance.rules.vocabulary import LOGIC, Scope
from compliance.tenancy import reading

CONTENT_TYPE = "application/json"


class CompanyViewSet(ViewSet):
    """A call for one company: token, network, limits and scope, in this order."""

    authentication_classes = [authentication.KeyAuthentication]
    permission_classes = [authentication.HoldsScope]
    schema = ApiSchema()
    required_scope: ClassVar[Scope | None] = None

    def dispatch(self, request: HttpRequest, *arguments: Any, **names: Any) -> HttpResponse:
        """DRF's, without negotiation and rendering: there is one representation, and the gate makes all problems."""
        self.request = self.initialize_request(request)
        self.initial(self.request)
        response: HttpResponse = getattr(self, str(request.method).lower())(self.request)
        return response

    def initial(self, request: Request, *arguments: Any, **names: Any) -> None:
        """The checks; what the caller would accept is not looked at, for there is one representation."""
        known = exchange.of(request._request)
        caller = authentication.caller_of(request)
        authentication.check_network(caller, known)
        known.caller = caller
        known.count_for_key(caller)
        self.check_permissions(request)

    def check_available(self, caller: Caller) -> None:
        """Raises `unavailable` while the company's history is closed."""
        if not caller.available:
            raise Problem(Code.UNAVAILABLE)


def read(caller: Caller) -> AbstractContextManager[None]:
    """Reads of the caller's company, none longer than the configured time."""
    return reading.company(caller.company.organization_id, timeout_milliseconds=settings.READ_TIMEOUT_MILLISECONDS)


def check_writer(oldest: datetime | None, now: datetime) -> None:
    """Raises `writer_unavailable` when facts have waited too long for the writer."""
    if oldest is not None and now - oldest > timedelta(seconds=settings.WRITER_LAG_SECONDS):
        raise Problem(Code.WRITER_UNAVAILABLE)


def query_of(request: Request) -> bytes:
    """The raw query string."""
    query: str = request.META.get("QUERY_STRING", "")
    return query.encode("latin-1", "replace")


def instant(moment: datetime) -> str:
    """An instant as rows and snapshots write it."""
    return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def snapshot_of(question: Question, available: bool) -> dict[str, object]:
    """The snapshot object of an answer (contract, Snapshot object; design 8)."""
    company, pin = question.company, question.pin
    return {
        "organization_id": str(company.organization_id),
        "deployment_id": str(company.deployment_id),
        "as_at": instant(question.moment),
        "from": None if question.start is None else instant(question.start),
        "known_at": instant(pin.captured_at),
        "sequence": pin.sequence,
        "capture_sequence": pin.capture_sequence,
        "chain_hash": pin.chain_hash,
        "logic": {"version": pin.logic_version, "date": LOGIC.date.isoformat()},
        "history_complete_from": instant(company.history_complete_from),
        "available": available,
    }


class SnapshotViewSet(CompanyViewSet):
    """`/v1/snapshot`: the company's latest snapshot, for a key with any scope."""

    def retrieve(self, request: Request) -> HttpResponse:
        """The snapshot; also while the history is not available, which it says."""
        parameters.parse(query_of(request), ())
        caller = authentication.caller_of(request)
        now = clock.now()
        if caller.available:
            with read(caller):
                oldest = callers.oldest_pending(caller.company.organization_id)
            check_writer(oldest, now)
        content = {"snapshot": snapshot_of(Question(caller.company, caller.pin, now), caller.available)}
        return HttpResponse(orjson.dumps(content), content_type=CONTENT_TYPE)


class RegisterViewSet(CompanyViewSet):
    """A register: pinned pages of one listing."""

    listing: ClassVar[Listing]
    end_name: ClassVar[str | None] = "as_at"
    start_name: ClassVar[str | None] = None
    by_course: ClassVar[bool] = False

    def list(self, request: Request) -> HttpResponse:
        """One page."""
        return self.answer(request, self.listing, self.end_name, self.start_name)

    def answer(self, request: Request, listing: Listing, end_name: str | None, start_name: str | None) -> HttpResponse:
        """One page of `listing`, whose moment and start the parameters of these names say."""
        caller = authentication.caller_of(request)
        with read(caller):
            return self._answer(request, caller, listing, end_name, start_name)

    def _answer(
        self, request: Request, caller: Caller, listing: Listing, end_name: str | None, start_name: str | None
    ) -> HttpResponse:
        company = caller.company
        endpoint = request.path
        now = clock.now()
        names = {name for name in (end_name, start_name, "course" if self.by_course else None) if name is not None}
        values = parameters.parse(query_of(request), names | {"cursor", "limit"})
        limit = parameters.limit(values)
        course = parameters.course(values)
        end = None if end_name is None else parameters.moment(values, end_name, company.time_zone, start=False)
        start = None if start_name is None else parameters.moment(values, start_name, company.time_zone, start=True)
        if "cursor" in values:
            cursor = cursors.unseal(
                values["cursor"],
                endpoint=endpoint,
                organization_id=company.organization_id,
                secrets=tuple(settings.CURSOR_KEYS),
            )
            same = (
                (end is None or end.instant == cursor.moment)
                and (start is None or start.instant == cursor.start)
                and (course is None or course == cursor.course)
                and cursor.pin.sequence <= caller.pin.sequence
            )
            if not same:
                raise Problem(
                    Code.INVALID_CURSOR,
                    "A filter differs from the one that the cursor keeps. Leave it out, or start without a cursor.",
                )
        else:
            window = self._window(end, start, end_name, start_name, now)
            if (window.start or window.moment) < company.history_complete_from:
                raise Problem(
                    Code.BEFORE_HISTORY,
                    f"The company's history is complete from {instant(company.history_complete_from)} on.",
                )
            cursor = Cursor(caller.pin, window.moment, window.start, course, Position(), -1, 0)
        self.check_available(caller)
        question = Question(
            company, cursor.pin, cursor.moment, cursor.start, cursor.course, Scope.PEOPLE_READ in caller.scopes
        )
        if cursor.total < 0:
            check_writer(callers.oldest_pending(company.organization_id), now)
            cursor = cursor._replace(total=totals.total(listing, question))
        page = pages.page(listing, question, cursor.position, limit, cursor.total - cursor.served)
        following = None
        if page.position is not None:
            following = cursors.seal(
                cursor._replace(position=page.position, served=cursor.served + page.held),
                endpoint=endpoint,
                organization_id=company.organization_id,
                secrets=tuple(settings.CURSOR_KEYS),
            )
        tail = orjson.dumps(
            {"total": cursor.total, "snapshot": snapshot_of(question, caller.available), "next_cursor": following}
        )
        return HttpResponse((b'{"data":[', page.content, b"],", tail[1:]), content_type=CONTENT_TYPE)

    def _window(
        self, end: Moment | None, start: Moment | None, end_name: str | None, start_name: str | None, now: datetime
    ) -> Window:
        """The moments of a first page. Raises `invalid_request`."""
        if end_name == "to":
            missing = [name for name, moment in (("from", start), ("to", end)) if moment is None]
            if missing:
                raise invalid(*(Fault(name, f"{name} is required on the first page.") for name in missing))
        if end is None:
            end = Moment(now, None)
        if start is not None:
            parameters.check_window(start, end, end_name or "as_at")
        return Window(end.instant, None if start is None else start.instant)


class TrainingRecordViewSet(RegisterViewSet):
    """`/v1/training-records` and `/v1/training-records/period`."""

    required_scope = Scope.TRAINING_READ
    listing = training.RECORDS
    by_course = True

    def period(self, request: Request) -> HttpResponse:
        """One page of the records owed at any time between `from` and `to`."""
        return self.answer(request, training.PERIOD, "to", "from")


class PersonViewSet(RegisterViewSet):
    """`/v1/people`."""

    required_scope = Scope.PEOPLE_READ
    listing = people.PEOPLE
    end_name = "to"
    start_name = "from"


class CertificateViewSet(RegisterViewSet):
    """`/v1/certificates`."""

    required_scope = Scope.CERTIFICATES_READ
    listing = certificates.CERTIFICATES


class CourseViewSet(RegisterViewSet):
    """`/v1/courses`: as now."""

    required_scope = Scope.TRAINING_READ
    listing = courses.COURSES
    end_name = None


class PolicyViewSet(RegisterViewSet):
    """`/v1/policies`."""

    required_scope = Scope.ACKNOWLEDGEMENTS_READ
    listing = policies.POLICIES


class PolicyRecordViewSet(RegisterViewSet):
    """`/v1/policy-records`."""

    required_scope = Scope.ACKNOWLEDGEMENTS_READ
    listing = policies.POLICY_RECORDS


class AcknowledgementViewSet(RegisterViewSet):
    """`/v1/acknowledgements`."""

    required_scope = Scope.ACKNOWLEDGEMENTS_READ
    listing = policies.ACKNOWLEDGEMENTS
    start_name = "from"
