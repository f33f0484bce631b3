"""axe-core finds nothing wrong with any page: of the console, its forms and their errors, the sign-in, public pages.

Addresses are taken from the URLconf, so that a new page cannot be forgotten.
"""

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from compliance.contentfile.package import check_package
from compliance.facts.certificates.models import CheckCode
from compliance.facts.courses.publishing import publish_package
from compliance.facts.shares.models import Share
from compliance.history.actions import capture_all
from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.models import AccessLog, Job
from compliance.interfaces.console.reports import keeping, making
from compliance.interfaces.console.sign_in import sessions
from compliance.interfaces.console.understand import refreshing
from compliance.interfaces.pages.links import SigningLink, make_token
from compliance.tenancy import context
from compliance.tenancy.queries import organization
from development.demo.telling import PACKAGES
from tests.interfaces.accessibility import axe
from tests.interfaces.console.companies import Full, full_company
from tests.interfaces.console.conftest import make_staff, quick_passwords, signed_in
from tests.interfaces.console.test_every_address import patterns

__all__ = ["quick_passwords"]

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]


@pytest.fixture
def full(committed: None) -> Full:
    """A company in which every page has something to show, a course with its content and work under way among it."""
    found = full_company(4, f"Accessible {uuid.uuid4().hex[:8]}")
    organization_id = found.company.organization_id
    package = check_package(PACKAGES / "fire-safety")
    release = publish_package(organization_id=organization_id, package=package, at=timezone.now())
    refreshing.refresh(organization_id, timezone.now())
    with context.company(organization_id):
        capture_all(organization_id, timezone.now())
        code = CheckCode.objects.earliest("id").check_code
        share_id = Share.objects.latest("opened_at", "id").share_id
        company, now = organization(organization_id), timezone.now()
        report, _ = keeping.begun(company, now - timedelta(days=30), now, now)
        job = Job.objects.create(
            organization_id=organization_id, act="waive-many", user_id=1, username="anna", asked_at=timezone.now(),
            state=Job.State.DONE, message="2 of 3 records waived.", findings=["Record 1: it was waived before."],
        )  # fmt: skip

    def token(number: int) -> str:
        end = datetime.now(UTC) + timedelta(days=1)
        return make_token(
            SigningLink(organization_id, share_id, found.people[number].learner_profile_id, end), datetime.now(UTC)
        )

    making.make(report)
    more = {
        "organization_id": organization_id, "job_id": job.job_id, "code": code, "token": token(3),
        "report_id": report.report_id,
        "signed": token(0), "reading": release.course_release_id, "what": "training-records", "written_as": "csv",
        "media_id": "none", "scope": "none", "page_id": "know-your-way", "kind": "reminder",
    }  # fmt: skip
    return found._replace(samples=found.samples | more)


@pytest.fixture
def insider(full: Full) -> Client:
    """An administrator, signed in."""
    return signed_in(make_staff(f"axe-{uuid.uuid4().hex[:8]}", "Administrator"))


