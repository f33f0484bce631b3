"""What staff see: the same rows as the API's, at any moment; stories, proofs, people."""

import csv
import io
import re
import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from compliance.access.actions import issue_key
from compliance.history.actions import capture_all
from compliance.interfaces.console.acting.pages import PAGES as ACTING
from compliance.interfaces.console.pages import PAGES
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER, OPERATOR
from compliance.interfaces.console.see.pages import PAGES as SEE
from compliance.interfaces.console.tasks import count
from compliance.registers.listings import LISTINGS
from compliance.registers.pages import Filter
from compliance.rules.vocabulary import Scope, WaiverReasonCode
from compliance.tenancy import context, sql
from compliance.tenancy.models import Organization
from tests import verbs
from tests.companies import noon
from tests.interfaces.console.companies import HTML, full_company

pytestmark = pytest.mark.usefixtures("seen_by_all_roles")


def address(full, name, **values):
    page = next(page for page in PAGES if page.name == name)
    wanted = {part.split(">")[0].rpartition(":")[2] for part in page.path.split("<")[1:]}
    nobodys = dict.fromkeys(("job_id", "file_id", "report_id"), uuid.UUID(int=1))
    known = dict.fromkeys(wanted, "csv") | full.samples | nobodys | values
    kwargs = {value: known[value] for value in wanted}
    if page.company:
        kwargs["organization_id"] = full.company.organization_id
    return reverse(f"console:{name}", kwargs=kwargs)


def test_every_page_runs_the_same_number_of_statements_however_many_people_there_are(staff, monkeypatch):
    # A visit is noted once a minute, by one more statement of any page, and this test may take longer than a minute.
    monkeypatch.setattr("compliance.interfaces.console.sign_in.sessions.NOTED_EVERY", timedelta(days=1))
    small, large = full_company(6, "Small"), full_company(40, "Large")
    client = staff("Administrator")
    counts: dict[str, list[int]] = {}
    # Pages that need more than this company has (packs, media) may answer that nothing is there.
    whole = {page.name for page in (*SEE, *ACTING)}
    for full in (small, large):
        client.get(address(full, "training-records"))  # fills what is cached between requests
        for page in PAGES:
            if "job_id" in page.path or "GET" not in page.methods:
                continue
            with CaptureQueriesContext(
                connection,
            ) as queries:
                response = client.get(address(full, page.name))
            expected = (200,) if page.name in whole else (200, 302, 404, 405, 422)
            assert response.status_code in expected, (page.name, response.status_code)
            counts.setdefault(page.name, []).append(len(queries))
    different = {name: found for name, found in counts.items() if found[0] != found[1]}
    assert different == {}
    all_that_is_kept = counts.pop("personal-file")  # reads each table that has rows of a person once
    assert all_that_is_kept[0] <= 70
    explained = counts.pop("person")  # reads the facts behind everything that one person owes
    assert explained[0] <= 52
    assert max(found[0] for found in counts.values()) <= 40, {k: v for k, v in counts.items() if v[0] > 40}


def test_a_register_shows_the_rows_that_the_api_gives_at_the_same_moment(staff, settings):
    full = full_company(7)
    client = staff(OPERATOR)
    token, _ = issue_key(
        organization_id=full.company.organization_id,
        scopes=list(Scope),
        environment="test",
        at=timezone.now(),
        actor="test",
    )
    day = (full.company.start + timedelta(days=20)).date().isoformat()
    for name, query, register in (
        ("training-records", {"as_at": day}, "training-records"),
        ("certificates", {"as_at": day}, "certificates"),
        ("policy-records", {"as_at": day}, "policy-records"),
    ):
        rows = client.get(f"/v1/{register}", query, headers={"Authorization": f"Bearer {token}"}).json()
        page = client.get(address(full, name), query).content.decode()
        assert f"<b>{rows['total']}</b> row" in page
        key = LISTINGS[name].register.identity
        assert re.findall(r"/records/[a-z-]+/([0-9a-f-]{36})/", page) == [row[key] for row in rows["data"]]


