"""A course's page has its people by state and the possible acts; each number links to its people."""

import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from compliance.facts.courses.models import Course
from compliance.history.actions import capture_all
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER
from compliance.interfaces.console.understand.refreshing import refresh
from compliance.tenancy import context
from tests.companies import make_company
from tests.interfaces.console.companies import full_company
from tests.interfaces.console.small_company import NOW, SmallCompany, small_company

pytestmark = pytest.mark.django_db
Staff = Callable[..., Client]


@pytest.fixture
def small() -> SmallCompany:
    made = small_company()
    refresh(made.organization_id, NOW)
    return made


def address(organization_id: uuid.UUID, name: str, **values: Any) -> str:
    return reverse(f"console:{name}", kwargs={"organization_id": organization_id} | values)


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def row_of(page: str, title: str) -> str:
    return words(next(row for row in page.split("<tr>") if title in row))


def test_the_list_says_of_each_course_how_many_must_do_it_and_have(staff: Staff, small: SmallCompany) -> None:
    page = staff(COMPLIANCE_MANAGER).get(address(small.organization_id, "courses")).content.decode()
    assert re.search(r"Fire safety Version 1 .* 40 % 5 3 3", row_of(page, "Fire safety")), row_of(page, "Fire safety")
    there = address(small.organization_id, "course", course_id=small.fire)
    assert f'href="{there}?show=overdue#people"' in page


def test_a_course_shows_who_has_not_done_it_the_longest_overdue_first(staff: Staff, small: SmallCompany) -> None:
    client, there = staff(COMPLIANCE_MANAGER), address(small.organization_id, "course", course_id=small.fire)
    page = client.get(there).content.decode()
    assert "2 of 5 people who must do it have done it. 1 of them was late." in words(page)
    assert [name for name in ("Eve", "Flo", "Ben", "Dan") if f">{name}</a>" in page] == ["Eve", "Flo"]
    done = client.get(there, {"show": "done"}).content.decode()
    assert done.index(">Cleo</a>") < done.index(">Ben</a>")
    assert "Void the completion of Ben" in done
    waived = client.get(there, {"show": "waived"}).content.decode()
    assert ">Dan</a>" in waived
    assert client.get(there, {"show": "everything"}).status_code == 422


def test_a_team_s_part_of_a_course_is_counted_by_itself(staff: Staff, small: SmallCompany) -> None:
    there = address(small.organization_id, "course", course_id=small.fire)
    page = staff(COMPLIANCE_MANAGER).get(there, {"team": str(small.drivers)}).content.decode()
    assert "1 of 2 people who must do it have done it." in words(page)
    assert ">Eve</a>" not in page


def test_a_course_tells_its_shares_its_versions_and_what_happened_to_it(staff: Staff, small: SmallCompany) -> None:
    page = words(
        staff(COMPLIANCE_MANAGER)
        .get(address(small.organization_id, "course", course_id=small.fire))
        .content.decode()
    )  # fmt: skip
    assert re.search(r"Shared with .* Everyone By 7 March 2025", page)
    assert re.search(r"Versions .* In use", page)
    assert "Version 1 published" in page
    assert str(small.fire) in page.partition("Proof")[2]


def test_who_sees_and_never_acts_is_offered_no_act(staff: Staff, small: SmallCompany) -> None:
    page = staff(AUDITOR).get(address(small.organization_id, "course", course_id=small.fire)).content.decode()
    assert ">Eve</a>" in page
    assert not re.search("/act/[a-z]", page)


def test_a_course_of_another_company_is_one_that_is_not_there(staff: Staff, small: SmallCompany) -> None:
    other = make_company("Other").organization_id
    client = staff(COMPLIANCE_MANAGER)
    for name, values in (("course", {"course_id": small.fire}), ("share", {"share_id": uuid.uuid4()})):
        theirs = client.get(address(other, name, **values))
        nobodys = client.get(address(other, name, **dict.fromkeys(values, uuid.uuid4())))
        assert (theirs.status_code, nobodys.status_code) == (404, 404)
        assert (
            words(theirs.content.decode()).partition("name this request")[0]
            == (words(nobodys.content.decode()).partition("name this request")[0])
        )


