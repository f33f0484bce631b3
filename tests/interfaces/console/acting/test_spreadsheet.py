"""HR's spreadsheet in the console: upload, choice of columns, preview, confirmation, and the worker's part."""

import io
import re
import uuid

import pytest
from django.test import Client
from django.utils import timezone

from compliance.facts.ledger.models import Origin
from compliance.facts.people import queries, roster
from compliance.interfaces.console.acting import spreadsheet
from compliance.interfaces.console.acting.registry import may_tell
from compliance.interfaces.console.models import AccessLog, Job
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR, staff_of
from compliance.interfaces.console.tasks import run_job
from compliance.provisioning.spreadsheets.limits import Limits
from compliance.provisioning.spreadsheets.reading import read
from compliance.tenancy import context
from tests.companies import Company, make_present_company
from tests.interfaces.console.conftest import make_staff, signed_in
from tests.interfaces.console.test_acting import decide
from tests.provisioning.spreadsheets.exports import employees, personio, renamed, workday

pytestmark = pytest.mark.django_db
REASON = "HR's list of November"


@pytest.fixture
def company() -> Company:
    return make_present_company()


@pytest.fixture
def client() -> Client:
    return signed_in(make_staff("hr", OPERATOR))


class Page:
    """The act's page in a company, as a browser would send its forms."""

    def __init__(self, client: Client, company: Company) -> None:
        self.client, self.company = client, company
        self.address = f"/console/companies/{company.organization_id}/act/import-people/"
        self.text = ""

    def upload(self, content: bytes, **more: str) -> str:
        file = io.BytesIO(content)
        file.name = "people.csv"
        return self._send(step="preview", file=file, **more)

    def again(self, *columns: str, **more: str) -> str:
        return self._send(step="again", job=self.job, columns=list(columns), **more)

    def confirm(self, reason: str = REASON, **more: str):
        """Sends the confirming form as it was rendered."""
        form = next(form for form in re.findall(r"<form.*?</form>", self.text, re.DOTALL) if 'value="confirm"' in form)
        kept: dict[str, list[str]] = {}
        for name, value in re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form):
            kept.setdefault(name, []).append(value)
        response = self.client.post(self.address, kept | {"step": "confirm", "reason": reason} | more)
        self.text = response.content.decode()
        return response

    @property
    def job(self) -> str:
        found = re.search(r'name="job" value="([0-9a-f-]{36})"', self.text)
        assert found, self.text
        return found[1]

    def _send(self, **values: object) -> str:
        response = self.client.post(self.address, values)
        assert response.status_code == 200
        self.text = response.content.decode()
        return self.text

    def work(self) -> Job:
        """Does the waiting job, as the worker would."""
        with context.company(self.company.organization_id):
            job = Job.objects.get(state=Job.State.WAITING)
        run_job(str(self.company.organization_id), str(job.job_id))
        with context.company(self.company.organization_id):
            job.refresh_from_db()
        assert (job.upload, job.upload_name, job.told) == (None, "", {})
        return job


@pytest.fixture
def page(client: Client, company: Company) -> Page:
    return Page(client, company)


def pairs(text: str) -> dict[str, str]:
    return dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", text))


def test_5000_people_are_previewed_taken_in_by_the_worker_and_known_again(page: Page) -> None:
    content = workday(employees(5000))
    text = page.upload(content)
    assert pairs(text) == {
        "Join": "5,000",
        "Change": "0",
        "Move": "0",
        "Leave": "0",
        "Wrong rows, which are left out": "0",
    }
    assert "<b>14</b> new teams will be made: Buchhaltung, " in text
    assert "The first 20 of 5,000." in text
    assert page.confirm().status_code == 302
    job = page.work()
    assert job.message == (
        "5,000 join, 0 change, 0 move, 0 leave, 0 are as before. 0 rows are wrong. 10,014 facts recorded."
    )
    assert "there is nothing to record" in page.upload(content, leavers="on")


