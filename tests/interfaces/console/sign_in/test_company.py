"""Sign-in by the company's OpenID Connect provider, against a running provider that signs tokens."""

import subprocess
import sys
import time
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx
import pytest
from django.contrib.auth.models import User
from django.test import Client

from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import OPERATOR
from compliance.interfaces.console.sign_in.models import CompanyAccount, Letter
from development.embedded import ports
from tests.interfaces.console.conftest import make_staff, signed_in
from tests.interfaces.console.sign_in.people import APP, CODE, FIRST, code, give_app
from tests.interfaces.console.test_staff_admin import save_link

pytestmark = pytest.mark.django_db
WITH = "/console/sign-in/with/company/"


@pytest.fixture(scope="module")
def provider():
    """The address of a provider; its users sign in with their subject."""
    port = ports.free_port()
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(200):
            try:
                httpx.get(f"{address}/.well-known/openid-configuration", timeout=5)
                break
            except httpx.TransportError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=10)


@pytest.fixture
def company(provider, settings):
    """A deployment that names this provider."""
    settings.OIDC_ISSUER, settings.OIDC_NAME, settings.OIDC_SECOND_FACTOR_AMR = provider, "Harbour", []
    app = {
        "provider_id": "company", "name": "Harbour", "client_id": "records", "secret": "a secret of the test",
        "settings": {"server_url": provider},
    }  # fmt: skip
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}}
    return provider


def _person(provider: str, subject: str, **claims: object) -> None:
    """Makes an account at the provider."""
    httpx.put(f"{provider}/users/{subject}", json=claims).raise_for_status()


def _at_provider(client: Client, subject: str, begin: str = WITH):
    """Goes to the provider, signs in there, and returns. The answer is that of our callback."""
    start = client.get(begin)
    assert start.status_code == 302, start.content
    asked = parse_qs(urlsplit(start.headers["Location"]).query)
    assert asked["code_challenge_method"] == ["S256"]
    with httpx.Client() as browser:
        said = browser.post(start.headers["Location"], data={"sub": subject})
    back = urlsplit(urljoin(start.headers["Location"], said.headers["location"]))
    return client.get(f"{back.path}?{back.query}")


def _link(user: User, **values: str) -> CompanyAccount:
    return CompanyAccount.objects.create(user=user, **values)


def test_whom_an_administrator_linked_by_address_comes_in_and_from_then_on_by_subject(company):
    user = make_staff("olga", OPERATOR)
    _link(user, email="olga@harbour.example")
    _person(company, "subject-1", email="Olga@harbour.example", email_verified=True)
    client = Client()
    assert b"Sign in with Harbour" in client.get("/console/sign-in/").content
    assert _at_provider(client, "subject-1").url == "/console/"
    assert client.get("/console/companies/").status_code == 200
    link = CompanyAccount.objects.get()
    assert (link.issuer, link.subject) == (company, "subject-1")
    assert AccessLog.objects.filter(page="signed in", username="olga").exists()
    # Somebody else gets that address at the provider: it does not count any more.
    _person(company, "subject-2", email="olga@harbour.example", email_verified=True)
    assert _at_provider(Client(), "subject-2").status_code == 403
    _person(company, "subject-1", email="married@harbour.example", email_verified=True)
    assert _at_provider(Client(), "subject-1").url == "/console/"


def test_whom_an_administrator_linked_by_subject_alone_comes_in_and_the_link_is_bound_to_the_issuer(company):
    user = make_staff("olga", OPERATOR)
    _link(user, subject="subject-1", email="olga@harbour.example")
    _person(company, "subject-1")
    _person(company, "subject-2", email="olga@harbour.example", email_verified=True)
    assert _at_provider(Client(), "subject-2").status_code == 403
    assert _at_provider(Client(), "subject-1").url == "/console/"
    link = CompanyAccount.objects.get()
    assert (link.issuer, link.subject, link.bound_at is None) == (company, "subject-1", False)
    assert _at_provider(Client(), "subject-1").url == "/console/"


