"""Sign-in by the company's OpenID Connect provider: it signs in to existing accounts, and creates none.

An administrator links an account to one at the provider (`CompanyAccount`). Groups, companies and ends of access come
from the account here, whatever the provider claims. The account's second factor is asked for as after a password,
unless OIDC_SECOND_FACTOR_AMR holds a value of the provider's `amr` claim (RFC 8176), which then counts as one.
"""

import secrets
from typing import Any, NoReturn

from allauth.account.internal.flows.login import record_authentication
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, _build_apps_from_settings
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from requests import RequestException

from compliance.interfaces.console import access_log
from compliance.interfaces.console.sign_in import letters
from compliance.interfaces.console.sign_in.forms import PENDING
from compliance.interfaces.console.sign_in.models import CompanyAccount


class CompanyProvider(OpenIDConnectProvider):
    """Binds the ID token to this sign-in by a `nonce` (OpenID Connect Core 1.0, 3.1.2.1)."""

    def redirect(self, request: HttpRequest, *given: Any, **values: Any) -> HttpResponse:
        """Redirects to the provider; the nonce is kept with the state, in the session."""
        nonce = secrets.token_urlsafe(24)
        asked = (values.pop("auth_params", None) or self.get_auth_params()) | {"nonce": nonce}
        try:
            return super().redirect(request, *given, auth_params=asked, nonce=nonce, **values)
        except RequestException as error:  # the provider does not answer
            return render_authentication_error(request, self, exception=error)


class CompanySignIn(DefaultSocialAccountAdapter):
    """Maps the provider's claims to accounts that an administrator linked."""

    def get_provider(self, request: HttpRequest, provider: str, client_id: str | None = None) -> CompanyProvider:
        """The only provider, as a CompanyProvider."""
        return CompanyProvider(request, app=self.get_app(request, provider=provider, client_id=client_id))

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """False: sign-up is closed."""
        return False

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[SocialApp]:
        """The one provider in the settings; none is read from the database."""
        found = _build_apps_from_settings(provider=provider, client_id=client_id)
        return [app for apps in found.values() for app in apps]

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Finds the account, or refuses the sign-in."""
        claims = sociallogin.account.extra_data
        token = claims.get("id_token") or {}
        userinfo = claims.get("userinfo") or token
        # OpenID Connect Core 1.0, 5.3.2: userinfo of another subject than the token's must not be used.
        same = token.get("sub") and userinfo.get("sub") == token["sub"]
        if sociallogin.state.get("process", "login") != "login" or not same:
            _refuse(request)
        if token.get("nonce") != sociallogin.state["nonce"]:
            _refuse(request)
        user = _account_of(request, str(token["iss"]), str(token["sub"]), userinfo)
        if user is None or not user.is_active:
            _refuse(request)
        sociallogin.user = user
        request.session[PENDING] = user.get_session_auth_hash()
        if set(settings.OIDC_SECOND_FACTOR_AMR) & set(token.get("amr") or []):
            record_authentication(request, user, "mfa", provider=sociallogin.account.provider)


def _account_of(request: HttpRequest, issuer: str, subject: str, userinfo: dict[str, Any]) -> User | None:
    """The account linked to this subject of this issuer.

    A link by subject alone is bound to the issuer at the first sign-in, one by e-mail address to issuer and subject.
    """
    linked = CompanyAccount.objects.select_related("user")
    found = linked.filter(issuer=issuer, subject=subject).first()
    if found is not None:
        return found.user
    named = Q(issuer="", subject=subject)
    address = str(userinfo.get("email") or "")
    if userinfo.get("email_verified") is True and address:
        named |= Q(subject="", email__iexact=address)
    now = timezone.now()
    with transaction.atomic():
        candidates = linked.select_for_update(of=("self",)).filter(named)
        waiting = [each for each in candidates if each.subject or _comparable(each.email) == _comparable(address)]
        if len(waiting) != 1:
            return None
        (found,) = waiting
        found.issuer, found.subject, found.bound_at = issuer, subject, now
        found.save(update_fields=["issuer", "subject", "bound_at"])
        letters.tell(request, found.user, "company account bound", now)
    return found.user


def _comparable(address: str) -> str:
    """An address without case, if all of it is ASCII. In capitals a dotless ı is an I, but its domain is another."""
    return address.lower() if address.isascii() else address


def _refuse(request: HttpRequest) -> NoReturn:
    access_log.record(request, staff=None, page="company account refused", at=timezone.now(), status=403)
    raise ImmediateHttpResponse(render(request, "sign_in/not_linked.html", status=403))
