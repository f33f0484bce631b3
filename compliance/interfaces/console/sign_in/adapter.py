"""The adapter for allauth: sign-up is closed, guesses are counted, sign-ins and changes of an account are logged."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy

from compliance.interfaces.console import access_log
from compliance.interfaces.console.permissions import staff_of
from compliance.interfaces.console.sign_in import devices, letters, lock_out, sessions
from compliance.interfaces.console.sign_in.address import client_address
from compliance.interfaces.console.sign_in.forms import PENDING


class StaffAdapter(DefaultAccountAdapter):
    """Sign-in to staff accounts, which administrators create."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "too_many_login_attempts": gettext_lazy("Too many wrong tries. Wait a quarter of an hour, or ask for help."),
        "username_password_mismatch": gettext_lazy("This name and password do not belong together."),
        "incorrect_password": gettext_lazy("This is not your password."),
        "enter_current_password": gettext_lazy("This is not your password."),
        "password_changed_meanwhile": gettext_lazy("Your password was changed meanwhile. Sign in again."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """False: accounts are created in the staff admin."""
        return False

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Counts the guess, then checks it."""
        now = timezone.now()
        counts = lock_out.at_password(request, str(credentials.get("username", "")), now)
        if not lock_out.count(counts, now):
            self._log(request, "locked out", None, now, guessed=credentials)
            raise self.validation_error("too_many_login_attempts")
        user = authenticate(request, **credentials)
        if not isinstance(user, User):
            self._log(request, "wrong password", None, now, guessed=credentials)
            return None
        lock_out.was_right(counts)
        request.session[PENDING] = user.get_session_auth_hash()
        return user

    def get_login_stages(self) -> list[str]:
        """Only the stage of the second factor."""
        return ["compliance.interfaces.console.sign_in.stages.SecondFactorStage"]

    def post_login(self, request: HttpRequest, user: User, **values: Any) -> HttpResponse:
        """Begins the session, remembers the device, and logs the sign-in."""
        now = timezone.now()
        request.session.pop(PENDING, None)
        passed = any(record.get("method") == "mfa" for record in get_authentication_records(request, user))
        sessions.begin(request, user, now, second_factor=passed)
        self._log(request, "signed in", user, now)
        response = super().post_login(request, user, **values)
        if devices.remember(request, response, user, now):
            letters.tell(request, user, "new device", now)
        return response

    def logout(self, request: HttpRequest) -> None:
        """Ends the session's row, not only its cookie."""
        sessions.end_own(request)
        super().logout(request)

    def send_notification_mail(self, *arguments: Any, **values: Any) -> None:
        """Does nothing: our views write the letters, in the transaction of the change (`views.py`)."""

    def add_message(self, *arguments: Any, **values: Any) -> None:
        """Does nothing: the pages report what happened, and allauth's messages would repeat it."""

    def get_client_ip(self, request: HttpRequest) -> str:
        """The client's address, by our own rule about proxies."""
        return client_address(request)

    def _log(
        self,
        request: HttpRequest,
        page: str,
        user: User | None,
        now: datetime,
        guessed: Mapping[str, Any] | None = None,
    ) -> None:
        """Logs a sign-in. A failed one has the number of that name's account, if any, but not the name itself, because
        people type passwords into the wrong field."""
        staff = staff_of(user, now) if user else None
        subject = {}
        if guessed is not None:
            name = str(guessed.get("username", "")).replace("\0", "")
            tried = User.objects.filter(username=name).values_list("pk", flat=True).first()
            subject = {"user": tried} if tried else {}
        access_log.record(
            request,
            staff=staff,
            username=user.get_username() if user else "",
            page=page,
            at=now,
            status=200 if user else 401,
            subject=subject,
        )
