"""Passkeys in a real browser with a virtual authenticator and the strict Content-Security-Policy, without a mouse."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, Route, expect

from compliance.interfaces.console.permissions import OPERATOR
from compliance.interfaces.console.sign_in.models import StaffSession
from tests.interfaces.console.conftest import PASSWORD, make_staff
from tests.interfaces.console.sign_in.people import invite

pytestmark = pytest.mark.browser


@pytest.fixture
def olga(committed):
    """A committed operator, visible to the server, removed when the test ends."""
    user = make_staff(f"olga-{uuid.uuid4().hex[:8]}", OPERATOR)
    yield user
    user.delete()


@pytest.fixture
def page(browser, served):
    """A page at a host name (IP addresses have no passkeys) with an authenticator. Fails on errors in its console."""
    complaints: list[str] = []
    opened = browser.new_context(base_url=served.replace("127.0.0.1", "localhost"))
    page = opened.new_page()
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    devtools = opened.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    devtools.send(
        "WebAuthn.addVirtualAuthenticator",
        {
            "options": {
                "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
                "isUserVerified": True, "automaticPresenceSimulation": True,
            }
        },
    )  # fmt: skip
    yield page
    opened.close()
    assert complaints == []


def _sign_in(page: Page, user: User) -> None:
    page.goto("/console/sign-in/")
    page.get_by_label("Name").focus()
    page.keyboard.type(user.username)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")


def _press(page: Page, role: Any, name: str) -> None:
    """Moves the focus there with the Tab key only and presses Enter."""
    wanted = page.get_by_role(role, name=name, exact=True)
    expect(wanted).to_be_enabled()
    for _ in range(40):
        if wanted.evaluate("element => element === document.activeElement"):
            page.keyboard.press("Enter")
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{name} cannot be reached with the keyboard.")


def test_a_passkey_is_enrolled_used_and_asked_for_again_by_keyboard(olga, page, settings):
    settings.CONSOLE_SECOND_FACTOR_REQUIRED = True
    _sign_in(page, olga)
    page.get_by_label("Code of your invitation").focus()
    page.keyboard.type(invite(olga))
    page.keyboard.press("Enter")
    _press(page, "link", "Add a passkey")
    _press(page, "button", "Add the passkey")
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    assert StaffSession.objects.get(user=olga).second_factor_at is not None
    page.goto("/console/companies/")
    expect(page.get_by_role("heading", name="Companies")).to_be_visible()
    _press(page, "button", "Sign out")
    expect(page.get_by_label("Password")).to_be_visible()
    _sign_in(page, olga)
    _press(page, "button", "Use your passkey")
    expect(page.get_by_role("heading", name="Companies")).to_be_visible()
    page.goto("/console/sign-in/passkeys/again/?next=/console/sign-in/second-factor/")
    _press(page, "button", "Use your passkey")
    expect(page.get_by_role("heading", name="Your account")).to_be_visible()
    expect(page.locator("main")).to_contain_text("Passkey 1")
    expect(page.locator("main")).to_contain_text("This is your only one")


def test_the_button_cannot_be_pressed_before_the_scripts_listen(olga, page, settings):
    held: list[Route] = []
    page.route("**/account/js/onload*.js", lambda route: held.append(route))  # Playwright takes no method of a list
    _sign_in(page, olga)
    expect(page.get_by_role("heading", name="Companies")).to_be_visible()
    page.goto("/console/sign-in/second-factor/first/")
    page.get_by_label("Code of your invitation").fill(invite(olga))
    page.keyboard.press("Enter")
    with page.expect_request("**/account/js/onload*.js"):
        page.get_by_role("link", name="Add a passkey").click(no_wait_after=True)
    button = page.get_by_role("button", name="Add the passkey")
    expect(button).to_be_disabled()
    held[0].continue_()
    expect(button).to_be_enabled()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("NotAllowedError", "The passkey was not used."),
        ("InvalidStateError", "This device has a passkey"),
        ("SecurityError", "Passkeys work at a host name with https"),
    ],
)
def test_a_passkey_that_is_refused_is_said_on_the_page(olga, page, settings, error, words):
    _sign_in(page, olga)
    expect(page.get_by_role("heading", name="Companies")).to_be_visible()
    page.goto("/console/sign-in/second-factor/first/")
    page.get_by_label("Code of your invitation").fill(invite(olga))
    page.keyboard.press("Enter")
    _press(page, "link", "Add a passkey")
    expect(page.get_by_role("button", name="Add the passkey")).to_be_visible()
    page.evaluate(
        "(name) => { navigator.credentials.create = () => Promise.reject(new DOMException('no', name)) }", error
    )
    _press(page, "button", "Add the passkey")
    expect(page.get_by_role("alert")).to_contain_text(words)


def test_the_staff_accounts_work_under_the_strict_policy(page, committed):
    admin = make_staff(f"root-{uuid.uuid4().hex[:8]}", "Administrator")
    try:
        _sign_in(page, admin)
        expect(page.get_by_role("heading", name="Companies")).to_be_visible()
        for path in (
            "",
            "auth/user/",
            f"auth/user/{admin.pk}/change/",
            f"auth/user/{admin.pk}/sign-in/",
            "auth/user/add/",
        ):
            page.goto(f"/console/staff/{path}")
            expect(
                page.get_by_role("heading", name="Staff accounts").or_(page.locator("#content")).first
            ).to_be_visible()
    finally:
        admin.delete()
