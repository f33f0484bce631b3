"""The job: erase a person who asked for it; the confirmation names them."""

import pytest
from playwright.sync_api import expect

from compliance.facts.people import queries
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from compliance.tenancy import context
from tests.interfaces.console.jobs.walking import Walk

pytestmark = pytest.mark.browser


def test_a_person_is_erased_by_at_most_five_clicks_and_the_preview_names_them(full, desk):
    organization_id = full.company.organization_id
    page = desk(COMPLIANCE_MANAGER)
    walk = Walk(page, organization_id)
    page.locator("#search-all").fill("person 001")
    walk.click(page.locator("header").get_by_role("button", name="Search"))
    walk.link("Person 001")
    walk.click(page.locator(".act-menu > summary"))
    walk.button("Erase")
    expect(page.locator("main")).to_contain_text("Person 001")
    expect(page.locator("main")).to_contain_text("person.001@example.org")
    walk.type("Why you do this", "Asked for by the person")
    walk.button("Erase Person 001")
    expect(page.locator("h1")).not_to_contain_text("Person 001")
    expect(page.get_by_role("status").first).to_contain_text("The person is erased.")
    assert walk.clicks <= 5
    with context.company(organization_id):
        person = queries.person(organization_id, full.people[1].learner_profile_id)
    assert person is not None
    assert (person.person_name, person.account_email) == (None, None)