def test_of_many_new_teams_the_first_are_named_and_all_are_counted(page: Page) -> None:
    rows = "".join(f"person{number}@example.org;Person;Team {number:03d}\n" for number in range(30))
    text = page.upload(f"E-Mail;Name;Team\n{rows}".encode())
    assert "<b>30</b> new teams will be made: Team 000, " in text
    assert "Team 019." in text
    assert "The first 20 of 30." in text
    assert "Team 029" not in text


def test_columns_that_were_taken_wrongly_are_changed_without_the_file_being_sent_again(page: Page) -> None:
    text = page.upload("Wer;Wohin;Haufen\nAnna;anna@example.org;Süd\n".encode())
    assert "No column is matched to the e-mail address or the employee number" in text
    assert 'value="confirm"' not in text
    assert "anna@example.org" in text  # an example of what is in the column
    text = page.again("name", "email", "team")
    assert pairs(text)["Join"] == "1"
    assert "new team will be made: Süd." in text
    page.confirm()
    assert page.work().message.startswith("1 join")


def test_a_preview_lists_each_kind_of_change_and_wrong_rows_can_be_taken_along(page: Page) -> None:
    people = employees(30)
    page.upload(personio(people))
    page.confirm()
    page.work()
    later = [renamed(people[0], "Lovelace"), *people[1:25], people[3]]
    text = page.upload(personio(later), leavers="on")
    assert pairs(text) == {"Join": "0", "Change": "1", "Move": "0", "Leave": "5", "Wrong rows, which are left out": "1"}
    assert "Lovelace" in text
    assert "5 of 30 employees would leave the company" in text
    assert "The same employee number is in row 5 already" in text or "The same e-mail address is in row 5" in text
    response = page.client.post(page.address, {"step": "table", "job": page.job, "leavers": "on"})
    table = read(b"".join(response))
    assert table.headings[:3] == ("What is wrong", "Row", "Personalnummer")
    ((_, cells),) = table.rows()
    assert cells[1] == "27"
    page.text = text
    page.confirm()
    job = page.work()
    assert job.findings == [f"Row 27: {cells[0]}"]
    with context.company(page.company.organization_id):
        present = [each for each in roster.people(page.company.organization_id, timezone.now()) if each.person_id]
    assert len(present) == 25


def test_most_of_a_company_leaves_only_with_the_number_typed(page: Page) -> None:
    people = employees(30)
    page.upload(personio(people))
    page.confirm()
    page.work()
    text = page.upload(personio(people[:5]), leavers="on")
    assert "type 25 if that is meant" in text
    assert page.confirm().status_code == 200
    assert "Type the number of people who would leave, 25" in page.text
    for wrong in ("24", "all of them"):
        assert page.confirm(leaving=wrong).status_code == 200
        assert "Type the number of people who would leave, 25" in page.text
    assert page.confirm(leaving="25").status_code == 302
    assert "25 leave" in page.work().message


@pytest.mark.parametrize("typed", ["1,234", "1.234", "1\u202f234", "1234"])
def test_the_number_is_read_as_pages_and_people_write_it(typed: str) -> None:
    assert spreadsheet.SpreadsheetForm.base_fields["leaving"].clean(typed) == 1234


def test_a_try_with_very_many_wrong_rows_says_what_else_to_know(page: Page) -> None:
    wrong = "".join(f"{number}@;Somebody {number}\n" for number in range(250))
    page.upload(f"E-Mail;Name\nanna@example.org;Anna\n{wrong}".encode(), leavers="on")
    page.confirm(only_try="on")
    job = page.work()
    assert len(job.findings) == 200
    assert job.findings[0].startswith("250 rows that are wrong could not be matched to anybody")


