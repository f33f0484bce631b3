"""Rows as stored, among the pages of Django's admin: what is displayed and to whom, with nothing counted or changed."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from compliance.facts.ledger.models import PendingSubject
from compliance.facts.personal_columns import PERSONAL_COLUMNS
from compliance.history.models import Capture, HistoryRecord, HistoryRow
from compliance.interfaces.console.models import AccessLog, Job
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR
from compliance.interfaces.console.stored.tables import TABLES
from compliance.interfaces.operations.models import VerificationRun
from compliance.log import signing
from compliance.log.queries import leaf_of
from compliance.tenancy import context
from tests.interfaces.console.companies import Full, full_company

pytestmark = pytest.mark.usefixtures("seen_by_all_roles")  # the list of companies reads pending subjects as the owner
COMPANIES = "/console/staff/records/"


def address(full: Full, table: str = "", number: int | None = None) -> str:
    name = f"console:stored{f'-{table}' if table else ''}{'' if number is None else '-row'}"
    values = {"organization_id": full.company.organization_id} | ({} if number is None else {"number": number})
    return reverse(name, kwargs=values)


def whole_company(people: int = 4, name: str = "Acme") -> Full:
    """A company with a row in every table."""
    full = full_company(people, name)
    organization_id, now = full.company.organization_id, timezone.now()
    with context.company(organization_id):
        Job.objects.create(
            organization_id=organization_id, act="import", user_id=1, username="olga", asked_at=now,
            told={"person_name": "Typed Name"}, message="Typed Name", findings=["Typed Name"], upload=b"Typed Name",
            upload_name="Typed Name.jsonl",
        )  # fmt: skip
        PendingSubject.objects.create(
            organization_id=organization_id, kind="person", first=full.people[0].learner_profile_id, recorded_at=now
        )
        VerificationRun.objects.create(
            organization_id=organization_id, kind="history", started_at=now, finished_at=now, well=True
        )
    return full


def newest(full: Full, table: str) -> int:
    with context.company(full.company.organization_id):
        rows, _ = TABLES[table].page(full.company.organization_id, None)
        return getattr(rows[0], TABLES[table].key)


def test_every_table_lists_its_rows_and_shows_each_of_them(staff):
    full = whole_company()
    client = staff(AUDITOR)
    assert address(full) in client.get(COMPANIES).content.decode()
    overview = client.get(address(full)).content.decode()
    for table in TABLES:
        assert address(full, table) in overview
        number = newest(full, table)
        assert address(full, table, number) in client.get(address(full, table)).content.decode()
        assert client.get(address(full, table, number)).status_code == 200
        assert client.get(address(full, table, 10**30)).status_code == 404


def test_a_history_row_names_its_digest_the_rows_before_it_and_what_seals_it(staff, settings, tmp_path):
    full = whole_company()
    organization_id = full.company.organization_id
    with context.company(organization_id):
        later = next(
            row for row in HistoryRow.objects.filter(organization_id=organization_id) if row.birth != row.sequence
        )
        before, first = (
            HistoryRow.objects.get(organization_id=organization_id, sequence=number)
            for number in (later.sequence - 1, later.birth)
        )
        capture = Capture.objects.get(organization_id=organization_id, capture_sequence=later.capture_sequence)
    client = staff(AUDITOR)
    page = client.get(address(full, "rows", later.sequence)).content.decode()
    for row in (later, before, first):
        assert bytes(row.row_sha256).hex() in page
    assert capture.chain_hash in page
    assert address(full, "captures", capture.capture_sequence) in page
    assert "Signed checkpoint</th><td><span" in page
    settings.LOG_FOLDER = str(tmp_path / "log")
    settings.CHECKPOINT_KEYS = ["a key of the test that is long enough"]
    signing.sign_new(timezone.now())
    page = client.get(address(full, "rows", later.sequence)).content.decode()
    entry = leaf_of(organization_id, capture.capture_sequence)
    assert f"entry {entry} of the log, under the checkpoint of" in page


def test_captures_and_receipts_lead_to_the_ones_beside_them(staff):
    full = whole_company()
    client = staff(AUDITOR)
    page = client.get(address(full, "receipts", 2)).content.decode()
    assert address(full, "receipts", 1) in page
    assert address(full, "receipts", 3) in page
    number = newest(full, "captures")
    assert (
        address(full, "captures", number - 1) in client.get(address(full, "captures", number)).content.decode()
    ) == (number > 1)


def test_pages_follow_each_other_without_a_count_and_begin_where_they_are_asked_to(staff):
    full = full_company(60)
    client, seen, query = staff(AUDITOR), [], ""
    while True:
        with CaptureQueriesContext(connection) as queries:
            page = client.get(f"{address(full, 'rows')}?{query}").content.decode()
        assert not [each["sql"] for each in queries if "count(" in each["sql"].lower() and "history" in each["sql"]]
        seen += [int(found) for found in re.findall(r'/rows/(\d+)/">', page)]
        found = re.search(r'href="\?([^"]+)" rel="next"', page)
        if not found:
            break
        query = found[1]
    assert seen == sorted(set(seen), reverse=True)
    assert seen[-1] == 1
    assert seen[0] == len(seen) > 100
    for text in ("7", " 7", "-1", "x", "9" * 40, "\0", "٧"):
        assert client.get(address(full, "rows"), {"from": text}).status_code == 200, text
    assert re.findall(r'/rows/(\d+)/">', client.get(address(full, "rows"), {"from": "7"}).content.decode())[0] == "7"


def test_every_page_runs_the_same_number_of_statements_however_long_the_history_is(staff):
    client, counts = staff(AUDITOR), []
    for full in (whole_company(4, "Small"), whole_company(30, "Large")):
        client.get(COMPANIES)
        found = {}
        for table in TABLES:
            for number in (None, newest(full, table)):
                with CaptureQueriesContext(connection) as queries:
                    assert client.get(address(full, table, number)).status_code == 200
                found[table, number is None] = len(queries)
        counts.append(found)
    assert counts[0] == counts[1]
    assert max(counts[0].values()) <= 26


def test_an_auditor_sees_the_rows_of_their_own_companies_and_no_others(staff):
    own, other = whole_company(2, "Own Company"), whole_company(2, "Other Company")
    client = staff(AUDITOR, companies=[own.company.organization_id])
    page = client.get(COMPANIES).content.decode()
    assert "Own Company" in page
    assert "Other Company" not in page
    for table in TABLES:
        assert client.get(address(own, table)).status_code == 200
        for number in (None, newest(other, table)):
            answer = client.get(address(other, table, number))
            assert answer.status_code == 404
            assert "Other Company" not in answer.content.decode()


def test_operators_and_compliance_managers_do_not_come_in(staff):
    full = whole_company()
    for group in (OPERATOR, COMPLIANCE_MANAGER):
        client = staff(group)
        for where in (COMPANIES, address(full), address(full, "rows")):
            assert client.get(where).status_code == 403
        assert address(full) not in client.get(f"/console/companies/{full.company.organization_id}/").content.decode()


def test_auditors_get_from_the_company_to_its_rows_and_never_to_the_accounts(staff):
    full = whole_company()
    client = staff(AUDITOR)
    assert address(full) in client.get(f"/console/companies/{full.company.organization_id}/").content.decode()
    assert client.get("/console/staff/", follow=True).redirect_chain[-1][0] == COMPANIES
    page = client.get(address(full, "rows")).content.decode()
    assert "/console/staff/auth/" not in page
    assert "/console/staff/console/" not in page
    user = User.objects.first()
    for where in ("auth/user/", f"auth/user/{user.pk}/sign-in/", "console/accesslog/"):
        assert client.get(f"/console/staff/{where}").status_code == 302


def test_superusers_get_from_the_accounts_to_the_rows(staff):
    page = staff("Administrator").get("/console/staff/").content.decode()
    assert COMPANIES in page
    assert "/console/staff/auth/user/" in page


def test_what_is_opened_is_in_the_access_log_with_whose_records_were_displayed(staff):
    full = whole_company()
    organization_id = full.company.organization_id
    client = staff(AUDITOR)
    with context.company(organization_id):
        record = HistoryRecord.objects.filter(organization_id=organization_id, learner_profile_id__isnull=False)[0]
    client.get(address(full, "rows", record.birth))
    line = AccessLog.objects.latest("id")
    assert (line.page, line.organization_id, line.groups, line.status) == (
        "stored-rows-row",
        organization_id,
        AUDITOR,
        200,
    )
    assert line.subject == f"number={record.birth}"
    assert line.learner_profile_ids == [record.learner_profile_id]
    for table in ("rows", "receipts", "waiting"):
        client.get(address(full, table))
        line = AccessLog.objects.latest("id")
        assert line.page == f"stored-{table}"
        assert full.people[0].learner_profile_id in line.learner_profile_ids, table
    client.get(address(full, "waiting", newest(full, "waiting")))
    assert AccessLog.objects.latest("id").learner_profile_ids == [full.people[0].learner_profile_id]


def test_nothing_can_be_changed_here(staff):
    full = whole_company()
    client = staff("Administrator")
    for table in TABLES:
        for where in (address(full, table), address(full, table, newest(full, table))):
            page = client.get(where).content.decode()
            assert re.findall(r'<form[^>]*method="post"[^>]*action="([^"]*)"', page) == ["/console/sign-in/out/"]
            for method in ("post", "put", "patch", "delete"):
                assert getattr(client, method)(where).status_code == 405


def test_no_page_shows_what_people_typed_or_a_name(staff):
    full = whole_company()
    client = staff("Administrator")
    for table in TABLES.values():
        assert not set(PERSONAL_COLUMNS.get(table.model._meta.db_table, ())) & set(table.listed)
        with context.company(full.company.organization_id):
            numbers = [getattr(row, table.key) for row in table.page(full.company.organization_id, None)[0]]
        for where in (address(full, table.name), *(address(full, table.name, number) for number in numbers)):
            page = client.get(where).content.decode()
            for word in ("Person 00", "person.00", "invited@example.org", "P. Person", "Typed Name"):
                assert word not in page, where


def test_the_strict_policy_of_content_holds_here_too(staff):
    full = whole_company()
    client = staff(AUDITOR)
    for where in (COMPANIES, address(full), address(full, "rows"), address(full, "rows", 1)):
        answer = client.get(where)
        assert "unsafe" not in answer.headers["Content-Security-Policy"]
        page = answer.content.decode()
        assert not re.search(r"<script(?![^>]*src=)|<style|style=\"", page), where
