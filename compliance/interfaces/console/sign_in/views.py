"""The pages of one's own account: allauth's views, extended by letters, the ending of sessions, and invitations."""

import uuid
from typing import Any

from allauth.account.internal.flows.login import record_authentication
from allauth.account.views import LoginView, PasswordChangeView
from allauth.mfa.adapter import get_adapter as get_adapter_of_second_factors
from allauth.mfa.base.views import AuthenticateView, IndexView
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.views import GenerateRecoveryCodesView
from allauth.mfa.totp.views import ActivateTOTPView, DeactivateTOTPView
from allauth.mfa.webauthn.views import AddWebAuthnView, EditWebAuthnView, RemoveWebAuthnView
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from compliance.interfaces.console import access_log
from compliance.interfaces.console.sign_in import codes, devices, invitations, letters, lock_out, sessions
from compliance.interfaces.console.sign_in.forms import InvitationCodeForm, InvitationForm, PasskeyForm
from compliance.interfaces.console.sign_in.invitations import InvitationError
from compliance.interfaces.console.sign_in.second_factor import factors, is_enrolled


class _Notifies:
    """Mixin of views that change how the account signs in: ends every other session, and sends the owner a letter."""

    kind = ""
    request: HttpRequest

    def form_valid(self, form: Any) -> HttpResponse:
        """Makes the change."""
        now = timezone.now()
        with transaction.atomic():
            response: HttpResponse = super().form_valid(form)  # type: ignore[misc]
            self.changed(form)
            sessions.end_others(self.request, self.request.user)  # type: ignore[arg-type]
            letters.tell(self.request, self.request.user, self.kind, now)  # type: ignore[arg-type]
        return response

    def changed(self, form: Any) -> None:
        """Hook for what else belongs to the change."""


class _Enrols(_Notifies):
    """Mixin of views that add a second factor, which this session has then passed."""

    def changed(self, form: Any) -> None:
        """Marks this session as having passed the second factor."""
        user = self.request.user
        assert isinstance(user, User)
        sessions.passed_second_factor(self.request, user, timezone.now())
        record_authentication(self.request, user, "mfa", reauthenticated=True)


class SignIn(LoginView):
    """Sign-in by name and password, or by the company's provider if there is one."""

    def get_context_data(self, **values: Any) -> dict[str, Any]:
        """Adds the name of the company's provider."""
        return super().get_context_data(**values) | {
            "company_sign_in": settings.OIDC_NAME if settings.OIDC_ISSUER else ""
        }


class SecondFactor(AuthenticateView):
    """The second factor that completes a sign-in."""

    def get_webauthn_form_class(self) -> type[PasskeyForm]:
        """Our form, which counts tries."""
        return PasskeyForm

    def get_context_data(self, **values: Any) -> dict[str, Any]:
        """Adds which factors the account has."""
        types = set(Authenticator.objects.filter(user=self.stage.login.user).values_list("type", flat=True))
        return super().get_context_data(**values) | {"has_passkey": "webauthn" in types, "has_app": "totp" in types}


class EnrolApp(_Enrols, ActivateTOTPView):
    """Adds an authenticator app."""

    kind = "factor added"

    def changed(self, form: Any) -> None:
        """Spends the code that proved that the app works, so that it cannot be used to sign in too."""
        super().changed(form)
        app = Authenticator.objects.get(user=self.request.user, type=Authenticator.Type.TOTP)
        codes.spend(app, form.counter)


class RemoveApp(_Notifies, DeactivateTOTPView):
    """Removes the authenticator app."""

    kind = "factor removed"


class AddPasskey(_Enrols, AddWebAuthnView):
    """Adds a passkey."""

    kind = "passkey added"


class RenamePasskey(EditWebAuthnView):
    """Gives a passkey another name."""


class RemovePasskey(_Notifies, RemoveWebAuthnView):
    """Removes a passkey."""

    kind = "passkey removed"

    def form_valid(self, form: Any) -> HttpResponse:
        """Removes it, unless it is a required last factor."""
        adapter = get_adapter_of_second_factors()
        if not adapter.can_delete_authenticator(self.get_object()):
            form.add_error(None, adapter.error_messages["cannot_delete_authenticator"])
            return self.form_invalid(form)
        return super().form_valid(form)


class MakeRecoveryCodes(_Notifies, GenerateRecoveryCodesView):
    """Makes new recovery codes."""

    kind = "codes made"


class ChangePassword(_Notifies, PasswordChangeView):
    """Changes the password."""

    kind = "password changed"

    def dispatch(self, request: HttpRequest, *arguments: Any, **values: Any) -> HttpResponseBase:
        """Redirects an account without a password, which signs in only by the company's provider."""
        if not request.user.has_usable_password():  # type: ignore[union-attr]
            return redirect("mfa_index")
        return super().dispatch(request, *arguments, **values)