def test_what_changed_after_the_preview_is_planned_anew_and_said(page: Page) -> None:
    page.upload(personio(employees(2)))
    page.company.join("Person.00000", at=page.company.start)
    assert page.confirm().status_code == 200
    assert str(spreadsheet.CHANGED_MEANWHILE) in page.text
    assert pairs(page.text)["Join"] == "1"
    assert page.confirm().status_code == 302
    page.company.join("person.00001", at=page.company.start)  # before the worker starts it
    job = page.work()
    assert (job.state, job.message[:44]) == (Job.State.FAILED, "The company has changed since the preview, s")


def test_permissions_and_what_the_log_and_the_ledger_keep(page: Page, company: Company) -> None:
    for group, status in ((COMPLIANCE_MANAGER, 200), (AUDITOR, 403), (None, 403)):
        other = signed_in(make_staff(f"x{group}", group, [company.organization_id]))
        assert other.get(page.address).status_code == status
    page.upload(personio(employees(1)))
    page.confirm()
    page.work()
    line = AccessLog.objects.filter(organization_id=company.organization_id, act="import-people").latest("pk")
    assert (line.reason, line.everybody) == (REASON, True)
    with context.company(company.organization_id):
        origin = Origin.objects.filter(organization_id=company.organization_id).latest("pk")
    assert (origin.channel, origin.name) == ("console", "")
    assert origin.actor_id is not None


def test_facts_files_of_staff_take_no_joinings_because_of_it() -> None:
    staff = staff_of(make_staff("x", OPERATOR), timezone.now())
    assert staff is not None
    assert not {"employee_joined", "team_created"} & may_tell(staff)


def test_in_live_a_second_person_sees_the_preview_and_confirms(page: Page, company: Company, settings) -> None:
    settings.FOUR_EYES = True
    assert "This needs a second person" in page.upload(personio(employees(3)))
    assert page.confirm().url.endswith("/inbox/")
    with context.company(company.organization_id):
        job = Job.objects.get(state=Job.State.PREPARED)
        assert queries.employees(company.organization_id, timezone.now()) == 0
    second = signed_in(make_staff("second", COMPLIANCE_MANAGER))
    address = f"/console/companies/{company.organization_id}/inbox/import-people/{job.job_id}/"
    text = second.get(address).content.decode()
    assert pairs(text)["Join"] == "3"
    assert "new team" in text
    assert decide(second, address).status_code == 302
    assert page.work().message.startswith("3 join")
    with context.company(company.organization_id):
        origin = Origin.objects.filter(organization_id=company.organization_id).latest("pk")
    assert origin.confirmed_by is not None


def test_a_file_that_is_too_large_to_wait_for_is_tried_and_taken_in_by_the_worker(page: Page, monkeypatch) -> None:
    monkeypatch.setattr(spreadsheet, "WHILE_SOMEBODY_WAITS", Limits(rows=50))
    text = page.upload(personio(employees(60)))
    assert "Have the worker try it first" in text
    page.confirm(only_try="on")
    assert page.work().message.startswith("Tried, and nothing recorded. 60 join")
    with context.company(page.company.organization_id):
        assert queries.employees(page.company.organization_id, timezone.now()) == 0
    page.upload(personio(employees(60)))
    page.confirm()
    assert page.work().message.startswith("60 join")


def test_what_is_no_table_is_refused_beside_the_form(page: Page) -> None:
    assert "This is a PDF." in page.upload(b"%PDF-1.7")
    response = page.client.post(page.address, {"step": "again", "job": str(uuid.uuid4()), "columns": ["email"]})
    assert response.status_code == 422
    assert "its preview is too old" in response.content.decode()


def test_the_number_of_statements_of_a_preview_does_not_grow_with_the_rows(
    page: Page, django_assert_max_num_queries
) -> None:
    page.upload(personio(employees(1)))  # fills what is cached once for each process
    with django_assert_max_num_queries(60) as few:
        page.upload(personio(employees(2)))
    with django_assert_max_num_queries(len(few.captured_queries)):
        page.upload(personio(employees(400)))
