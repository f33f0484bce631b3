"""Fixtures: staff of every group, signed in, and companies."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from compliance.interfaces.console.models import StaffAccess
from compliance.interfaces.console.permissions import AUDITOR
from compliance.interfaces.console.sign_in import sessions
from compliance.tenancy.models import Organization
from tests.interfaces.console.companies import full_company

PASSWORD = "correct horse battery staple"


@pytest.fixture(autouse=True)
def quick_passwords(settings: Any) -> None:
    """Uses a fast password hash, because a real one takes a third of a second."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def patient_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets no count time out on a busy machine, because the tests compare what pages say."""
    monkeypatch.setattr("compliance.interfaces.console.see.registers.COUNTED_MILLISECONDS", 60_000)


@pytest.fixture(autouse=True)
def no_waiting_for_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes pages after an act not wait, because no worker runs beside these tests."""
    monkeypatch.setattr("compliance.interfaces.console.awaiting.WAITS_SECONDS", 0)


def make_staff(name: str, group: str | None, companies: list[uuid.UUID] | None = None, days: int = 30) -> User:
    """Makes an account. An auditor gets access that ends, limited to `companies` if given."""
    user = User.objects.create_user(name, password=PASSWORD, is_superuser=group == "Administrator")
    if group and group != "Administrator":
        user.groups.add(Group.objects.get(name=group))
    if group == AUDITOR or companies is not None:
        StaffAccess.objects.create(
            user=user,
            valid_until=timezone.now() + timedelta(days=days),
            every_company=companies is None,
            organization_ids=companies or [],
        )
    return user


def signed_in(user: User) -> Client:
    """A client whose session begins now."""
    client = Client()
    begin_session(client, user)
    return client


def begin_session(client: Client, user: User, now: datetime | None = None, *, second_factor: bool = False) -> None:
    """Signs `user` in at `now`, without the pages of sign-in."""
    client.force_login(user)
    request = HttpRequest()
    request.session, request.user = client.session, user
    sessions.begin(request, user, now or timezone.now(), second_factor=second_factor)
    request.session.save()


@pytest.fixture
def rows(request: pytest.FixtureRequest) -> None:
    """Allows database writes, in a transaction unless the test commits."""
    if {"committed", "seen_by_all_roles"}.isdisjoint(request.fixturenames):
        request.getfixturevalue("db")


@pytest.fixture
def staff(rows: None) -> Callable[..., Client]:
    """Makes a member of staff of a group and signs them in."""

    def make(group: str | None, companies: list[uuid.UUID] | None = None, days: int = 30) -> Client:
        return signed_in(make_staff(f"{group or 'nobody'}-{uuid.uuid4().hex[:6]}", group, companies, days))

    return make


@pytest.fixture
def empty_company(rows: None) -> Organization:
    """A company without any history."""
    return Organization.objects.create(
        name="Harbour Bakery",
        time_zone="Europe/Lisbon",
        history_complete_from=datetime(2025, 1, 1, tzinfo=UTC),
        created_at=datetime(2025, 1, 1, tzinfo=UTC),
    )


@pytest.fixture
def full(committed):
    """A committed company, visible to the server."""
    return full_company(4, f"Browser {uuid.uuid4().hex[:8]}")


@pytest.fixture
def desk(browser, served):
    """Opens the console as a member of a group, at a width, light or dark. Fails on errors in the browser's console."""
    complaints: list[str] = []
    contexts = []

    def open_as(group: str, width: int = 1280, scheme: str = "light") -> Page:
        user = make_staff(f"{group}-{uuid.uuid4().hex[:8]}", group)
        opened = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, base_url=served)
        contexts.append(opened)
        page = opened.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.goto("/console/companies/")
        page.get_by_label("Name").fill(user.username)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Companies")).to_be_visible()
        return page

    yield open_as
    for opened in contexts:
        opened.close()
    assert complaints == []