class Account(IndexView):
    """The person's own account: password, second factors, sessions."""

    def get_context_data(self, **values: Any) -> dict[str, Any]:
        """Adds the sessions."""
        now = timezone.now()
        user = self.request.user
        assert isinstance(user, User)
        return super().get_context_data(**values) | {
            "sessions": sessions.open_sessions(user, now),
            "own": str(sessions.own_id(self.request)),
            "enrolled": is_enrolled(user),
            "last": factors(user).count() == 1 and settings.CONSOLE_SECOND_FACTOR_REQUIRED,
        }


@login_required
@require_POST
def end_session(request: HttpRequest) -> HttpResponse:
    """Ends one of the person's own sessions, or all but this one."""
    user = request.user
    assert isinstance(user, User)
    which = request.POST.get("session", "")
    with transaction.atomic():
        if which == "others":
            number = sessions.end_others(request, user)
        else:
            try:
                number = sessions.end(user, uuid.UUID(which))
            except ValueError:
                return HttpResponse(gettext("There is no such session."), status=404, content_type="text/plain")
        if number:
            access_log.account(request, by=user, user_id=user.pk, act="sessions ended", at=timezone.now())
    return redirect("mfa_index")


@login_required
@require_http_methods(["GET", "POST"])
def first_factor(request: HttpRequest) -> HttpResponse:
    """The page of an account without a second factor, where an invitation lets it enrol one."""
    user = request.user
    assert isinstance(user, User)
    now = timezone.now()
    if is_enrolled(user):
        return redirect("mfa_index")
    row = sessions.of(request)
    form = InvitationCodeForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and _take_up(request, form, user):
        letters.tell(request, user, "invitation used", now)
        sessions.allow_enrolment(request, now)
        return redirect(first_factor)
    invited = bool(row and row.may_enrol_until and now < row.may_enrol_until)
    values = {"form": form, "invited": invited, "required": settings.CONSOLE_SECOND_FACTOR_REQUIRED}
    return render(request, "sign_in/first_factor.html", values)


def _take_up(request: HttpRequest, form: InvitationCodeForm, user: User) -> bool:
    """Uses up the invitation of `user` whose code was typed. Otherwise adds an error to the form."""
    now = timezone.now()
    counts = lock_out.at_invitation(request)
    try:
        if not lock_out.count(counts, now):
            raise InvitationError(gettext("Too many wrong tries. Wait a quarter of an hour."))
        if invitations.account_of(form.cleaned_data["code"], now) != user:
            raise InvitationError(gettext("This invitation is for another account. Sign out first."))
        invitations.use_up(form.cleaned_data["code"], now)
    except InvitationError as error:
        form.add_error("code", str(error))
        return False
    lock_out.was_right(counts)
    return True


@sensitive_post_parameters("password1", "password2", "code")
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, code: str = "") -> HttpResponse:
    """Accepts an invitation: the person chooses a password, and this session may enrol the first second factor."""
    if isinstance(request.user, User):
        return render(request, "sign_in/first_factor.html", _values_when_signed_in(request, code))
    now = timezone.now()
    form = InvitationForm(request.POST or None, initial={"code": code})
    if request.method == "POST" and form.is_valid():
        counts = lock_out.at_invitation(request)
        try:
            if not lock_out.count(counts, now):
                raise InvitationError(gettext("Too many wrong tries. Wait a quarter of an hour."))
            user = invitations.account_of(form.cleaned_data["code"], now)
            lock_out.was_right(counts)
            if form.check(user):
                return _accept(request, form)
        except InvitationError as error:
            form.add_error("code", str(error))
    return render(request, "sign_in/invitation.html", {"form": form})


def _values_when_signed_in(request: HttpRequest, code: str) -> dict[str, Any]:
    form = InvitationCodeForm(initial={"code": code})
    return {"form": form, "invited": False, "required": settings.CONSOLE_SECOND_FACTOR_REQUIRED}


def _accept(request: HttpRequest, form: InvitationForm) -> HttpResponse:
    """Sets the password and ends every session. Raises InvitationError if the invitation was used meanwhile."""
    now = timezone.now()
    with transaction.atomic():
        user = invitations.use_up(form.cleaned_data["code"], now)
        user.set_password(form.cleaned_data["password1"])
        user.save(update_fields=["password"])
        sessions.end_all(user)
        letters.tell(request, user, "invitation used", now)
    if is_enrolled(user):
        # The invitation sets only a password; an existing second factor is still asked for.
        return redirect("account_login")
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    sessions.begin(request, user, now)
    sessions.allow_enrolment(request, now)
    response = redirect(first_factor)
    devices.remember(request, response, user, now)
    return response