@pytest.mark.parametrize(
    "claims",
    [
        {"email": "olga@harbour.example", "email_verified": False},
        {"email": "olga@harbour.example"},
        {"email": "olga@harbour.example", "email_verified": "true"},
        {"email": "otto@harbour.example", "email_verified": True},
        {},
    ],
)
def test_an_address_that_is_not_verified_or_not_linked_opens_nothing(claims, company):
    user = make_staff("olga", OPERATOR)
    user.email = "olga@harbour.example"
    user.save()
    _link(user, email="olga@harbour.example")
    _person(company, "subject-3", **claims)
    client = Client()
    answer = _at_provider(client, "subject-3")
    assert (answer.status_code, b"is linked to no account" in answer.content) == (403, True)
    assert client.get("/console/companies/").status_code == 302
    assert User.objects.count() == 1
    assert AccessLog.objects.filter(page="company account refused").exists()


@pytest.mark.parametrize(
    "linked, there", [("github", "g\u0131thub"), ("g\u0131thub", "github"), ("kiosk", "kio\u017fk")]
)
def test_an_address_whose_capitals_alone_are_those_of_a_linked_one_opens_nothing(linked, there, company):
    _link(make_staff("olga", OPERATOR), email=f"olga@{linked}.example")
    _person(company, "subject-14", email=f"olga@{there}.example", email_verified=True)
    assert _at_provider(Client(), "subject-14").status_code == 403
    _person(company, "subject-15", email=f"olga@{linked}.example", email_verified=True)
    assert _at_provider(Client(), "subject-15").url == "/console/"


def test_a_provider_that_does_not_answer_leads_back_to_the_sign_in(company, settings):
    settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]["settings"] = {
        "server_url": f"http://127.0.0.1:{ports.free_port()}"
    }
    answer = Client().get(WITH)
    assert (answer.status_code, b"Back to the sign-in" in answer.content) == (401, True)


def test_the_address_of_an_account_that_nobody_linked_opens_nothing(company):
    user = make_staff("olga", OPERATOR)
    user.email = "olga@harbour.example"
    user.save()
    _person(company, "subject-4", email="olga@harbour.example", email_verified=True, groups=["Administrator"])
    assert _at_provider(Client(), "subject-4").status_code == 403
    assert User.objects.count() == 1


def test_groups_are_what_they_are_here(company):
    user = User.objects.create_user("nobody", password=None)
    _link(user, issuer=company, subject="subject-5")
    _person(company, "subject-5", groups=["Operator"], is_superuser=True, roles=["admin"])
    client = Client()
    _at_provider(client, "subject-5")
    assert client.get("/console/companies/").status_code == 403
    user.refresh_from_db()
    assert not user.is_superuser
    assert not user.groups.exists()


def test_the_second_factor_here_is_still_asked_for(company, settings):
    settings.CONSOLE_SECOND_FACTOR_REQUIRED = True
    user = make_staff("olga", OPERATOR)
    _link(user, issuer=company, subject="subject-6")
    _person(company, "subject-6")
    client = Client()
    _at_provider(client, "subject-6")
    assert client.get("/console/companies/").headers["Location"] == FIRST
    assert client.get(APP).headers["Location"] == FIRST, "without an invitation nothing is enrolled by this way either"
    secret = give_app(user)
    client = Client()
    assert _at_provider(client, "subject-6").url == CODE
    assert client.get("/console/companies/").status_code == 302
    assert client.post(CODE, {"code": code(secret)}).status_code == 302
    assert client.get("/console/companies/").status_code == 200


def test_a_closed_account_stays_closed(company):
    user = make_staff("olga", OPERATOR)
    _link(user, issuer=company, subject="subject-7")
    User.objects.filter(pk=user.pk).update(is_active=False)
    _person(company, "subject-7")
    client = Client()
    assert _at_provider(client, "subject-7").status_code == 403
    assert client.get("/console/companies/").status_code == 302


