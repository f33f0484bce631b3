"""The access log under attack: by extra input, by the database's administrator, and with many simultaneous writers."""

import json
import subprocess
import sys
import uuid
from datetime import timedelta

import pytest
import zstandard
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from compliance.interfaces.console import access_chain, access_log
from compliance.interfaces.console.models import AccessChain, AccessLog
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR
from compliance.tenancy import context
from tests.interfaces.console.companies import Full, full_company
from tests.interfaces.console.conftest import PASSWORD, make_staff, signed_in

pytestmark = pytest.mark.django_db
ADMINISTRATOR = "Administrator"


@pytest.fixture
def company(db) -> Full:
    return full_company(4, "Log Street")


def address(company: Full, name: str, **values) -> str:
    return reverse(f"console:{name}", kwargs={"organization_id": company.company.organization_id} | values)


def newest(company: Full) -> AccessLog:
    return AccessLog.objects.filter(organization_id=company.company.organization_id).latest("id")


def confirmed(client, page: str, told: dict) -> None:
    """Does an act: preview, reason, confirmation."""
    shown = client.post(page, told | {"step": "preview"})
    assert shown.status_code == 200, shown.content.decode()[:3000]
    job = shown.context["job"] if shown.context else None
    job = job or shown.content.decode().split('name="job" value="')[1].split('"')[0]
    done = client.post(page, told | {"step": "confirm", "job": job, "reason": "As the company asked."})
    assert done.status_code == 302, done.content.decode()[:3000]


def test_a_long_extra_field_pushes_no_subject_out(staff, company):
    client = staff(COMPLIANCE_MANAGER)
    person = company.people[2].learner_profile_id
    told = {"learner_profile_id": str(person), "a_id": "x" * 5000, "aa_id": str(uuid.uuid4())}
    confirmed(client, address(company, "act-suspend"), told)
    line = AccessLog.objects.get(organization_id=company.company.organization_id, act="suspend")
    assert line.learner_profile_ids == [person]
    assert line.subject == f"learner_profile_id={person}"


def test_a_long_path_is_cut_where_it_is_long_and_nowhere_else(staff, company):
    client = staff(COMPLIANCE_MANAGER)
    record = uuid.uuid4()
    client.get(address(company, "record", register="r" * 4000, record_id=record))
    assert newest(company).subject == f"register={'r' * 80} record_id={record}"


def test_an_act_on_many_names_each_of_them(staff, company):
    client = staff(COMPLIANCE_MANAGER)
    organization_id = company.company.organization_id
    with context.company(organization_id), connection.cursor() as cursor:
        cursor.execute(
            "SELECT record_id FROM history_historyrecord WHERE organization_id = %s AND register = 1"
            " AND learner_profile_id = ANY(%s)",
            [organization_id, [person.learner_profile_id for person in company.people[1:]]],
        )
        records = [row[0] for row in cursor.fetchall()]
    told = {"record_ids": "\n".join(map(str, records)), "reason_code": "administrative"}
    confirmed(client, address(company, "act-waive-many"), told)
    line = AccessLog.objects.get(organization_id=organization_id, act="waive-many")
    assert line.learner_profile_ids == sorted(person.learner_profile_id for person in company.people[1:])


def test_every_page_says_whose_records_it_showed(staff, company):
    client = staff(AUDITOR)
    everyone = sorted(person.learner_profile_id for person in company.people)
    client.get(address(company, "training-records"))
    assert newest(company).learner_profile_ids == everyone
    client.get(address(company, "record", register="training-records", record_id=company.samples["record_id"]))
    assert len(newest(company).learner_profile_ids) == 1
    client.get(address(company, "receipt", receipt_id=company.samples["receipt_id"]))
    assert newest(company).learner_profile_ids == [company.people[1].learner_profile_id]
    b"".join(client.get(address(company, "export", what="people", written_as="csv")).streaming_content)
    assert newest(company).everybody


