"""The job: find out who had signed a policy on a past day; one page lists both, as at the end of that day."""

import pytest
from playwright.sync_api import expect

from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER
from tests.interfaces.console.jobs.walking import Walk

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("group", [COMPLIANCE_MANAGER, AUDITOR])
def test_who_had_signed_a_policy_on_a_past_day(group, full, desk):
    """Three people signed four days after the company began; on the day before, nobody had."""
    walk = Walk(desk(group), full.company.organization_id)
    walk.link("Policies", walk.page.locator("nav.side"))
    walk.link("Code of conduct", walk.page.locator("main"))
    signing_day = full.company.start.date().toordinal() + 4
    main = walk.page.locator("main")
    for day, sentence, unsigned in ((signing_day, "3 of 4 people had signed", 1), (signing_day - 1, "0 of 4", 4)):
        walk.type("Signed and not signed on", type(full.company.start.date()).fromordinal(day).isoformat())
        walk.button("Show", main)
        expect(main.locator(".headline")).to_contain_text(sentence)
        rows = main.locator("table").first.get_by_role("row")
        expect(rows).to_have_count(unsigned + 1)
    assert walk.clicks == 4  # the last click is for a second day
