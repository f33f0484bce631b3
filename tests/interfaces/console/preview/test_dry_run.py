"""What previews and results say: whom a share reaches, and whose data an erasure clears."""

import html
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from compliance.facts.courses.models import Course
from compliance.facts.people.erasing import erase_person
from compliance.facts.personal_columns import PERSONAL_COLUMNS
from compliance.interfaces.console.acting.people import CLEARED
from compliance.interfaces.console.acting.reached import reached
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from compliance.rules.vocabulary import Door
from compliance.tenancy import context
from tests import verbs
from tests.facts.story import Story
from tests.interfaces.console.test_acting import company, confirm, facts, preview

__all__ = ["company"]

pytestmark = pytest.mark.django_db
OWED = {"requirement": "required", "basis": "none"}


def _said(response):
    return html.unescape(response.content.decode())


def _shared(client, company, act="share-course", **values):
    """The text of the preview, and of the page after the share."""
    text, sent = preview(client, company, act, **values)
    after = client.get(confirm(client, company, act, sent).url)
    return html.unescape(text), _said(after)


def test_a_share_that_reaches_nobody_says_so_before_and_after(staff, company):
    empty, course = company.team("Night shift"), company.course("Fire safety")
    company.join("Anna Berg")
    before, after = _shared(
        staff(COMPLIANCE_MANAGER), company, course_id=str(course.course_id), doors=["employee"], audience="teams",
        teams=[str(empty)], **OWED,
    )  # fmt: skip
    for text in (before, after):
        assert "This share reaches nobody. Nobody as employee is in the chosen teams today." in text
    assert "course_shared" in facts(company)


def test_a_share_of_people_who_are_gone_says_that_it_reaches_nobody(staff, company):
    anna, course = company.join("Anna Berg"), company.course()
    company.leave(anna, at=timezone.now() - timedelta(days=1))
    before, after = _shared(
        staff(COMPLIANCE_MANAGER), company, course_id=str(course.course_id), doors=["employee"], audience="people",
        people=str(anna.learner_profile_id), **OWED,
    )  # fmt: skip
    for text in (before, after):
        assert "None of the people named is here as employee today." in text


def test_a_share_of_a_course_without_a_version_says_so_before_and_after(staff, company):
    company.join("Anna Berg")
    course_id = verbs.create_course(organization_id=company.organization_id, at=company.start, title="First aid")
    before, after = _shared(
        staff(COMPLIANCE_MANAGER), company, course_id=str(course_id), doors=["employee"], audience="everyone", **OWED
    )
    for text in (before, after):
        assert "“First aid” has no published version: nobody owes this course until one is published." in text


def test_a_share_says_how_many_it_reaches_and_warns_of_nothing(staff, company):
    team, course = company.team("Sales"), company.course()
    company.join("Anna Berg", team_ids=(team,))
    company.join("Ben Ito")
    before, after = _shared(
        staff(COMPLIANCE_MANAGER), company, course_id=str(course.course_id), doors=["employee"], audience="teams",
        teams=[str(team)], **OWED,
    )  # fmt: skip
    assert "Reaches today</dt><dd><b>1 person</b>: <bdi>Anna Berg</bdi>" in before
    assert "Ben Ito" not in before
    assert "It reaches 1 person today." in after
    for text in (before, after):
        assert not re.search("reaches nobody|no published version", text)


def test_a_share_that_is_changed_to_nobody_says_so(staff, company):
    company.join("Anna Berg")
    share_id = company.share(company.course())
    before, after = _shared(
        staff(COMPLIANCE_MANAGER), company, "change-share", share_id=str(share_id), what=["doors"],
        doors=["partner"], audience="everyone", **OWED,
    )  # fmt: skip
    for text in (before, after):
        assert "This share reaches nobody. Nobody is here as partner today." in text


def test_reach_counts_the_doors_of_share_and_policy_and_nobody_who_was_erased():
    story = Story(timezone.now())
    employee = story.employee("Ana Reis")
    story.contact(Door.PARTNER)
    version = story.version(doors=(Door.EMPLOYEE, Door.PARTNER))
    story.tell([version])

    def count(*doors):
        share_id = story.share(version.course_id, doors=doors)
        with context.company(story.organization_id):
            return reached(story.organization_id, share_id, story.now)

    assert count(Door.EMPLOYEE) == (1, [employee], [])
    assert (count(Door.EMPLOYEE, Door.PARTNER).people, count(Door.EMPLOYEE, Door.PARTNER).warnings) == (2, [])
    nobody, _, (said,) = count(Door.CUSTOMER)
    title = version_title(story, version)
    assert nobody == 0
    assert said == f"This share reaches nobody: “{title}” is only for whoever is here as employee or partner."
    erase_person(organization_id=story.organization_id, learner_profile_id=employee, at=story.now)
    nobody, _, (said,) = count(Door.EMPLOYEE)
    assert nobody == 0
    assert said.startswith("This share reaches nobody. Nobody is here as employee today.")


def version_title(story, version):
    with context.company(story.organization_id):
        return Course.objects.get(course_id=version.course_id).title


def test_reach_is_one_statement(company):
    for number in range(5):
        company.join(f"Person {number}")
    share_id = company.share(company.course())
    with context.company(company.organization_id), CaptureQueriesContext(connection) as queries:
        found = reached(company.organization_id, share_id, timezone.now())
    assert (found.people, len(found.first), found.warnings) == (5, 5, [])
    assert len(queries) == 1


def test_the_preview_of_an_erasure_names_the_person_and_what_will_go(staff, company):
    anna = company.join("Anna Berg", account_email="anna@work.example")
    text, _ = preview(staff(COMPLIANCE_MANAGER), company, "erase", learner_profile_id=str(anna.learner_profile_id))
    text = html.unescape(text)
    assert "Person</dt><dd>Anna Berg" in text
    assert "anna@work.example" in text
    assert "Goes: the name</dt><dd>1" in text
    assert "Goes: names, as facts told them" in text
    assert re.search(r'class="danger">Erase Anna Berg</button>', text)
    assert "people_profile" not in text


def test_the_preview_of_an_erasure_has_words_for_every_personal_column():
    columns = {f"{table}.{column}" for table, columns in PERSONAL_COLUMNS.items() for column in columns}
    assert set(CLEARED) == columns


@pytest.mark.parametrize("act", ["suspend", "end"])
def test_the_preview_of_an_act_on_a_person_names_them(staff, company, act):
    anna = company.join("Anna Berg")
    text, _ = preview(staff(COMPLIANCE_MANAGER), company, act, learner_profile_id=str(anna.learner_profile_id))
    assert re.search(rf'For <a href="[^"]+{anna.learner_profile_id}/"><b>Anna Berg</b></a>', text)
