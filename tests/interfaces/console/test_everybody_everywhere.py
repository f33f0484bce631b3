"""Every address of the service, by every method, as everybody: only those listed here get in.

The table is written out, not derived from the code's declarations, so a page opened by mistake differs from it, and a
new address is missing in it. All requests are made as in production, with a second factor required.
"""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from http.cookies import SimpleCookie
from typing import Any, NamedTuple

import pytest
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import get_resolver
from django.utils import timezone

from compliance.interfaces.api.urls import urlpatterns as api_patterns
from compliance.interfaces.console.models import StaffAccess
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR
from compliance.interfaces.console.sign_in.models import StaffSession
from tests.interfaces.console.conftest import begin_session, make_staff
from tests.interfaces.console.sign_in.people import give_app
from tests.interfaces.console.test_every_address import patterns

pytestmark = pytest.mark.usefixtures("seen_by_all_roles")

ADMINISTRATOR = "Administrator"
ALL = {OPERATOR, COMPLIANCE_MANAGER, AUDITOR, ADMINISTRATOR}
READERS = {COMPLIANCE_MANAGER, AUDITOR, ADMINISTRATOR}
PEOPLE = {OPERATOR, COMPLIANCE_MANAGER, ADMINISTRATOR}
RECORDS = {COMPLIANCE_MANAGER, ADMINISTRATOR}
MACHINE = {OPERATOR, ADMINISTRATOR}


def _each(names: str, methods: str, who: set[str]) -> dict[str, tuple[str, set[str]]]:
    return dict.fromkeys(names.split(), (methods, who))


# Pages of the console: who gets in, and by which methods.
PAGES: dict[str, tuple[str, set[str]]] = {
    **_each(
        "today history courses course shares share person record record-proof record-proof-file receipt policy"
        " captures capture waiting keys"
        " readings reading reading-page reading-media reading-style dashboard matrix learning learners acts job"
        " policies policy-page inbox letters letter letter-html sources webhooks webhook",
        "get",
        ALL,
    ),
    **_each("start", "get", ALL),
    **_each(
        "training-records period people certificates course-versions policy-versions policy-records acknowledgements"
        " work",
        "get post",
        ALL,
    ),
    **_each("companies search", "get post", ALL),
    **_each("team", "get", ALL),
    **_each("teams", "get post", ALL),
    **_each("auditors", "get", RECORDS),
    **_each("act-add-person act-rejoin act-create-team act-rename-team act-move-people", "get post", PEOPLE),
    **_each("act-invite-auditor confirm-invite-auditor act-end-auditor", "get post", RECORDS),
    **_each("log log-person log-file evidence evidence-pack evidence-file exports exports-file", "get", READERS),
    **_each("evidence-build", "post", READERS),
    **_each("audit audit-proofs report-pdf", "get", READERS),
    **_each("export", "get post", READERS),
    **_each("pick", "post", ALL),
    **_each("reports report report-changes", "get", ALL),
    **_each("reports-make", "post", ALL),
    **_each("act-add-report act-stop-report", "get post", RECORDS),
    **_each(
        "stored-companies stored stored-captures stored-captures-row stored-rows stored-rows-row stored-receipts"
        " stored-receipts-row stored-waiting stored-waiting-row stored-jobs stored-jobs-row stored-verifications"
        " stored-verifications-row",
        "get",
        {AUDITOR, ADMINISTRATOR},
    ),
    **_each(
        "act-invite act-revoke-invitation act-revoke-links act-suspend act-resume act-end act-team act-roles"
        " act-share-course act-share-policy act-change-share act-end-share act-remind-many act-remind-course"
        " act-assign act-send-link act-send-invitation act-import-people confirm-import-people",
        "get post",
        PEOPLE,
    ),
    **_each(
        "act-record-absence act-void-absence"
        " act-erase act-copy-link act-waive act-reinstate act-set-deadline act-waive-many act-deadline-many"
        " act-publish-course act-more-attempts act-withdraw-course act-publish-policy act-revoke-certificate"
        " act-correct-certificate confirm-erase confirm-waive-many act-add-export"
        " act-run-export act-stop-export act-record-completion act-void-completion",
        "get post",
        RECORDS,
    ),
    **_each("personal-file", "get", RECORDS),
    **_each(
        "act-issue-key act-rotate-key act-revoke-key act-import act-sweep act-verify confirm-issue-key"
        " confirm-rotate-key confirm-import act-issue-source act-rotate-source act-revoke-source confirm-issue-source"
        " confirm-rotate-source act-add-webhook act-test-webhook act-pause-webhook act-resume-webhook"
        " act-replay-webhook act-rotate-webhook act-remove-webhook",
        "get post",
        MACHINE,
    ),
}