@pytest.fixture
def page(browser: Any, served: str, insider: Client, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """A window with the administrator's session, in which no page asks again by itself while it is looked at."""
    monkeypatch.setattr(sessions, "ASK_AGAIN_SECONDS", 3600)
    opened = browser.new_context(base_url=served)
    opened.add_cookies([{"name": "sessionid", "value": insider.cookies["sessionid"].value, "url": served}])
    yield opened.new_page()
    opened.close()


def _addresses(full: Full) -> list[str]:
    """Every address of the URLconf with identifiers of things that exist, and some that show something else."""

    class Known(dict[str, Any]):
        def __missing__(self, name: str) -> Any:
            return full.samples.get(name, 1)  # of what does not exist, the page that says so

    found = []
    for text, pattern in patterns(get_resolver().url_patterns):
        if text.startswith("console/staff/") and not text.startswith("console/staff/records/"):
            continue  # of which the pages are named below
        if pattern.name == "problem":
            found.append("/problems/rate_limited")
            continue
        read = pattern.name in ("reading", "reading-page")
        told = Known(course_release_id=full.samples["reading"]) if read else Known()
        found.append("/" + text % told)
    registers = [each for each in found if "/registers/" in each]
    return [
        *found, *(f"{each}?as_at=2026-01-01" for each in registers[:2]), f"{registers[0]}?as_at=soon",
        f"{registers[0]}?show=waived", f"/sign/{full.samples['signed']}", "/sign/broken", "/check/nothing",
        "/nothing/here", "/console/nothing/", "/docs#schema-TrainingRecord", "/console/companies/?q=nobody",
        f"/console/companies/{uuid.UUID(int=1)}/",
    ]  # fmt: skip


def _looked_at(page: Page, *, seen_elsewhere: bool = False) -> list[str]:
    """What is wrong with the page that is open, with all that can be unfolded unfolded."""
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    return axe.findings(page, seen_elsewhere=seen_elsewhere)


def _press(page: Page, button: Locator) -> None:
    """Presses a button that leads to another page, and waits for that page."""
    with page.expect_navigation():
        button.click()


def _is_page(client: Client, address: str) -> bool:
    answer = client.get(address.partition("#")[0])
    if answer.headers.get("Content-Security-Policy", "").startswith("sandbox"):
        return False  # what a frame shows runs no script, not even axe-core's; letters are looked at by themselves
    return answer.status_code not in (301, 302, 303) and answer.headers["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("part", ["public", "registers", "console", "sign-in"])
def test_every_page_is_without_a_finding(part: str, full: Full, insider: Client, page: Page) -> None:
    def belongs(address: str) -> bool:
        if "/act/" in address and not address.endswith("/act/"):
            return False  # forms, with their errors, below
        if address.startswith("/console/sign-in/"):
            return part == "sign-in"
        if not address.startswith("/console/"):
            return part == "public"
        return part == ("registers" if "/registers/" in address or "/records/" in address else "console")

    client = Client() if part == "sign-in" else insider
    if part == "sign-in":
        page.context.clear_cookies()
    found, looked = {}, 0
    for address in filter(belongs, _addresses(full)):
        if address.endswith("/out/") or not _is_page(client, address):
            continue
        page.goto(address)
        looked += 1
        if findings := _looked_at(page):
            found[address] = findings
    assert found == {}
    assert looked >= {"public": 9, "registers": 26, "console": 20, "sign-in": 1}[part]


def test_the_pages_of_one_s_own_account_are_without_a_finding(full: Full, insider: Client, page: Page) -> None:
    found = {}
    for address in _addresses(full):
        if address.startswith("/console/sign-in/") and _is_page(insider, address):
            page.goto(address)
            if findings := _looked_at(page):
                found[address] = findings
    assert found == {}


def test_the_pages_of_staff_accounts_are_without_a_finding(full: Full, page: Page) -> None:
    """Django's own templates under ours: lists, forms and their errors, what is shown once."""
    user = make_staff(f"kept-{uuid.uuid4().hex[:8]}", "Operator")
    page.goto("/console/staff/")
    for _ in range(201):  # more lines of the access log than two pages list
        page.request.get(f"/console/companies/{full.company.organization_id}/")
    line = AccessLog.objects.latest("id")
    accounts, log = "/console/staff/auth/user/", "/console/staff/console/accesslog/"
    addresses = [
        "/console/staff/", "/console/staff/auth/", "/console/staff/console/", accounts, f"{accounts}?q=nobody",
        f"{accounts}add/", f"{accounts}{user.pk}/", f"{accounts}{user.pk}/password/", f"{accounts}{user.pk}/sign-in/",
        f"{accounts}{user.pk}/history/", f"{accounts}{user.pk}/delete/", log, f"{log}?q=kept&status=200",
        f"{log}{line.pk}/change/",
    ]  # fmt: skip
    found = {}
    for address in addresses:
        page.goto(address)
        assert page.locator("#site-name").count(), address
        if findings := _looked_at(page):
            found[address] = findings
    page.goto(f"{accounts}add/")
    page.evaluate("document.querySelectorAll('form').forEach(each => { each.noValidate = true; })")
    page.locator("[name=_save]").click()
    page.locator(".errorlist").first.wait_for()
    found["errors"] = _looked_at(page)
    page.goto(f"{accounts}{user.pk}/sign-in/")
    page.get_by_role("button", name="Make an invitation").click()
    expect(page.locator("#invitation-code")).to_be_visible()
    found["invitation"] = _looked_at(page)
    assert {where: what for where, what in found.items() if what} == {}


def test_every_form_of_an_act_and_what_it_answers_is_without_a_finding(full: Full, page: Page) -> None:
    """As it opens, and after it was sent as it stands: with the faults of what is missing, or with the preview.

    Forms consist of the same parts: all four of widths and colours are looked at for every tenth.
    """
    found = {}
    for number, name in enumerate(ACTS):
        seen_elsewhere = number % 10 > 0
        page.goto(f"/console/companies/{full.company.organization_id}/act/{name}/")
        if findings := _looked_at(page, seen_elsewhere=seen_elsewhere):
            found[name] = findings
        page.evaluate("document.querySelector('main form').noValidate = true")
        _press(page, page.locator("main form button.main"))
        if findings := _looked_at(page, seen_elsewhere=seen_elsewhere):
            found[f"{name}, sent"] = findings
    assert found == {}


@pytest.mark.parametrize("width, scheme", [(1280, "dark"), (390, "light"), (320, "dark")])
def test_the_menu_the_palette_and_what_it_finds_are_without_a_finding(
    width: int, scheme: Any, full: Full, page: Page
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"/console/companies/{full.company.organization_id}/")
    found = _looked_at(page)
    if width < 860:
        page.get_by_role("button", name="Menu").click()
        expect(page.locator("nav.side")).to_be_visible()
        found += _looked_at(page)
        page.keyboard.press("Escape")
        expect(page.locator("nav.side")).to_be_hidden()
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Search")
    expect(palette.get_by_role("option", name="Work list")).to_be_visible()
    found += _looked_at(page)
    page.keyboard.type("person 001")
    option = palette.get_by_role("option", name="Person 001")
    expect(option).to_have_attribute("aria-selected", "true")
    found += _looked_at(page)
    page.keyboard.type(" and nobody")
    expect(palette.get_by_role("status")).to_contain_text("Nothing here is called")
    found += _looked_at(page)
    page.keyboard.press("Escape")
    expect(palette).to_be_hidden()
    page.keyboard.press("Control+k")
    page.keyboard.type("person 001")
    expect(option).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Person 001")).to_be_visible()
    assert "person" not in page.url.lower()  # what was typed, and no identifier has
    assert found == []


def test_a_preview_without_a_reason_an_open_menu_and_a_wrong_password_are_without_a_finding(
    full: Full, page: Page
) -> None:
    company, person = full.company.organization_id, full.people[3].learner_profile_id
    page.goto(f"/console/companies/{company}/act/erase/?learner_profile_id={person}")
    page.locator("main form button.main").click()
    page.locator("main form button[value=confirm]").click()
    expect(page.locator(".errorlist")).to_have_count(1)
    found = _looked_at(page)
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"/console/companies/{company}/")
    page.get_by_role("button", name="Menu").click()
    expect(page.locator("nav.side")).to_be_visible()
    found += _looked_at(page)
    page.context.clear_cookies()
    page.goto("/console/sign-in/")
    page.get_by_label("Name").fill("nobody")
    page.get_by_label("Password").fill("wrong")
    _press(page, page.get_by_role("button", name="Sign in"))
    found += _looked_at(page)
    page.goto(f"/sign/{full.samples['token']}")
    found += _looked_at(page)
    _press(page, page.locator("form button[type=submit]"))
    page.evaluate("document.querySelector('#signing').noValidate = true")
    page.get_by_role("button", name="Sign the policy").click()
    expect(page.get_by_role("alert")).to_be_visible()
    found += _looked_at(page)
    assert found == []


def test_a_fault_is_found_where_there_is_one(full: Full, page: Page) -> None:
    page.goto("/problems")
    page.evaluate("document.querySelector('main').innerHTML = '<a href=\"/\"></a><select></select>'")
    rules = {each.split(": ")[1] for each in axe.findings(page)}
    assert {"link-name", "select-name"} <= rules