def test_time_travel_shows_what_was_so_then_and_what_was_known_then(staff):
    full = full_company(3)
    first = full.people[1].learner_profile_id
    with context.company(full.company.organization_id):
        verbs.waive(
            organization_id=full.company.organization_id,
            learner_profile_id=first,
            course_id=full.course.course_id,
            reason_code=WaiverReasonCode.MEDICAL,
            at=full.company.start + timedelta(days=5),
            now=timezone.now(),
            actor_id=uuid.uuid4(),
        )
        capture_all(full.company.organization_id, timezone.now())
    client = staff(OPERATOR)
    where = address(full, "training-records")
    today = client.get(where).content.decode()
    assert "Waived" in today
    before = (full.company.start + timedelta(days=4)).date().isoformat()
    assert 'badge calm">Waived' not in client.get(where, {"as_at": before}).content.decode()
    assert 'badge calm">Waived' not in client.get(where, {"known": "2"}).content.decode()
    waived = client.get(where, {"show": "waived"}).content.decode()
    assert "<b>1</b> row" in waived
    early = client.get(where, {"as_at": "2019-01-01"})
    assert (early.status_code, "begin on" in early.content.decode()) == (422, True)


def test_pages_follow_each_other_without_a_gap_or_a_repetition(staff):
    full = full_company(60)
    client, where = staff(OPERATOR), address(full, "training-records")
    seen, query = [], ""
    while True:
        page = client.get(f"{where}?{query}").content.decode()
        seen += re.findall(r"/records/training-records/([0-9a-f-]{36})/", page)
        found = re.search(r'href="\?([^"]+)" rel="next"', page)
        if not found:
            break
        query = found[1].replace("&amp;", "&")
    assert len(seen) == len(set(seen)) == 60


def test_a_count_that_takes_too_long_is_given_up_and_the_page_comes_without_it(staff, monkeypatch):
    full = full_company(3)
    slow = LISTINGS["training-records"]._replace(filters={"slow": Filter("Slow", "pg_sleep(0.2) IS NOT NULL")})
    monkeypatch.setitem(LISTINGS, "training-records", slow)
    client, where = staff(OPERATOR), address(full, "training-records")
    monkeypatch.setattr("compliance.interfaces.console.see.registers.COUNTED_MILLISECONDS", 50)
    page = client.get(where, {"show": "slow"}).content.decode()
    assert "Too many rows to count" in page
    assert page.count('name="record_ids"') in (0, 3)


def test_the_worker_counts_what_a_large_register_held_at_a_chosen_moment(staff, monkeypatch):
    full = full_company(7)
    sent = []
    monkeypatch.setattr("celery.current_app.send_task", lambda name, args, **_: sent.append((name, args)))
    monkeypatch.setattr("compliance.interfaces.console.see.registers.LARGE", 0)
    client, where = staff(OPERATOR), address(full, "training-records")
    day = full.company.start + timedelta(days=20)
    question = {"as_at": day.date().isoformat(), "known": "2", "show": "open"}
    waiting = client.get(where, question).content.decode()
    assert "The rows are being counted" in waiting
    assert "The rows are being counted" in client.get(where, question).content.decode()
    ((name, asked),) = sent  # however often the page is opened
    assert name == count.name
    count(*asked)
    page = client.get(where, question).content.decode()
    listed = len(set(re.findall(r"/records/training-records/([0-9a-f-]{36})/", page)))
    assert listed > 0
    assert f"<b>{listed}</b> row" in page
    other = client.get(where, question | {"known": "1"}).content.decode()
    assert "The rows are being counted" in other  # the count as known at another capture is another number


def test_a_rare_row_of_a_large_register_is_looked_for_by_as_many_statements_however_far_away(staff, monkeypatch):
    # As for a company of many hundred thousand records: nothing is counted, and a batch has two records.
    monkeypatch.setattr("compliance.interfaces.console.see.registers.LARGE", 0)
    monkeypatch.setattr("compliance.interfaces.console.see.registers.LOOKS", 3)
    monkeypatch.setattr("compliance.registers.pages.CANDIDATES", 2)
    monkeypatch.setattr("compliance.registers.pages.SCANS", 1)
    client, counts = staff(OPERATOR), []
    for people in (10, 30):
        full = full_company(people, f"Company of {people}")
        organization_id, where = full.company.organization_id, address(full, "training-records")
        with context.company(organization_id):
            ((last,),) = sql.fetch(
                "SELECT max(birth) FROM history_historyrecord WHERE organization_id = %s AND register = 1",
                [organization_id],
            )
        rare = LISTINGS["training-records"]._replace(filters={"rare": Filter("Rare", f"r.birth = {last}")})
        monkeypatch.setitem(LISTINGS, "training-records", rare)
        query, seen, pages = "show=rare", [], 0
        while query:
            with CaptureQueriesContext(connection) as queries:
                page = client.get(f"{where}?{query}").content.decode()
            if not pages:
                counts.append(len(queries))
            seen += re.findall(r"/records/training-records/([0-9a-f-]{36})/", page)
            found = re.search(r'href="\?([^"]+)" rel="next"', page)
            query, pages = found[1].replace("&amp;", "&") if found else "", pages + 1
        assert len(seen) == 1
        assert pages > people // (2 * 3)  # the pages before it were empty and linked to the next
    assert counts[0] == counts[1]