# Steps of signing in, open to people who are not signed in; and the pages of one's own account.
STEPS = {
    "account_login", "account_logout", "account_inactive", "sign_in_invitation", "sign_in_invitation_link",
    "mfa_authenticate", "openid_connect_login", "openid_connect_callback", "socialaccount_login_cancelled",
    "socialaccount_login_error", "mfa_list_webauthn", "console_language",  # the last two only redirect
}  # fmt: skip
OWN = {
    "account_reauthenticate", "account_change_password", "mfa_reauthenticate", "sign_in_sessions", "mfa_index",
    "sign_in_first_factor", "mfa_activate_totp", "mfa_deactivate_totp", "mfa_view_recovery_codes",
    "mfa_generate_recovery_codes", "mfa_download_recovery_codes", "mfa_add_webauthn", "mfa_reauthenticate_webauthn",
    "mfa_edit_webauthn", "mfa_remove_webauthn",
}  # fmt: skip
# What a session without a required second factor opens, before and after an invitation.
WAITING = {"account_logout", "sign_in_first_factor", "sign_in_invitation", "sign_in_invitation_link"}
INVITED = WAITING | {"mfa_activate_totp", "mfa_add_webauthn", "account_reauthenticate"}
# Everybody gets the same, with any session.
PUBLIC = {
    "docs", "docs-contract", "problems", "problem", "livez", "readyz", "check", "certificate-pdf", "sign",
    "security-txt", "log-checkpoint", "log-tile", "tools-verify", "tools-witness", "tools-send-facts",
}  # fmt: skip
# The learners' pages do not know staff sessions: everybody here is a stranger without a link.
LEARNERS = {
    "home", "done", "certificate", "certificate-print", "certificate-proof", "about-me", "about-me-file",
    "out", "devices", "language", "asked", "come_in",
    "course", "page", "finished", "lesson", "lesson-page", "lesson-finished", "media", "style",
    "worker", "keep-course", "keep-lesson", "offline",
    "policy", "receipt", "receipt-document", "receipt-copy", "receipt-proof",
}  # fmt: skip
API = {
    "v1/training-records", "v1/training-records/period", "v1/people", "v1/certificates", "v1/courses", "v1/policies",
    "v1/policy-records", "v1/acknowledgements", "v1/snapshot", "v1/openapi.json",
}  # fmt: skip
# Nobody can write or remove a line of the log in the staff admin, not even superusers.
UNALTERABLE = {"console_accesslog_add", "console_accesslog_delete"}


class Asked(NamedTuple):
    """One kind of request: an address of the URLconf with its method."""

    room: str  # "pages", "sign-in", "staff" or "public"
    name: str
    method: str
    address: str


def ways(organization_id: uuid.UUID, account: User) -> list[Asked]:
    """Every address of the service by GET and by POST."""

    class Known(dict[str, object]):
        def __missing__(self, name: str) -> object:
            return uuid.UUID(int=7) if name.endswith("_id") and name not in _NUMBERS else _NUMBERS.get(name, 7)

    known = Known(organization_id=organization_id, user_id=account.pk, id=account.pk, object_id=account.pk)
    found = []
    for text, pattern in patterns(get_resolver().url_patterns):
        address = "/" + text % known
        room = next((room for start, room in _ROOMS if address.startswith(start)), "public")
        found += [Asked(room, str(pattern.name), method, address) for method in ("get", "post")]
    return found


