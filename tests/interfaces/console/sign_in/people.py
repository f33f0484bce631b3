"""Helpers with which tests sign in through the pages, as people and attackers do."""

import time
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret, hotp_value
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from compliance.interfaces.console.sign_in import invitations, sealing
from tests.interfaces.console.conftest import PASSWORD

SIGN_IN = "/console/sign-in/"
CODE = "/console/sign-in/code/"
FIRST = "/console/sign-in/second-factor/first/"
APP = "/console/sign-in/second-factor/on/"
ACCOUNT = "/console/sign-in/second-factor/"
PASSKEY = "/console/sign-in/passkeys/add/"
INVITATION = "/console/sign-in/invitation/"


def sign_in(client: Client, user: User, password: str = PASSWORD, **headers: Any) -> Any:
    """Posts name and password."""
    return client.post(SIGN_IN, {"login": user.username, "password": password}, **headers)


def code(secret: str, steps: int = 0) -> str:
    """The code of an authenticator app now, or `steps` half minutes later."""
    return f"{hotp_value(secret, int(time.time()) // 30 + steps):06d}"


def give_app(user: User) -> str:
    """Adds an authenticator app to an account. Returns its secret."""
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    return secret


def stored_secret(user: User) -> str:
    """The unsealed secret of the app of `user`."""
    return sealing.unseal(Authenticator.objects.get(user=user, type="totp").data["secret"])


def invite(user: User) -> str:
    """The code of a new invitation."""
    return invitations.issue(user=user, by="a superuser", at=timezone.now())


def session_id(client: Client) -> str:
    """The cookie of a client's session, which another browser could present."""
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def enrol_app(client: Client) -> Any:
    """Adds an authenticator app through the page."""
    page = client.get(APP)
    assert page.status_code == 200, (page.status_code, page.headers.get("Location"))
    return client.post(APP, {"code": code(page.context["form"].secret)})
