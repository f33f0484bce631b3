"""Every address as every group: the tests go through the registry of pages, so no page is missed."""

import re
import uuid

import pytest
from django.urls import reverse

from compliance.catalogue import READINGS
from compliance.interfaces.console.models import AccessLog, StaffAccess
from compliance.interfaces.console.page import register_page
from compliance.interfaces.console.pages import PAGES
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, GROUPS, OPERATOR
from tests.interfaces.console.conftest import PASSWORD, make_staff
from tests.interfaces.console.test_everybody_everywhere import PAGES as WRITTEN_OUT

pytestmark = pytest.mark.django_db

# A value for each name in a path. None of them exists, because the tests are about whom a page's view refuses.
SAMPLES = {"int": 7, "uuid": uuid.UUID(int=7), "register": "training-records", "act": "invite"}


def sample_address(page, organization_id):
    """The address of a page with sample values for its path."""
    values = {"organization_id": organization_id} if page.company else {}
    for part in page.path.split("<")[1:]:
        kind, _, name = part.split(">")[0].rpartition(":")
        values[name] = SAMPLES.get(name, SAMPLES.get(kind, "x"))
    return reverse(f"console:{page.name}", kwargs=values)


def asked(client, page, organization_id):
    """The responses of a page to each of its methods."""
    where = sample_address(page, organization_id)
    return [client.get(where) if method == "GET" else client.post(where) for method in page.methods]


@pytest.mark.parametrize("group", [*GROUPS, "Administrator"])
def test_a_group_is_declared_to_be_let_into_exactly_its_own_pages(group):
    """It compares with the table of `test_everybody_everywhere`, which requests every page as every group."""
    assert {page.name for page in PAGES} == set(WRITTEN_OUT)
    for page in PAGES:
        methods, groups = WRITTEN_OUT[page.name]
        assert (group == "Administrator" or page.permission in GROUPS[group]) == (group in groups), page.name
        assert [method.lower() for method in sorted(page.methods)] == methods.split(), page.name


def test_nobody_sees_anything_without_signing_in(client, empty_company):
    for page in PAGES:
        for response in asked(client, page, empty_company.organization_id):
            assert response.status_code == 302, page.name
            assert response.url.startswith("/console/sign-in/?next=")


def test_an_account_without_a_group_sees_nothing(staff, empty_company):
    client = staff(None)
    for page in PAGES:
        for response in asked(client, page, empty_company.organization_id):
            assert response.status_code == 403, page.name
            assert empty_company.name not in response.content.decode()


def _without_tokens(text: str) -> str:
    """A page without the tokens of its forms, which differ each time."""
    return re.sub(r'(name="csrfmiddlewaretoken" value=")\w+', r"\1", text)


def test_whoever_is_bound_to_companies_cannot_tell_another_one_from_one_that_does_not_exist(staff, empty_company):
    bound = {group: staff(group, companies=[uuid.uuid4()]) for group in GROUPS}
    for client in bound.values():
        assert empty_company.name not in client.get("/console/companies/").content.decode()
    for page in PAGES:
        group = next((group for group in GROUPS if page.permission in GROUPS[group]), None)
        if page.company and group is not None:
            others = asked(bound[group], page, empty_company.organization_id)
            for other, none in zip(others, asked(bound[group], page, uuid.UUID(int=1)), strict=True):
                assert other.status_code == none.status_code == 404, page.name
                text = other.content.decode().replace(str(empty_company.organization_id), str(uuid.UUID(int=1)))
                text = text.replace(other.headers["X-Request-Id"], none.headers["X-Request-Id"])
                assert _without_tokens(text) == _without_tokens(none.content.decode())


def test_an_auditor_whose_time_has_ended_is_nobody(staff, empty_company):
    client = staff(AUDITOR, days=-1)
    assert client.get("/console/companies/").status_code == 403


def test_an_auditor_without_an_end_of_access_is_told_so_on_signing_in(client):
    user = make_staff("ada", AUDITOR)
    StaffAccess.objects.filter(user_id=user.pk).update(valid_until=None)
    page = client.post("/console/sign-in/", {"login": "ada", "password": PASSWORD}, follow=True)
    text = page.content.decode()
    assert page.status_code == 403
    assert "It is an auditor&#x27;s, and no day is set on which its access ends" in text
    assert "Sign out" in text


@pytest.mark.parametrize(
    "group, days, said", [(AUDITOR, -1, "Its access ended on "), (None, 30, "It belongs to no group of the console.")]
)
def test_whoever_has_no_access_is_told_why(staff, group, days, said):
    assert said in staff(group, days=days).get("/console/companies/").content.decode()


def test_another_group_beside_auditor_grants_nothing(staff, empty_company):
    from django.contrib.auth.models import Group, User

    client = staff(AUDITOR)
    user = User.objects.get(pk=client.session["_auth_user_id"])
    user.groups.add(Group.objects.get(name=OPERATOR), Group.objects.get(name=COMPLIANCE_MANAGER))
    for page in PAGES:
        if page.permission not in GROUPS[AUDITOR]:
            for response in asked(client, page, empty_company.organization_id):
                assert response.status_code == 403, page.name


LISTS = {register_page(register.page) for register in READINGS} | {"work", "export"}
"""Pages with forms: lists to which a person's name is posted as a filter, and downloads of chosen rows."""


def test_an_auditor_posts_nothing_but_what_they_search_for_and_a_wish_for_a_pack():
    writing = [page.name for page in PAGES if "POST" in page.methods and page.permission in GROUPS[AUDITOR]]
    assert set(writing) == LISTS | {"companies", "search", "teams", "pick", "evidence-build", "reports-make"}


def test_each_visit_and_each_refusal_is_logged_with_its_subject(staff, empty_company):
    client = staff(OPERATOR)
    client.get(sample_address(next(page for page in PAGES if page.name == "capture"), empty_company.organization_id))
    client.get(sample_address(next(page for page in PAGES if page.name == "log"), empty_company.organization_id))
    seen, refused = AccessLog.objects.filter(organization_id=empty_company.organization_id).order_by("id")
    assert (seen.page, seen.status, seen.groups, seen.subject) == ("capture", 404, OPERATOR, "capture_sequence=7")
    assert (refused.page, refused.status, refused.organization_id) == ("log", 403, empty_company.organization_id)


def test_only_administrators_enter_the_staff_accounts(staff):
    for group in GROUPS:
        assert staff(group).get("/console/staff/auth/user/").status_code == 302
    response = staff("Administrator").get("/console/staff/auth/user/")
    assert response.status_code == 200
    assert "unsafe" not in response.headers["Content-Security-Policy"]


def test_pages_of_the_console_allow_no_script_but_files_of_our_own_and_are_never_kept(staff):
    response = staff(OPERATOR).get("/console/companies/")
    policy = response.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert response.headers["Cache-Control"] == "no-store"
