"""Staff change a person's roles: those that courses name are offered, others can be typed, all are recorded anew."""

import html
import re
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from compliance.contentfile.package import check_package
from compliance.facts.courses.publishing import publish_package
from compliance.facts.courses.queries import roles as roles_of_courses
from compliance.facts.people.queries import roles_of
from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER
from compliance.tenancy import context
from tests.companies import Company, Person, make_present_company
from tests.interfaces.console.test_acting import confirm, preview
from tests.packages import DEMO

pytestmark = pytest.mark.django_db
Staff = Callable[..., Client]


@pytest.fixture
def company() -> Company:
    return make_present_company()


def publish(company: Company, name: str) -> None:
    with context.company(company.organization_id):
        publish_package(
            organization_id=company.organization_id,
            package=check_package(DEMO / name),
            at=company.start,
            now=company.now,
        )


def roles(company: Company, person: Person) -> set[str]:
    with context.company(company.organization_id):
        return set(roles_of(company.organization_id, person.learner_profile_id, timezone.now()))


def form(client: Client, company: Company, person: Person) -> str:
    address = f"/console/companies/{company.organization_id}/act/roles/"
    return client.get(address, {"learner_profile_id": str(person.learner_profile_id)}).content.decode()


def ticked(page: str) -> set[str]:
    boxes = re.findall(r'<input type="checkbox" name="named" value="([^"]+)"([^>]*)>', page)
    return {value for value, rest in boxes if "checked" in rest}


def test_the_form_offers_the_roles_of_courses_and_has_those_of_the_person(staff: Staff, company: Company) -> None:
    publish(company, "fire-safety")
    publish(company, "personal-data")
    anna = company.join("Anna", role_ids=("fire-warden", "night-watch"))
    page = html.unescape(form(staff(COMPLIANCE_MANAGER), company, anna))
    assert "Fire wardens (fire-warden), in Fire safety in the workplace" in page
    assert "Managers of a team (people-manager), in" in page
    assert ticked(page) == {"fire-warden"}
    assert 'name="others" value="night-watch"' in page


def test_roles_are_previewed_with_a_warning_for_those_of_no_course_and_recorded(staff: Staff, company: Company) -> None:
    publish(company, "fire-safety")
    anna = company.join("Anna Berg", role_ids=("night-watch",))
    client = staff(COMPLIANCE_MANAGER)
    text, sent = preview(
        client, company, "roles",
        learner_profile_id=str(anna.learner_profile_id), named=["fire-warden"], others="driver, first-aider",
    )  # fmt: skip
    assert "No course has lessons for the role driver yet." in text
    assert "No course has lessons for the role fire-warden yet." not in text
    assert "night-watch" in text
    assert roles(company, anna) == {"night-watch"}
    assert confirm(client, company, "roles", sent).status_code == 302
    assert roles(company, anna) == {"driver", "fire-warden", "first-aider"}
    line = AccessLog.objects.get(organization_id=company.organization_id, act="roles")
    assert "driver" not in f"{line.subject} {line.reason}"
    person = client.get(f"/console/companies/{company.organization_id}/people/{anna.learner_profile_id}/")
    assert "Roles: driver, fire-warden, first-aider" in person.content.decode()
    assert "Roles changed" in person.content.decode()


def test_nothing_chosen_removes_all_roles(staff: Staff, company: Company) -> None:
    anna = company.join("Anna", role_ids=("night-watch",))
    client = staff(COMPLIANCE_MANAGER)
    _, sent = preview(client, company, "roles", learner_profile_id=str(anna.learner_profile_id), others="")
    assert confirm(client, company, "roles", sent).status_code == 302
    assert roles(company, anna) == set()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"others": "Night Watch"}, "is no role: write lower-case letters, digits and hyphens"),
        ({"named": ["fire-warden"]}, "is not one of the available choices"),
    ],
)
def test_what_is_no_role_is_refused(staff: Staff, company: Company, values: dict[str, Any], said: str) -> None:
    anna = company.join("Anna")
    page = staff(COMPLIANCE_MANAGER).post(
        f"/console/companies/{company.organization_id}/act/roles/",
        {"step": "preview", "learner_profile_id": str(anna.learner_profile_id)} | values,
    )
    assert said in html.unescape(page.content.decode())


def test_a_person_whom_the_company_does_not_know_is_refused(staff: Staff, company: Company) -> None:
    elsewhere = make_present_company("Elsewhere").join("Ben")
    for learner in (uuid.uuid4(), elsewhere.learner_profile_id):
        page = staff(COMPLIANCE_MANAGER).post(
            f"/console/companies/{company.organization_id}/act/roles/",
            {"step": "preview", "learner_profile_id": str(learner), "others": "driver"},
        )
        assert "not here, or not any more" in page.content.decode()


def test_permissions_only_read_sees_roles_and_is_not_offered_the_act(staff: Staff, company: Company) -> None:
    anna = company.join("Anna", role_ids=("night-watch",))
    page = staff(AUDITOR).get(f"/console/companies/{company.organization_id}/people/{anna.learner_profile_id}/")
    assert "Roles: night-watch" in page.content.decode()
    assert "Change roles" not in page.content.decode()


def test_roles_of_courses_are_one_statement_however_many_courses_there_are(
    company: Company, django_assert_num_queries: Any
) -> None:
    for name in ("fire-safety", "anti-bribery", "phishing"):
        publish(company, name)
    with context.company(company.organization_id), django_assert_num_queries(1):
        found = roles_of_courses(company.organization_id)
    assert [role.role_id for role in found] == ["buyer", "finance", "fire-warden", "sales"]
