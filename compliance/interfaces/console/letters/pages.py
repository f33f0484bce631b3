"""The pages of this part."""

from compliance.interfaces.console.letters import views
from compliance.interfaces.console.page import Page, Section
from compliance.interfaces.console.who_may import Permission

_SEE = Permission.SEE

PAGES: tuple[Page, ...] = (
    Page("letters", "letters/", views.letters, _SEE, "Letters", section=Section.SETTINGS),
    Page("letter", "letters/<slug:kind>/", views.letter, _SEE, "Letter"),
    Page("letter-html", "letters/<slug:kind>/html", views.html, _SEE, "Letter as HTML"),
)