def test_nobody_links_an_account_of_theirs_to_their_session(company):
    user = make_staff("olga", OPERATOR)
    _person(company, "subject-8", email="thief@harbour.example", email_verified=True)
    client = signed_in(user)
    assert _at_provider(client, "subject-8", f"{WITH}?process=connect").status_code == 403
    assert _at_provider(Client(), "subject-8").status_code == 403
    assert not CompanyAccount.objects.exists()


def test_a_state_of_another_browser_is_refused(company):
    user = make_staff("olga", OPERATOR)
    _link(user, issuer=company, subject="subject-9")
    _person(company, "subject-9")
    attacker = Client()
    start = attacker.get(WITH)
    with httpx.Client() as browser:
        said = browser.post(start.headers["Location"], data={"sub": "subject-9"})
    back = urlsplit(urljoin(start.headers["Location"], said.headers["location"]))
    victim = Client()
    answer = victim.get(f"{back.path}?{back.query}")
    assert b"You are not signed in" in answer.content
    assert victim.get("/console/companies/").status_code == 302


def test_an_id_token_of_another_sign_in_is_refused(company):
    user = make_staff("olga", OPERATOR)
    _link(user, issuer=company, subject="subject-9")
    _person(company, "subject-9")
    client = Client()
    start = client.get(WITH).headers["Location"]
    (nonce,) = parse_qs(urlsplit(start).query)["nonce"]
    assert len(nonce) >= 32
    with httpx.Client() as browser:
        said = browser.post(start.replace(nonce, "of-another-sign-in"), data={"sub": "subject-9"})
    back = urlsplit(urljoin(start, said.headers["location"]))
    assert client.get(f"{back.path}?{back.query}").status_code == 403
    assert client.get("/console/companies/").status_code == 302
    assert _at_provider(client, "subject-9").url == "/console/"


def test_the_first_use_is_told(company):
    user = make_staff("olga", OPERATOR)
    user.email = "olga@example.com"
    user.save()
    _link(user, email="olga@harbour.example")
    _person(company, "subject-10", email="olga@harbour.example", email_verified=True)
    _at_provider(Client(), "subject-10")
    assert Letter.objects.get().kind == "company account bound"


def test_a_link_that_somebody_changed_is_bound_anew_and_both_are_told(company):
    user = make_staff("olga", OPERATOR)
    user.email = "olga@example.com"
    user.save()
    _link(user, issuer=company, subject="subject-12")
    _person(company, "subject-13")
    assert _at_provider(Client(), "subject-13").status_code == 403
    save_link(signed_in(make_staff("root", "Administrator")), user, user.email, subject="subject-13")
    assert _at_provider(Client(), "subject-13").url == "/console/"
    told = [("company account changed", user.email), ("company account bound", user.email)]
    assert list(Letter.objects.order_by("id").values_list("kind", "address")) == told


def test_without_a_provider_there_is_no_such_sign_in(client):
    assert client.get(WITH).status_code == 404
    assert b"Sign in with" not in client.get("/console/sign-in/").content


@pytest.mark.parametrize(
    "counts, amr, opens",
    [(["mfa", "hwk"], ["pwd", "mfa"], True), (["mfa"], ["pwd"], False), (["mfa"], None, False), ([], ["mfa"], False)],
)
def test_the_provider_s_second_factor_counts_only_where_the_deployment_says_so(counts, amr, opens, company, settings):
    settings.CONSOLE_SECOND_FACTOR_REQUIRED, settings.OIDC_SECOND_FACTOR_AMR = True, counts
    user = make_staff("olga", OPERATOR)
    _link(user, issuer=company, subject="subject-11")
    _person(company, "subject-11", **({"amr": amr} if amr else {}))
    client = Client()
    _at_provider(client, "subject-11")
    assert client.get("/console/companies/").status_code == (200 if opens else 302)
    give_app(user)
    again = Client()
    assert _at_provider(again, "subject-11").url == ("/console/" if opens else CODE)
    assert again.get("/console/companies/").status_code == (200 if opens else 302)
