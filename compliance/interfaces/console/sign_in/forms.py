"""Forms of signing in. Every guess at a password, a code or a passkey is counted before it is checked."""

import json
import struct
from collections.abc import Callable
from typing import Any, TypeVar

from allauth.account.adapter import get_adapter
from allauth.account.forms import ChangePasswordForm, ReauthenticateForm
from allauth.core import context
from allauth.mfa.adapter import get_adapter as get_adapter_of_second_factors
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.base.forms import ReauthenticateForm as ReauthenticateByCodeForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.totp.internal.auth import SECRET_SESSION_KEY, generate_totp_secret
from allauth.mfa.webauthn.forms import AddWebAuthnForm, AuthenticateWebAuthnForm, ReauthenticateWebAuthnForm
from django import forms
from django.contrib.auth import password_validation
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from compliance.interfaces.console import access_log
from compliance.interfaces.console.sign_in import codes, letters, lock_out, sealing, sessions

PENDING = "console_pending"
"""Session key of a sign-in that waits for its second factor: the hash of the password at that time."""


def _count_in_session() -> list[lock_out.Count]:
    counts = lock_out.in_session(str(sessions.own_id(context.request)))
    if not lock_out.count(counts, timezone.now()):
        raise get_adapter().validation_error("too_many_login_attempts")
    return counts


def _count_while_pending(user: User) -> list[lock_out.Count]:
    request, now = context.request, timezone.now()
    if request.session.get(PENDING) != user.get_session_auth_hash():
        # A sign-in that began with the old password cannot continue after a change.
        raise get_adapter().validation_error("password_changed_meanwhile")
    counts = lock_out.at_code(request, user, now)
    if not lock_out.count(counts, now):
        letters.tell_once(request, user, "wrong codes", now)
        raise get_adapter().validation_error("too_many_login_attempts")
    return counts


def note_failure(user: User, act: str) -> None:
    """Logs a wrong guess by somebody who is, or claims to be, `user`."""
    access_log.record(
        context.request,
        staff=None,
        page="signing in",
        at=timezone.now(),
        status=401,
        subject={"user": user.pk},
        act=act,
    )


Found = TypeVar("Found")
_UNREADABLE = (ValueError, KeyError, TypeError, IndexError, AttributeError, struct.error, RecursionError)
"""What fido2 raises for bytes that come from no browser."""


class CredentialField(forms.CharField):
    """What a browser sends of a passkey, in JSON. Only its texts are kept: of a number, fido2 makes as many bytes."""

    widget = forms.HiddenInput

    def to_python(self, value: Any) -> Any:
        """The texts of the credential and of its response."""
        text = super().to_python(value)
        if not text:
            return text
        try:
            found = json.loads(text)
            return _texts(found) | {"response": _texts(found["response"])}
        except _UNREADABLE as error:
            raise get_adapter_of_second_factors().validation_error("incorrect_code") from error


def _texts(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if isinstance(value, str)}


def _read(check: Callable[[], Found]) -> Found:
    """The result of a check of a passkey. Raises ValidationError also for what cannot be read."""
    try:
        return check()
    except _UNREADABLE as error:
        raise get_adapter_of_second_factors().validation_error("incorrect_code") from error


def _passkey(user: User, check: Callable[[], Authenticator]) -> Authenticator:
    try:
        return _read(check)
    except forms.ValidationError:
        note_failure(user, "wrong passkey")
        raise


def _authenticator_with(user: User, code: str) -> Authenticator | None:
    """The app or the recovery codes of `user` that accept `code`, which is used up by this call."""
    code = code.replace(" ", "")
    for authenticator in Authenticator.objects.filter(user=user):
        if authenticator.type == Authenticator.Type.TOTP and codes.use(authenticator, code):
            return authenticator
        if authenticator.type == Authenticator.Type.RECOVERY_CODES and authenticator.wrap().validate_code(code):
            letters.tell(context.request, user, "code used", timezone.now())
            return authenticator
    return None


def _checked_code(form: Any, counts: list[lock_out.Count]) -> str:
    code = str(form.cleaned_data["code"])
    authenticator = _authenticator_with(form.user, code)
    if authenticator is None:
        note_failure(form.user, "wrong code")
        raise get_adapter_of_second_factors().validation_error("incorrect_code")
    lock_out.was_right(counts)
    authenticator.user = form.user
    form.authenticator = authenticator
    return code