def test_a_policy_has_a_page_of_its_own(staff: Staff, small: SmallCompany) -> None:
    with context.company(small.organization_id):
        policy = Course.objects.get(kind="policy")
    answer = staff(AUDITOR).get(address(small.organization_id, "course", course_id=policy.course_id))
    assert answer.headers["Location"] == address(small.organization_id, "policy-page", course_id=policy.course_id)


def test_pages_take_the_same_number_of_statements_for_more_people(staff: Staff) -> None:
    client, counts = staff(COMPLIANCE_MANAGER), []
    for people in (4, 30):
        full = full_company(people, f"Of {people}")
        organization_id = full.company.organization_id
        refresh(organization_id, full.company.now)
        taken = []
        for name, values in (
            ("courses", {}),
            ("course", {"course_id": full.course.course_id}),
            ("shares", {}),
            ("share", {"share_id": full.samples["share_id"]}),
        ):
            with CaptureQueriesContext(connection) as found:
                assert client.get(address(organization_id, name, **values)).status_code == 200
            taken.append(len(found))
        counts.append(taken)
    assert counts[0] == counts[1]
    assert max(counts[0]) <= 30


def test_whoever_has_not_done_it_can_be_chosen_and_handed_to_an_act(staff: Staff, small: SmallCompany) -> None:
    client, there = staff(COMPLIANCE_MANAGER), address(small.organization_id, "course", course_id=small.fire)
    page = client.get(there, {"show": "overdue"}).content.decode()
    sealed = re.search(r'name="everything" value="([^"]+)"', page)
    assert sealed
    acts = re.findall(r'formaction="([^"]+)"', page)
    assert address(small.organization_id, "act-waive-many") in acts
    form = client.post(address(small.organization_id, "act-waive-many"), {"step": "chosen", "everything": sealed[1]})
    assert form.status_code == 200
    assert "Waive" in form.content.decode()
    assert 'name="record_ids"' not in client.get(there, {"show": "done"}).content.decode()


def test_whoever_did_it_without_having_to_is_not_among_those_who_must(staff: Staff, small: SmallCompany) -> None:
    company = small.company
    free, both = company.course("Knots"), company.course("Lifting")
    for course in (free, both):
        company.share(course, requirement="optional")
    company.share(both, people=(small.people["Ben"], small.people["Cleo"]))
    for course, names in ((free, ("Ada",)), (both, ("Ada", "Ben"))):
        for name in names:
            company.complete(small.people[name], course, NOW - timedelta(days=9))
    capture_all(small.organization_id, NOW)
    refresh(small.organization_id, NOW)
    client = staff(COMPLIANCE_MANAGER)
    page = client.get(address(small.organization_id, "courses")).content.decode()
    assert re.search(r"Knots Version 1 .* nobody *$", row_of(page, "Knots")), row_of(page, "Knots")
    assert re.search(r"Lifting Version 1 .* 50 % 2 1 0", row_of(page, "Lifting")), row_of(page, "Lifting")
    dashboard = client.get(address(small.organization_id, "dashboard")).content.decode().partition("By course and")[2]
    assert "Lifting Course 1 1 0 50 %" in row_of(dashboard, "Lifting")
    assert "Knots Course 0 0 0" in row_of(dashboard, "Knots")
    for query, must in (({}, "1 of 2 people who must"), ({"team": str(small.drivers)}, "1 of 1 person who must")):
        there = address(small.organization_id, "course", course_id=both.course_id)
        of_course = client.get(there, query | {"show": "done"}).content.decode()
        assert must in words(of_course)
        assert "Done 2 " in words(of_course)
        assert [name for name in ("Ben", "Cleo") if f">{name}</a>" in of_course] == ["Ben"]
    knots = words(client.get(address(small.organization_id, "course", course_id=free.course_id)).content.decode())
    assert "Nobody must do it now." in knots
    taken = client.get(address(small.organization_id, "export", what="dashboard", written_as="csv"))
    assert "optional_done" not in b"".join(taken).decode()
