"""The registry of pages: every page of the console, in one list.

Urls and the navigation are derived from it, as are the tests that request every address as every group.
"""

from compliance.interfaces.console.acting.pages import PAGES as ACTING
from compliance.interfaces.console.courses.pages import PAGES as OF_COURSES
from compliance.interfaces.console.evidence.pages import PAGES as EVIDENCE
from compliance.interfaces.console.exports.pages import PAGES as EXPORTS
from compliance.interfaces.console.letters.pages import PAGES as LETTERS
from compliance.interfaces.console.page import ConsolePage
from compliance.interfaces.console.people.pages import PAGES as OF_PEOPLE
from compliance.interfaces.console.policies.pages import PAGES as OF_POLICIES
from compliance.interfaces.console.reading.pages import PAGES as READING
from compliance.interfaces.console.reports.pages import PAGES as REPORTS
from compliance.interfaces.console.see.pages import PAGES as SEE
from compliance.interfaces.console.stored.pages import PAGES as STORED
from compliance.interfaces.console.today.pages import PAGES as TODAY
from compliance.interfaces.console.understand.pages import PAGES as UNDERSTAND
from compliance.interfaces.console.webhooks.pages import PAGES as WEBHOOKS

PAGES: tuple[ConsolePage, ...] = (
    *TODAY, *OF_COURSES, *OF_POLICIES, *SEE, *OF_PEOPLE, *READING, *REPORTS, *UNDERSTAND, *ACTING, *LETTERS, *WEBHOOKS,
    *EVIDENCE, *EXPORTS, *STORED,
)  # fmt: skip