_ROOMS = (
    ("/console/sign-in/", "sign-in"), ("/console/staff/records/", "pages"), ("/console/staff/", "staff"),
    ("/console/", "pages"),
)  # fmt: skip
_NUMBERS = {"content_type_id": 1, "provider_id": "company", "app_label": "auth", "what": "training-records"} | {
    "written_as": "csv", "register": "training-records", "media_id": "one",
}  # fmt: skip


@contextmanager
def undone() -> Iterator[None]:
    """Rolls back what happens inside."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@cache
def _client(**checks: Any) -> Client:
    """One client for all requests: a new one builds all middleware again, which takes longer than a response."""
    return Client(**checks)


def ask(way: Asked, session: str | None, **checks: Any) -> tuple[HttpResponse, str]:
    """The response to one request with this session's cookie, and its meaning."""
    client = _client(**checks)
    client.cookies = SimpleCookie()
    if session:
        client.cookies[settings.SESSION_COOKIE_NAME] = session
    with undone():
        answer = getattr(client, way.method)(way.address)
        body = b"" if answer.streaming else answer.content
    to = answer.headers.get("Location", "")
    meaning = "in"
    if to.startswith("/console/sign-in/second-factor/first/"):
        meaning = "enrol first"
    elif to == "/console/sign-in/" or to.startswith("/console/sign-in/?next="):
        meaning = "sign in"
    elif answer.status_code in (403, 405):
        meaning = {403: "refused", 405: "no such method"}[answer.status_code]
    elif answer.status_code == 404 and b"There is no organization" in body:
        meaning = "no such company"
    assert answer.status_code < 500 or way.name == "readyz", way  # which reports the state of its servers
    # OWASP ASVS 5.0, 3.4.3 and 3.4.4: for every response.
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"], way
    assert answer.headers["X-Content-Type-Options"] == "nosniff", way
    return answer, meaning


class Somebody(NamedTuple):
    """A visitor: the cookie of their session, and the responses they should get from pages of the console."""

    session: str | None
    group: str | None = None  # whose pages they get
    stopped: str = ""  # the response they get everywhere below /console/
    refused: bool = False  # signed in, but with no access
    elsewhere: bool = False  # bound to another company
    enrols: frozenset[str] = frozenset()  # what is open to them before the second factor


def _session(user: User, *, second_factor: bool = True, began: timedelta = timedelta(0)) -> str:
    client = Client()
    begin_session(client, user, timezone.now() - began, second_factor=second_factor)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def _whole(name: str, group: str | None, **access: object) -> str:
    user = make_staff(name, group, **access)  # type: ignore[arg-type]
    give_app(user)
    return _session(user)


def _nobody() -> Somebody:
    return Somebody(None)


def _group(group: str) -> Callable[[], Somebody]:
    return lambda: Somebody(_whole("somebody", group), group)


def _bound(group: str) -> Callable[[], Somebody]:
    return lambda: Somebody(_whole("bound", group, companies=[uuid.UUID(int=3)]), group, elsewhere=True)


def _expired(group: str) -> Callable[[], Somebody]:
    def make() -> Somebody:
        session = _whole("late", group)
        late = {"valid_until": timezone.now() - timedelta(seconds=1), "every_company": True}
        StaffAccess.objects.update_or_create(user=User.objects.get(username="late"), defaults=late)
        return Somebody(session, refused=True)

    return make


def _without_end() -> Somebody:
    session = _whole("endless", AUDITOR)
    StaffAccess.objects.update(valid_until=None)
    return Somebody(session, refused=True)