@pytest.mark.parametrize("act", ["suspend", "erase", "waive", "set-deadline", "team"])
def test_a_form_that_says_whose_an_identifier_is_has_named_them(act, staff, company):
    client = staff(COMPLIANCE_MANAGER)
    person = company.people[1].learner_profile_id
    where = address(company, f"act-{act}")
    for answer in (
        client.get(where, {"learner_profile_id": person}),
        client.post(where, {"learner_profile_id": person, "step": "back"}),
    ):
        assert "Person 001" in answer.content.decode()
        assert newest(company).learner_profile_ids == [person]


def test_who_saw_this_persons_records(staff, company):
    person = company.people[2].learner_profile_id
    seeing = make_staff("the-one-who-looked", OPERATOR)
    signed_in(seeing).get(address(company, "person", learner_profile_id=person))
    signed_in(make_staff("elsewhere", OPERATOR)).get(
        address(company, "person", learner_profile_id=company.people[1].learner_profile_id)
    )
    client = staff(AUDITOR)
    shown = client.get(address(company, "log-person", learner_profile_id=person)).content.decode()
    assert "the-one-who-looked" in shown
    assert "elsewhere" not in shown
    yesterday = (timezone.now() - timedelta(days=2)).date().isoformat()
    before = client.get(address(company, "log-person", learner_profile_id=person), {"to": yesterday})
    assert "the-one-who-looked" not in before.content.decode()
    assert staff(OPERATOR).get(address(company, "log-person", learner_profile_id=person)).status_code == 403


def test_who_saw_takes_the_same_statements_for_any_number_of_lines(staff, company):
    client = staff(AUDITOR)
    page = address(company, "log-person", learner_profile_id=company.people[0].learner_profile_id)
    client.get(page)
    counted = []
    for _ in range(2):
        with CaptureQueriesContext(
            connection,
        ) as captured:
            client.get(page)
        counted.append(len(captured))
        for _ in range(20):
            client.get(address(company, "person", learner_profile_id=company.people[0].learner_profile_id))
    assert counted[0] == counted[1]


def test_each_change_of_a_staff_account_and_each_failed_sign_in_has_its_line(client, staff):
    administrator = staff(ADMINISTRATOR)
    last = AccessLog.objects.latest("id").pk if AccessLog.objects.exists() else 0
    user = make_staff("hanna", OPERATOR)
    form = {
        "username": "hanna", "email": "hanna@example.org", "is_active": "on", "first_name": "", "last_name": "",
        "staff_access-TOTAL_FORMS": "0", "staff_access-INITIAL_FORMS": "0", "company_accounts-TOTAL_FORMS": "0",
        "company_accounts-INITIAL_FORMS": "0",
    }  # fmt: skip
    shown = administrator.get(f"/console/staff/auth/user/{user.pk}/change/").content.decode()
    for part in shown.split('name="')[1:]:
        name = part.split('"')[0]
        if name.endswith(("TOTAL_FORMS", "INITIAL_FORMS")):
            form[name] = "0"
    answer = administrator.post(f"/console/staff/auth/user/{user.pk}/change/", form)
    assert answer.status_code == 302, answer.content.decode()[-3000:]
    administrator.post(f"/console/staff/auth/user/{user.pk}/sign-in/", {"do": "end"})
    client.post("/console/sign-in/", {"login": "hanna", "password": "not the right one at all"})
    client.post("/console/sign-in/", {"login": "no such name", "password": PASSWORD})
    hanna = signed_in(user)
    hanna.post(
        "/console/sign-in/password/",
        {"oldpassword": "wrong", "password1": "a b c d e f g", "password2": "a b c d e f g"},
    )
    found = list(
        AccessLog.objects.filter(pk__gt=last).exclude(page="staff").order_by("id").values_list("page", "act", "subject")
    )
    assert ("account", "account changed", f"user={user.pk}") in found
    assert ("account", "sessions ended", f"user={user.pk}") in found
    assert ("wrong password", "", f"user={user.pk}") in found
    assert ("wrong password", "", "") in found
    assert ("signing in", "wrong password", f"user={user.pk}") in found
    assert not AccessLog.objects.filter(pk__gt=last, username="no such name").exists()