class SecondFactorForm(AuthenticateForm):
    """The code that completes a sign-in."""

    def clean_code(self) -> str:
        """Counts the guess, then checks it. Raises ValidationError."""
        return _checked_code(self, _count_while_pending(self.user))


class SecondFactorAgainForm(ReauthenticateByCodeForm):
    """The code that is asked for again before something that needs it."""

    def clean_code(self) -> str:
        """Counts the guess, then checks it. Raises ValidationError."""
        return _checked_code(self, _count_in_session())


class AddPasskeyForm(AddWebAuthnForm):
    """A new passkey."""

    credential = CredentialField()

    def clean(self) -> dict[str, Any]:
        """Checks the passkey. Raises ValidationError."""
        found: dict[str, Any] = _read(super().clean)
        return found


class PasskeyForm(AuthenticateWebAuthnForm):
    """The passkey that completes a sign-in."""

    credential = CredentialField()

    def clean_credential(self) -> Authenticator:
        """Counts the try, then checks it. Raises ValidationError."""
        counts = _count_while_pending(self.user)
        authenticator = _passkey(self.user, super().clean_credential)
        lock_out.was_right(counts)
        return authenticator


class PasskeyAgainForm(ReauthenticateWebAuthnForm):
    """The passkey that is asked for again before something that needs it."""

    credential = CredentialField()

    def clean_credential(self) -> Authenticator:
        """Counts the try, then checks it. Raises ValidationError."""
        counts = _count_in_session()
        authenticator = _passkey(self.user, super().clean_credential)
        lock_out.was_right(counts)
        return authenticator


class PasswordAgainForm(ReauthenticateForm):
    """The password that is asked for again before something that needs it."""

    def clean_password(self) -> str:
        """Counts the guess, then checks it. Raises ValidationError."""
        counts = _count_in_session()
        password = str(self.cleaned_data["password"])
        if not self.user.check_password(password):
            note_failure(self.user, "wrong password")
            raise get_adapter().validation_error("incorrect_password")
        lock_out.was_right(counts)
        return password


class PasswordForm(ChangePasswordForm):
    """A new password, with the old one, whose guesses are counted."""

    def clean_oldpassword(self) -> str:
        """Counts the guess, then checks it. Raises ValidationError."""
        counts = _count_in_session()
        try:
            password = str(super().clean_oldpassword())
        except forms.ValidationError:
            note_failure(self.user, "wrong password")
            raise
        lock_out.was_right(counts)
        return password


class EnrolAppForm(ActivateTOTPForm):
    """The first code of a new authenticator app. Until then its secret is in the session, sealed."""

    def __init__(self, *arguments: Any, **values: Any) -> None:
        self.user = values.pop("user")
        forms.Form.__init__(self, *arguments, **values)
        session = context.request.session
        kept = session.get(SECRET_SESSION_KEY)
        if self.is_bound and kept:
            self.secret = sealing.unseal(kept)
        else:
            self.secret = generate_totp_secret()
            session[SECRET_SESSION_KEY] = sealing.seal(self.secret)
        self.counter: int | None = None

    def clean_code(self) -> str:
        """Counts the guess, then checks it. Raises ValidationError."""
        counts = _count_in_session()
        code = str(self.cleaned_data["code"]).replace(" ", "")
        self.counter = codes.matching_counter(self.secret, code)
        if self.counter is None:
            raise get_adapter_of_second_factors().validation_error("incorrect_code")
        lock_out.was_right(counts)
        return code


class InvitationCodeForm(forms.Form):
    """The code of an invitation, for somebody who is signed in."""

    code = forms.CharField(
        max_length=200,
        label=gettext_lazy("Code of your invitation"),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


class InvitationForm(InvitationCodeForm):
    """Accepts an invitation with a new password."""

    password1 = forms.CharField(
        label=gettext_lazy("New password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=gettext_lazy("At least 15 characters. Take several words that do not belong together."),
    )
    password2 = forms.CharField(
        label=gettext_lazy("New password again"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def check(self, user: User) -> bool:
        """Whether the two passwords are equal and good enough for `user`. Otherwise adds an error to the form."""
        first, again = self.cleaned_data["password1"], self.cleaned_data["password2"]
        if first != again:
            self.add_error("password2", gettext("This is not the same password."))
            return False
        try:
            password_validation.validate_password(first, user)
        except forms.ValidationError as error:
            self.add_error("password1", error)
        return not self.errors
