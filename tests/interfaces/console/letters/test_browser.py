"""Letters in a browser, as mail programs render them: no findings of axe-core, nothing wider than a small phone."""

from datetime import UTC, datetime

import pytest

from compliance.letters.actions import Kind
from compliance.letters.samples import sample
from compliance.tenancy.models import Organization
from tests.interfaces.accessibility import axe

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("language", ["en", "ar"])
def test_no_letter_has_a_finding_or_is_too_wide(browser, language):
    company = Organization(name="Harbour Freight and Logistics Ltd", time_zone="Europe/Paris")
    window = browser.new_context()
    page = window.new_page()
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    found = []
    for kind in Kind:
        page.set_content(sample(kind, company, language, datetime.now(UTC)).html)
        found += [f"{kind}: {each}" for each in axe.findings(page, (600, 320))]
        if (width := page.evaluate("document.documentElement.scrollWidth")) > 320:
            found.append(f"{kind}: {width} px wide")
    window.close()
    assert found == []
    assert fetched == []