def _without_group() -> Somebody:
    return Somebody(_whole("idle", None), refused=True)


def _auditor_with_more() -> Somebody:
    session = _whole("both", AUDITOR)
    User.objects.get(username="both").groups.add(*Group.objects.all())
    return Somebody(session, AUDITOR)


def _closed() -> Somebody:
    session = _whole("gone", ADMINISTRATOR)
    User.objects.update(is_active=False)
    return Somebody(session)


def _without_second_factor(group: str) -> Callable[[], Somebody]:
    return lambda: Somebody(_session(make_staff("bare", group), second_factor=False), enrols=frozenset(WAITING))


def _invited(group: str) -> Callable[[], Somebody]:
    def make() -> Somebody:
        session = _session(make_staff("new", group), second_factor=False)
        StaffSession.objects.update(may_enrol_until=timezone.now() + timedelta(minutes=5))
        return Somebody(session, enrols=frozenset(INVITED))

    return make


def _half_open(group: str) -> Callable[[], Somebody]:
    def make() -> Somebody:
        user = make_staff("half", group)
        give_app(user)
        return Somebody(_session(user, second_factor=False), stopped="sign in")

    return make


def _ended(began: timedelta) -> Callable[[], Somebody]:
    def make() -> Somebody:
        user = make_staff("old", ADMINISTRATOR)
        give_app(user)
        session = _session(user, began=began)
        if began > timedelta(hours=1):
            StaffSession.objects.update(seen_at=timezone.now())
        return Somebody(session, stopped="sign in")

    return make


def _ended_by_hand() -> Somebody:
    session = _whole("ended", ADMINISTRATOR)
    StaffSession.objects.all().delete()
    return Somebody(session, stopped="sign in")


EVERYBODY: dict[str, Callable[[], Somebody]] = {
    "nobody": _nobody,
    **{group: _group(group) for group in sorted(ALL)},
    **{f"{group} bound to another company": _bound(group) for group in sorted(ALL - {ADMINISTRATOR})},
    **{f"expired {group}": _expired(group) for group in sorted(ALL)},
    "auditor without an end": _without_end,
    "auditor in every group": _auditor_with_more,
    "account without a group": _without_group,
    "closed account": _closed,
    **{f"{group} without the second factor": _without_second_factor(group) for group in sorted(ALL)},
    **{f"{group}, invited, without the second factor": _invited(group) for group in sorted(ALL)},
    **{f"half-open session of {group}": _half_open(group) for group in sorted(ALL)},
    "session idle for half an hour": _ended(timedelta(minutes=30)),
    "session of twelve hours": _ended(timedelta(hours=12)),
    "session ended by hand": _ended_by_hand,
}


# Visitors who are stopped before any page, or have no access at all, get the same in every group: of each kind, an
# administrator requests every address, and each other group every fourth.
SAMPLED = {
    name
    for name in EVERYBODY
    if name.startswith(("expired ", "half-open ")) or name.endswith("without the second factor")
    if ADMINISTRATOR not in name
}


def asked_by(kind: str, found: list[Asked]) -> list[Asked]:
    """The requests that this visitor makes."""
    return found[sorted(SAMPLED).index(kind) % 4 :: 4] if kind in SAMPLED else found


def expected(way: Asked, who: Somebody) -> set[str]:
    """The responses that the table lists for this visitor."""
    if who.stopped:
        return {who.stopped}
    if who.enrols:
        # A form that waits for the first factor may itself link to the enrolment.
        return {"in", "sign in", "enrol first", "no such method"} if way.name in who.enrols else {"enrol first"}
    signed_in = who.group is not None or who.refused
    if way.room == "sign-in":
        return {"in", "sign in", "no such method"} if signed_in or way.name in STEPS else {"sign in", "no such method"}
    if way.room == "staff":
        return {"in", "refused", "no such method"} if who.group == ADMINISTRATOR else {"turned away"}
    methods, groups = PAGES[way.name]
    if way.method not in methods.split():
        return {"no such method"}
    if not signed_in:
        return {"sign in"}
    if who.group not in groups:
        return {"refused"}
    return (
        {"no such company"} if who.elsewhere and way.name not in ("start", "companies", "stored-companies") else {"in"}
    )


