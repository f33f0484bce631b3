"""Step-up authentication before actions that cannot be undone (OWASP ASVS 5.0, 7.5.3).

Pages and acts declare it (`ConsolePage.recent`, `Act.recent`). A person who signed in or confirmed within
CONSOLE_RECENT_SECONDS continues at once. A form sent later is answered with one question, whose page holds the form's
input; the server does not store it.
"""

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import record_authentication
from allauth.core.internal.httpkit import add_query_params
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext

from compliance.interfaces.console.sign_in import codes, lock_out, sessions
from compliance.interfaces.console.sign_in.forms import note_failure

FIELD = "step_up"


def ask(request: HttpRequest) -> HttpResponse | None:
    """None if the person signed in or confirmed recently, else the response that asks for a confirmation."""
    given = request.POST.get(FIELD)
    if given is not None:  # no page may repeat it, also where it was sent twice and is needed no more
        rest = request.POST.copy()
        del rest[FIELD]
        request.POST = rest  # type: ignore[assignment]
    if sessions.is_recent(request):
        return None
    user = request.user
    assert isinstance(user, User)
    methods = get_adapter().get_reauthentication_methods(user)
    if not methods:
        return render(request, "sign_in/again.html", status=403)
    app = Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).first()
    if request.method == "GET" or not (app or user.has_usable_password()):
        address = request.get_full_path() if request.method == "GET" else request.path
        return redirect(add_query_params(methods[0]["url"], {"next": address}))
    error = ""
    if given is not None:
        error = _check(request, user, app, given)
        if not error:
            return None
    kept = [(name, value) for name, values in request.POST.lists() if name != "csrfmiddlewaretoken" for value in values]
    values = {"kept": kept, "error": error, "by_code": app is not None, "files": bool(request.FILES)}
    return render(request, "sign_in/step_up.html", values, status=403)


def _check(request: HttpRequest, user: User, app: Authenticator | None, given: str) -> str:
    """Checks a code or a password. Returns the problem, empty if it is right."""
    counts = lock_out.in_session(str(sessions.own_id(request)))
    if not lock_out.count(counts, timezone.now()):
        return gettext("Too many wrong tries. Wait a quarter of an hour.")
    if app is not None:
        right, wrong = codes.use(app, given.replace(" ", "")), gettext("This code is not right, or was used already.")
    else:
        right, wrong = user.check_password(given), gettext("This is not your password.")
    if not right:
        note_failure(user, "wrong code" if app else "wrong password")
        return wrong
    lock_out.was_right(counts)
    record_authentication(request, user, "mfa" if app else "password", reauthenticated=True)
    return ""
