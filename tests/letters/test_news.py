"""News: written about once, to the person concerned, and never about past facts of an import."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail

from compliance.facts.lines import kinds
from compliance.facts.recording import record
from compliance.history.actions import capture_all, sweep_company
from compliance.letters import news
from compliance.letters.models import Letter
from compliance.tenancy import context
from tests.companies import NOW, make_company
from tests.letters.conftest import sent

pytestmark = pytest.mark.django_db
A_DAY = timedelta(days=1)


@pytest.fixture
def company():
    """A company that was searched for news before anything happened in it."""
    company = make_company()
    capture_all(company.organization_id, NOW)
    news.read(company.organization_id, NOW)
    return company


def look(company, at=NOW):
    """Captures, then searches for news; returns how many letters were requested."""
    organization_id = getattr(company, "organization_id", company)
    capture_all(organization_id, at)
    return news.read(organization_id, at)


def letters(company):
    with context.company(company.organization_id):
        return list(Letter.objects.filter(organization_id=company.organization_id).order_by("id"))


def test_who_owes_two_new_courses_gets_one_letter(company):
    anna = company.join("Anna")
    company.share(company.course("Fire safety"), NOW - A_DAY)
    company.share(company.course("Phishing"), NOW - A_DAY)
    assert look(company) == 1
    assert look(company, NOW + A_DAY) == 0
    (letter,) = letters(company)
    assert (letter.kind, letter.learner_profile_id, len(letter.subject_ids)) == ("new", anna.learner_profile_id, 2)
    assert sent(company) == 1
    assert mail.outbox[0].subject == "2 new things to do at Acme"
    assert "- Fire safety: no deadline\n- Phishing: no deadline\n" in mail.outbox[0].body


def test_an_import_of_the_past_writes_to_nobody(company):
    anna = company.join("Anna")
    course = company.course("Fire safety")
    company.share(course)
    company.complete(anna, course, NOW - A_DAY)
    company.join("Boris")
    assert look(company) == 0


def test_the_first_look_begins_where_the_history_ends():
    company = make_company()
    company.join("Anna")
    company.share(company.course("Fire safety"), NOW - A_DAY)
    assert look(company) == 0
    assert letters(company) == []


def test_who_joins_is_written_about_what_they_find(company):
    company.share(company.course("Fire safety"))
    assert look(company) == 0
    company.join("Anna", NOW)
    assert look(company) == 1


def test_what_comes_back_is_not_new(company):
    anna = company.join("Anna")
    course = company.course("Fire safety")
    company.share(course, NOW - A_DAY)
    assert look(company) == 1
    receipt = company.complete(anna, course, NOW)
    assert look(company) == 0
    told = {"fact_id": receipt, "at": NOW + A_DAY, "completion_receipt_id": receipt, "actor_id": receipt}
    record(company.organization_id, [kinds.CompletionVoided(**told)], now=NOW + A_DAY)
    assert look(company, NOW + A_DAY) == 0


def test_what_is_optional_is_not_written_about_until_it_is_required(company):
    company.join("Anna")
    course = company.course("Fire safety")
    company.share(course, NOW - A_DAY, requirement="optional")
    assert look(company) == 0
    company.share(course, NOW)
    assert look(company) == 1


def test_what_was_done_before_the_letter_left_is_not_asked_for(company):
    anna = company.join("Anna")
    course = company.course("Fire safety")
    company.share(course, NOW - A_DAY)
    look(company)
    company.complete(anna, course, NOW)
    look(company)
    assert sent(company) == 0
    assert [letter.failure for letter in letters(company)] == ["nobody"]


def test_a_policy_alone_is_a_letter_about_a_policy_to_partners_too(story):
    news.read(story.organization_id, NOW)
    version = story.version(at=NOW - A_DAY)
    story.tell([version])
    story.employee("Anna", account_email="anna@example.org")
    story.contact(name="Bo Lind")
    story.share(version.course_id, at=NOW - A_DAY)
    assert look(story.organization_id) == 2
    assert sent(story) == 1  # Bo Lind has no address
    assert mail.outbox[0].subject == "Please read and confirm: Use of devices"


def test_a_policy_that_is_asked_for_again_is_new_again(story):
    version, share_id = story.shared_policy(renew_months=1)
    anna = story.employee("Anna", account_email="anna@example.org")
    signed_at = datetime(2026, 5, 2, 9, tzinfo=UTC)
    story.tell([story.signed(version, share_id, anna, at=signed_at)])
    capture_all(story.organization_id, NOW)
    news.read(story.organization_id, NOW)
    at = datetime(2026, 6, 3, 9, tzinfo=UTC)
    sweep_company(story.organization_id, at)
    assert news.read(story.organization_id, at) == 1


def test_a_new_certificate_is_a_letter_of_its_own(story):
    news.read(story.organization_id, NOW)
    _, release_id = story.shared_course()
    anna = story.employee("Anna", account_email="anna@example.org")
    boris = story.employee("Boris", account_email="boris@example.org")
    story.completed(anna, release_id, NOW - A_DAY)
    story.completed(boris, release_id, NOW - 9 * A_DAY)
    assert look(story.organization_id) == 1
    assert sent(story) == 1
    (letter,) = mail.outbox
    assert letter.to == ["anna@example.org"]
    assert letter.subject == "Your certificate: Safe with dangerous goods"


def test_looking_takes_as_many_statements_for_many_people_as_for_one(company, django_assert_num_queries):
    for number in range(15):
        company.join(f"Person {number}")
    company.share(company.course("Fire safety"), NOW - A_DAY)
    capture_all(company.organization_id, NOW)
    with django_assert_num_queries(10):
        assert news.read(company.organization_id, NOW) == 15


def test_a_long_history_is_read_in_parts(company, monkeypatch):
    monkeypatch.setattr(news, "_ROWS_AT_ONCE", 3)
    for number in range(5):
        company.join(f"Person {number}")
    company.share(company.course("Fire safety"), NOW - A_DAY)
    company.share(company.course("Phishing"), NOW - A_DAY)
    assert look(company) == 5
    assert {len(letter.subject_ids) for letter in letters(company)} == {2}


def test_a_backlog_is_read_in_runs_that_each_keep_what_they_have_read(company, monkeypatch):
    monkeypatch.setattr(news, "_ROWS_A_RUN", 3)
    for name in ("Anna", "Boris", "Cleo", "Dora"):
        company.join(name)
    company.share(company.course("Fire safety"), NOW - A_DAY)
    found = [look(company)]
    assert company.organization_id in news.companies_behind()
    while company.organization_id in news.companies_behind():
        found.append(look(company))
    assert sum(found) == 4
    assert max(found) < 4
    assert len({each.learner_profile_id for each in letters(company)}) == 4
