"""Sessions of the console: rows that end thirty minutes after the last page, twelve hours after sign-in, or manually.

Django's session cookie only names the row. Every request reads the row, so a session that was ended anywhere is over
with its next request.
"""

import time
import uuid
from datetime import datetime, timedelta

from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponseBase

from compliance.interfaces.console.sign_in.address import client_address
from compliance.interfaces.console.sign_in.models import StaffSession

KEY = "console_session"
REFRESHED = "refreshed"
"""The parameter that marks a request made by the page itself, which does not count as activity of a person."""
ASK_AGAIN_SECONDS = 2
# The time of the last page is stored at most once a minute, so that not every page costs a write.
NOTED_EVERY = timedelta(seconds=60)
FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def begin(request: HttpRequest, user: User, now: datetime, *, second_factor: bool = False) -> StaffSession:
    """Begins the session of `user`, who has just signed in."""
    row = StaffSession.objects.create(
        user=user,
        began_at=now,
        seen_at=now,
        second_factor_at=now if second_factor else None,
        network=client_address(request),
        device=describe_device(request),
    )
    request.session[KEY] = str(row.session_id)
    record_authentication(request, user, "sign-in", reauthenticated=True)
    return row


def of(request: HttpRequest) -> StaffSession | None:
    """The row of this request's session, with `enrolled`: whether the account has a second factor now."""
    factors = Authenticator.objects.filter(user_id=OuterRef("user_id"), type__in=FACTORS)
    return (
        StaffSession.objects.filter(pk=own_id(request), user_id=request.user.pk or 0)
        .annotate(enrolled=Exists(factors))
        .first()
    )


def own_id(request: HttpRequest) -> uuid.UUID:
    """The identifier of this request's session; for a request without one, an identifier that no session has."""
    try:
        return uuid.UUID(str(request.session.get(KEY, "")))
    except ValueError:
        return uuid.UUID(int=0)


def has_ended(row: StaffSession, now: datetime) -> bool:
    """Whether one of its two time limits has passed."""
    return now - row.began_at >= timedelta(seconds=settings.CONSOLE_SESSION_SECONDS) or now - row.seen_at >= timedelta(
        seconds=settings.CONSOLE_SESSION_IDLE_SECONDS
    )


def note(row: StaffSession, now: datetime) -> None:
    """Restarts the idle time limit."""
    if now - row.seen_at >= NOTED_EVERY:
        StaffSession.objects.filter(pk=row.pk).update(seen_at=now)


def refresh(request: HttpRequest, response: HttpResponseBase) -> None:
    """Makes the page reload itself, without counting as a visit."""
    query = request.GET.copy()
    query[REFRESHED] = "1"
    response.headers["Refresh"] = f"{ASK_AGAIN_SECONDS};url={request.path}?{query.urlencode()}"


def refreshed_itself(request: HttpRequest) -> bool:
    """Whether the page itself made the request, not a person."""
    return request.method == "GET" and REFRESHED in request.GET


def is_recent(request: HttpRequest) -> bool:
    """Whether the person signed in or confirmed within CONSOLE_RECENT_SECONDS."""
    moments = [float(record["at"]) for record in get_authentication_records(request, request.user)]
    return bool(moments) and 0 <= time.time() - max(moments) < settings.CONSOLE_RECENT_SECONDS


def passed_second_factor(request: HttpRequest, user: User, now: datetime) -> None:
    """Marks this session as having passed the second factor, and ends the account's other sessions, which have not."""
    StaffSession.objects.filter(pk=own_id(request), user=user).update(second_factor_at=now, may_enrol_until=None)
    end_others(request, user)


def allow_enrolment(request: HttpRequest, now: datetime) -> datetime:
    """Lets this session enrol the account's first second factor, for as long as it may be idle."""
    until = now + timedelta(seconds=settings.CONSOLE_SESSION_IDLE_SECONDS)
    StaffSession.objects.filter(pk=own_id(request)).update(may_enrol_until=until)
    return until


def end(user: User, session_id: uuid.UUID) -> int:
    """Ends one session of `user`. Returns how many were ended."""
    return StaffSession.objects.filter(user=user, session_id=session_id).delete()[0]


def end_all(user: User) -> int:
    """Ends every session of `user`. Returns how many were ended."""
    return StaffSession.objects.filter(user=user).delete()[0]


def end_all_accounts() -> int:
    """Ends every session of every account. Returns how many were ended."""
    return StaffSession.objects.all().delete()[0]


def end_others(request: HttpRequest, user: User) -> int:
    """Ends every session of `user` but this one. Returns how many were ended."""
    return StaffSession.objects.filter(user=user).exclude(pk=own_id(request)).delete()[0]


def end_own(request: HttpRequest) -> None:
    """Ends the session of this request."""
    StaffSession.objects.filter(pk=own_id(request)).delete()


def open_sessions(user: User, now: datetime) -> list[StaffSession]:
    """The sessions of `user` that have not ended, the newest first."""
    return [row for row in StaffSession.objects.filter(user=user).order_by("-seen_at") if not has_ended(row, now)]


def describe_device(request: HttpRequest) -> str:
    """The browser and the system that a request names, in a few words."""
    agent = request.headers.get("User-Agent", "")
    browser = next((name for mark, name in _BROWSERS if mark in agent), "")
    system = next((name for mark, name in _SYSTEMS if mark in agent), "")
    return " on ".join(part for part in (browser, system) if part) or agent[:60] or "unknown"


# The order matters: the user agent of each also names those below it.
_BROWSERS = (("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrom", "Chrome"), ("Safari/", "Safari"))
_SYSTEMS = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS", "macOS"),
    ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip
