"""Forms of the second factor: guesses at codes are counted like guesses at passwords."""

from allauth.account.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from django.utils import timezone

from compliance.interfaces.console.sign_in import lock_out


class SecondFactorForm(AuthenticateForm):
    """The code that completes a sign-in."""

    def clean_code(self) -> str:
        """Counts the guess, then checks it. Raises ValidationError."""
        subject = lock_out.account_subject(self.user.pk)
        if not lock_out.count(subject, lock_out.GUESSES_FOR_ONE_NAME, timezone.now()):
            raise get_adapter().validation_error("too_many_login_attempts")
        code = str(super().clean_code())
        lock_out.forgive(subject)
        return code


class SecondFactorAgainForm(ReauthenticateForm):
    """The code that is asked for again before the second factor itself is changed."""

    def clean_code(self) -> str:
        """Counts the guess, then checks it. Raises ValidationError."""
        subject = lock_out.account_subject(self.user.pk)
        if not lock_out.count(subject, lock_out.GUESSES_FOR_ONE_NAME, timezone.now()):
            raise get_adapter().validation_error("too_many_login_attempts")
        code = str(super().clean_code())
        lock_out.forgive(subject)
        return code