def test_a_table_of_receipts_begins_where_the_page_does(staff):
    full = full_company(3, start=noon(500))
    client = staff(COMPLIANCE_MANAGER)
    page = client.get(address(full, "acknowledgements")).content.decode()
    assert "<b>3</b> rows" in page
    taken = client.get(address(full, "export", what="acknowledgements", written_as="csv"))
    assert len(list(csv.DictReader(io.StringIO(taken.getvalue().decode("utf-8-sig"))))) == 3


def test_a_story_tells_every_version_and_what_changed(staff):
    full = full_company(3)
    page = staff(OPERATOR).get(address(full, "record")).content.decode()
    assert "The record appears" in page
    assert "Changed: Done" in page
    assert "Shared" in page
    assert "Version 1 published" in page


def test_a_person_s_page_shows_what_they_owe_have_done_signed_and_hold(staff):
    full = full_company(3)
    page = staff(OPERATOR).get(address(full, "person")).content.decode()
    for words in (
        "Person 000",
        "<b>Completed</b>: Fire safety",
        "Fire safety",
        "Done on time",
        "Code of conduct",
        "Fire",
        "Sales",
    ):
        assert words in page


def test_people_are_found_by_a_part_of_a_name_by_address_and_by_any_identifier(staff):
    full = full_company(3)
    client, where = staff(OPERATOR), address(full, "search")
    person = address(full, "person")
    for wanted in ("son 000", "PERSON.000@EXAMPLE"):
        assert person in client.post(where, {"q": wanted}).content.decode(), wanted
    for identifier in (full.people[0].person_id, full.people[0].learner_profile_id, full.samples["record_id"]):
        assert client.post(where, {"q": str(identifier)}).url == person
    assert "invited@example.org" in client.post(where, {"q": "invited@"}).content.decode()
    assert "Nothing here is called" in client.post(where, {"q": "100%"}).content.decode()


def test_a_receipt_is_verified_before_the_eyes(staff):
    full = full_company(4)
    page = staff(OPERATOR).get(address(full, "receipt"), {"verify": "1"}).content.decode()
    assert "It holds." in page
    assert "svc.receipt/2" in page
    assert page.count('badge good">yes') == 6
    assert "Receipt 1" in page
    assert "Receipt 3" in page


def test_a_policy_version_is_displayed_as_people_read_it(staff):
    full = full_company(2)
    page = staff(OPERATOR).get(address(full, "policy"))
    assert HTML in page.content.decode()
    assert "badge bad" not in page.content.decode()


def test_what_is_not_there_says_so(staff):
    full = full_company(2)
    client = staff(OPERATOR)
    for name, values in (
        ("person", {"learner_profile_id": uuid.uuid4()}),
        ("record", {"record_id": uuid.uuid4()}),
        ("record", {"register": "nonsense"}),
        ("receipt", {"receipt_id": uuid.uuid4()}),
        ("policy", {"course_release_id": uuid.uuid4()}),
        ("capture", {"capture_sequence": 99}),
        ("job", {}),
    ):
        assert client.get(address(full, name, **values)).status_code == 404, name
    for query in (
        {"as_at": "soon"},
        {"as_at": "2026-01-01", "time": "noon"},
        {"known": "x"},
        {"course": "x"},
        {"after": "x"},
    ):
        assert client.get(address(full, "training-records"), query).status_code == 422, query


def test_a_day_is_the_same_day_in_every_time_zone(staff):
    """A policy takes effect on its day in the company's time zone, whatever the time zone of the service."""
    full = full_company(2)
    Organization.objects.filter(organization_id=full.company.organization_id).update(time_zone="Pacific/Pago_Pago")
    page = staff(OPERATOR).get(address(full, "policy-versions")).content.decode()
    assert '<time class="nowrap" datetime="2025-01-01">1 January 2025</time>' in page
