"""What allauth asks us: nobody signs up, guesses are counted, sign-ins are logged."""

from datetime import datetime
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.contrib.auth import authenticate
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from compliance.interfaces.console import access_log
from compliance.interfaces.console.sign_in import lock_out
from compliance.interfaces.console.sign_in.address import client_address
from compliance.interfaces.console.sign_in.sessions import begin
from compliance.interfaces.console.who_may import staff_of


class StaffAdapter(DefaultAccountAdapter):
    """Sign-in of staff accounts, which others make for them."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "too_many_login_attempts": "Too many wrong tries. Wait a quarter of an hour, or ask for help.",
        "username_password_mismatch": "This name and password do not belong together.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Accounts are made in the staff admin."""
        return False

    def authenticate(self, request: HttpRequest, **credentials: Any) -> AbstractBaseUser | None:
        """Counts the guess, then checks it."""
        now = timezone.now()
        username = str(credentials.get("username", ""))
        name, address = lock_out.name_subject(username), lock_out.address_subject(client_address(request))
        may = lock_out.count(address, lock_out.GUESSES_FROM_ONE_ADDRESS, now)
        may = lock_out.count(name, lock_out.GUESSES_FOR_ONE_NAME, now) and may
        if not may:
            self._log(request, "locked out", None, now)
            raise self.validation_error("too_many_login_attempts")
        user = authenticate(request, **credentials)
        if user is None:
            self._log(request, "wrong password", None, now)
            return None
        lock_out.forgive(name)
        lock_out.take_back(address)
        return user

    def post_login(self, request: HttpRequest, user: AbstractBaseUser, **values: Any) -> HttpResponse:
        """Starts the session's clocks and logs the sign-in."""
        now = timezone.now()
        begin(request, now)
        self._log(request, "signed in", user, now)
        return super().post_login(request, user, **values)

    def add_message(self, *arguments: Any, **values: Any) -> None:
        """The pages say what happened; allauth's own messages would say it twice."""

    def get_client_ip(self, request: HttpRequest) -> str:
        """By our own rule about proxies."""
        return client_address(request)

    def _log(self, request: HttpRequest, page: str, user: AbstractBaseUser | None, now: datetime) -> None:
        staff = staff_of(user, now) if user else None
        username = user.get_username() if user else ""
        access_log.record(request, staff=staff, username=username, page=page, at=now, status=200 if user else 401)