def test_made_up_companies_fill_no_table_and_stand_in_the_deployments_chain(staff):
    client = staff(AUDITOR)
    client.get("/console/companies/")
    before = AccessChain.objects.count()
    for _ in range(3):
        assert client.get(f"/console/companies/{uuid.uuid4()}/").status_code == 404
    assert AccessChain.objects.count() == before
    assert AccessLog.objects.latest("id").chain == access_log.DEPLOYMENT


def test_the_deployments_export_is_its_whole_chain_with_made_up_companies(staff, tmp_path):
    assert staff(AUDITOR).get(f"/console/companies/{uuid.uuid4()}/").status_code == 404
    written = tmp_path / "log.jsonl"
    with written.open("w", encoding="utf-8") as output:
        call_command("export_access_log", deployment=True, stdout=output)
    status, told = offline(written)
    end = AccessChain.objects.get(chain=access_log.DEPLOYMENT)
    assert status == 0, told
    assert told.startswith(f"{end.number} lines hold. The last is line {end.number}: {end.digest}")


def test_a_log_that_holds_and_its_export_verified_without_the_service(staff, company, tmp_path):
    client = staff(AUDITOR)
    for _ in range(3):
        client.get(address(company, "training-records"))
    found = access_chain.verify(company.company.organization_id)
    assert (found.lines, found.faults) == (3, [])
    taken = b"".join(client.get(address(company, "log-file", written_as="jsonl")).streaming_content)
    whole = tmp_path / "log.jsonl"
    whole.write_bytes(taken)
    assert offline(whole) == (0, f"4 lines hold. The last is line 4: {json.loads(taken.splitlines()[-1])['digest']}\n")
    lines = taken.decode().splitlines()[:3]  # the fourth is the line of this download
    changed = json.loads(lines[1]) | {"username": "somebody-else"}
    for attack, fault in (
        ([lines[0], json.dumps(changed), lines[2]], "Line 2 of the access log is not what was written"),
        ([lines[0], lines[2]], "Line 2 of the access log: missing."),
        ([lines[1], lines[0], lines[2]], "Line 1 of the access log stands after line 2."),
    ):
        whole.write_text("\n".join(attack) + "\n")
        status, said = offline(whole)
        assert status == 1
        assert fault in said
    table = b"".join(client.get(address(company, "log-file", written_as="csv")).streaming_content).decode()
    assert json.loads(lines[0])["digest"] in table


def offline(path) -> tuple[int, str]:
    ran = subprocess.run(
        [sys.executable, "-m", "compliance.proofs.access_log", str(path)], capture_output=True, text=True, check=False
    )
    return ran.returncode, ran.stdout


def test_salt_and_personal_values_can_go_and_the_digest_tells_nothing_of_them():
    """The digest covers a commitment, which differs between two lines with the same name and reason."""
    from compliance.proofs import access_log as proof

    line = {
        "chain": "c", "number": 1, "at": "t", "user_id": 1, "method": "GET", "page": "p", "organization_id": None,
        "status": 200, "act": "", "everybody": False, "learner_profile_ids": [], "username": "ana", "groups": "",
        "address": "", "subject": "", "reason": "", "previous_sha256": proof.ZERO_DIGEST,
    }  # fmt: skip
    assert proof.digest(line | {"salt": "1"}) != proof.digest(line | {"salt": "2"})


def test_a_file_leaves_the_console_compressed_and_the_page_it_is_on_does_not(staff, company):
    client = staff(AUDITOR)
    accepts = {"Accept-Encoding": "zstd, gzip"}
    page = client.get(address(company, "log"), headers=accepts)
    assert page.status_code == 200
    assert not page.has_header("Content-Encoding")
    taken = client.get(address(company, "log-file", written_as="csv"), headers=accepts)
    assert taken.headers["Content-Encoding"] == "zstd"
    rows = zstandard.ZstdDecompressor().stream_reader(b"".join(taken.streaming_content)).read()
    assert rows.count(b"\n") >= 2