def _turned_away(answer: HttpResponse) -> bool:
    """Whether the staff admin redirects: to the start page, or via its own sign-in address."""
    to = answer.headers.get("Location", "").partition("?")[0]
    return to in (
        "/console/",
        "/console/staff/",
        "/console/staff/login/",
        "/console/staff/records/",
        "/console/sign-in/",
    )


@pytest.fixture(autouse=True)
def as_in_production(settings):
    settings.CONSOLE_SECOND_FACTOR_REQUIRED = True


@pytest.fixture
def account(seen_by_all_roles) -> User:
    """An account for the pages of the staff admin."""
    return make_staff("target", OPERATOR)


def test_every_address_stands_in_the_table(empty_company, account):
    named: dict[str, set[str]] = {"pages": set(), "sign-in": set(), "staff": set(), "public": set()}
    for way in ways(empty_company.organization_id, account):
        named[way.room].add(way.name)
    assert named["pages"] == set(PAGES)
    assert named["sign-in"] == STEPS | OWN
    assert named["public"] == PUBLIC | LEARNERS
    assert named["staff"] >= UNALTERABLE
    assert {text for text, _ in patterns(api_patterns)} == API


@pytest.mark.parametrize("kind", EVERYBODY)
def test_everybody_gets_what_the_table_says_and_no_more(kind, empty_company, account):
    who = EVERYBODY[kind]()
    wrong = []
    for way in asked_by(kind, ways(empty_company.organization_id, account)):
        if way.room == "public":
            continue
        answer, meaning = ask(way, who.session)
        if way.room == "staff" and who.group != ADMINISTRATOR and not who.stopped and _turned_away(answer):
            meaning = "turned away"
        if meaning not in expected(way, who):
            wrong.append((way.method, way.address, answer.status_code, meaning, expected(way, who)))
        if way.room == "pages" and meaning == "in":
            assert answer.status_code in (200, 302, 404, 422), way
        if who.group is None or who.elsewhere:
            assert empty_company.name.encode() not in b"".join(answer), way
    assert wrong == []


@pytest.mark.parametrize(
    "kind", ["nobody", *sorted(ALL), f"half-open session of {OPERATOR}", f"{AUDITOR} without the second factor"]
)
def test_no_session_opens_the_api_and_none_changes_a_public_page(kind, empty_company, account):
    session = EVERYBODY[kind]().session
    for text in API:
        for method, status in (("get", 401), ("post", 405)):
            answer, _ = ask(Asked("api", text, method, f"/{text}"), session)
            assert answer.status_code == status, (text, method)
    for way in ways(empty_company.organization_id, account):
        if way.room == "public":
            answer, _ = ask(way, session)
            assert answer.status_code == ask(way, None)[0].status_code, way


def test_nobody_writes_the_access_log_by_the_staff_accounts(empty_company, account):
    session = EVERYBODY[ADMINISTRATOR]().session
    for way in ways(empty_company.organization_id, account):
        if way.name in UNALTERABLE:
            assert ask(way, session)[0].status_code in (302, 403), way


@pytest.mark.parametrize("kind", sorted(ALL))
def test_no_form_is_taken_without_the_token_of_its_page(kind, empty_company, account):
    """CSRF: a stranger's page makes a browser send a form of ours with its cookie; public pages use no cookie."""
    session = EVERYBODY[kind]().session
    taken = [
        way.address
        for way in ways(empty_company.organization_id, account)
        if way.method == "post"
        and way.room != "public"
        and ask(way, session, enforce_csrf_checks=True)[0].status_code not in (403, 405)
    ]
    assert taken == []
