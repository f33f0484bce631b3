"""Every endpoint, page and task, called with one company's authority and another company's identifiers."""

import re
from datetime import timedelta
from urllib.parse import quote

import pytest
from celery import current_app
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone

from compliance.history.models import HistoryRow
from compliance.interfaces.api.urls import urlpatterns as api_urls
from compliance.interfaces.console.models import StaffAccess
from compliance.interfaces.console.pages import PAGES
from compliance.interfaces.console.permissions import AUDITOR
from compliance.tenancy import checks, context, sql
from compliance.tenancy.directory import DIRECTORY_TABLES
from tests.interfaces.console.conftest import signed_in

pytestmark = pytest.mark.usefixtures("seen_by_all_roles")
ADMINISTRATOR = "ad000000-0000-4000-8000-000000000001"
REGISTERS = tuple(str(pattern.pattern) for pattern in api_urls if "openapi" not in str(pattern.pattern))


def leaks(tenant, text: str) -> set[str]:
    """The secrets and identifiers of `tenant` in a text."""
    return {secret for secret in tenant.secrets - {ADMINISTRATOR} if secret in text}


def call(tenant, path, **parameters):
    return Client().get(f"/{path}", parameters, HTTP_AUTHORIZATION=f"Bearer {tenant.key}")


def needed(path) -> dict[str, str]:
    return {"from": "2025-12-01", "to": "2026-05-31"} if path in ("v1/people", "v1/training-records/period") else {}


def test_no_endpoint_shows_anything_of_another_company(tenants):
    """All in one test: making the companies costs more than the calls."""
    ours, theirs = tenants
    for path in REGISTERS:
        _ask_endpoint(ours, theirs, path)


def _ask_endpoint(ours, theirs, path):
    answer = call(ours, path, **needed(path))
    assert answer.status_code == 200, answer.content
    assert str(ours.organization_id) in answer.content.decode()
    assert not leaks(theirs, answer.content.decode())
    for number, identifier in enumerate(theirs.identifiers):
        for name in {"course", ("cursor", "organization_id", "as_at")[number % 3]}:
            asked = call(ours, path, **needed(path) | {name: identifier})
            assert asked.status_code in (200, 400)
            text = asked.content.decode().replace(identifier, "")
            assert not leaks(theirs, text) - {identifier}
            if asked.status_code == 200 and "data" in asked.json():
                assert asked.json()["data"] == []


def test_a_cursor_of_another_company_opens_nothing(tenants):
    ours, theirs = tenants
    opened = 0
    for path in REGISTERS:
        cursor = call(theirs, path, **needed(path) | {"limit": "1"}).json().get("next_cursor")
        if cursor is not None:
            opened += 1
            asked = call(ours, path, cursor=cursor)
            assert (asked.status_code, asked.json()["code"]) == (400, "invalid_cursor")
    assert opened >= 3


@pytest.fixture
def auditor(tenants):
    """An auditor who may see our company alone."""
    user = User.objects.create(username="auditor")
    user.groups.add(Group.objects.get(name=AUDITOR))
    StaffAccess.objects.create(
        user=user, valid_until=timezone.now() + timedelta(days=1), every_company=False,
        organization_ids=[tenants[0].organization_id],
    )  # fmt: skip
    return signed_in(user)


def _filled(address: str, organization_id, value: str) -> str | None:
    """A page's address with `value` in every placeholder but the company; None when the page takes no such value."""
    address = address.replace("<uuid:organization_id>", str(organization_id))
    address = re.sub(r"<int:[a-z_]+>", "1", address)
    address = re.sub(r"<(?:uuid|str|slug):[a-z_]+>", value, address)
    return None if "<" in address else f"/console/{address}"


def test_no_page_shows_anything_of_another_company(tenants, auditor):
    ours, theirs = tenants
    # Pages that take an identifier come last: our company's log rightly lists what was asked for.
    for page in sorted(PAGES, key=lambda page: page.address.count("<")):
        _ask_page(ours, theirs, auditor, page)


def _ask_page(ours, theirs, auditor, page):
    values = theirs.identifiers if "<uuid:" in page.address.replace("<uuid:organization_id>", "") else ("x",)
    for value in values:
        address = _filled(page.address, ours.organization_id, value)
        if address is None or "GET" not in page.methods:
            continue
        answer = auditor.get(address)
        text = (
            b"".join(answer.streaming_content).decode() if answer.streaming else answer.content.decode(errors="replace")
        )
        assert answer.status_code < 500
        assert not leaks(theirs, text.replace(value, "").replace(quote(value), "")) - {value}
        if page.company and value != "x":
            assert (
                answer.status_code in (302, 403, 404, 405, 422)
                or value not in text
                or not leaks(theirs, text) - {value}
            )
    if page.company:
        for method in page.methods:
            address = _filled(page.address, theirs.organization_id, values[0])
            answer = auditor.generic(method, address)
            assert answer.status_code in (403, 404), f"{method} {address}"
            assert not leaks(theirs, answer.content.decode().replace(str(theirs.organization_id), "")) - set(values)


def _state(tenant):
    """All rows of a company, as one text per table."""
    found = {}
    with context.company(tenant.organization_id):
        tables = sql.fetch("SELECT c.relname FROM pg_class c WHERE relrowsecurity AND relkind = 'r' ORDER BY 1")
        for (table,) in tables:
            ((found[table],),) = sql.fetch(
                f"SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM {table} t"
                " WHERE organization_id = %s",
                [tenant.organization_id],
            )
    return found


TASKS = (
    "compliance.history.capture",
    "compliance.history.sweep_company",
    "compliance.operations.remind",
    "compliance.operations.verify",
)


def test_no_task_touches_another_company(tenants, settings, tmp_path):
    settings.LOG_FOLDER = str(tmp_path / "log")
    ours, theirs = tenants
    ours.company.join("Somebody New")
    before = _state(theirs)
    current_app.loader.import_default_modules()
    for task in TASKS:
        current_app.tasks[task].run(str(ours.organization_id))
        assert _state(theirs) == before, task
    for identifier in theirs.identifiers[1:]:  # of their people, courses and shares: no company's
        for task in TASKS[:2]:
            current_app.tasks[task].run(identifier)
    assert _state(theirs) == before


def test_inside_a_company_the_database_shows_no_row_of_another(tenants):
    ours, theirs = tenants
    with context.company(ours.organization_id):
        for (table,) in sql.fetch("SELECT relname FROM pg_class WHERE relrowsecurity AND relkind = 'r'"):
            ((rows,),) = sql.fetch(f"SELECT count(*) FROM {table} WHERE organization_id = %s", [theirs.organization_id])
            assert rows == 0, table
        assert not HistoryRow.objects.filter(organization_id=theirs.organization_id).exists()


def test_every_table_with_a_company_has_row_level_security_or_is_in_the_directory():
    without = {
        table
        for (table,) in sql.fetch(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
            " AND a.attname = 'organization_id'"
            " WHERE c.relkind IN ('r', 'p') AND NOT c.relrowsecurity AND c.relnamespace = 'public'::regnamespace"
        )
    }
    assert without <= set(DIRECTORY_TABLES)


def test_the_suite_runs_as_the_role_that_may_start():
    checks.refuse_unsafe_role()
    assert settings.DATABASES["default"]["USER"] == "app"
