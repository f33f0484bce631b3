"""The pages of this part."""

from django.utils.translation import gettext_lazy

from compliance.interfaces.console.letters import views
from compliance.interfaces.console.page import ConsolePage, Section
from compliance.interfaces.console.permissions import Permission

_SEE = Permission.SEE

PAGES: tuple[ConsolePage, ...] = (
    ConsolePage("letters", "letters/", views.letters, _SEE, gettext_lazy("Letters"), section=Section.SETTINGS),
    ConsolePage("letter", "letters/<slug:kind>/", views.letter, _SEE, gettext_lazy("Letter")),
    ConsolePage("letter-html", "letters/<slug:kind>/html", views.html, _SEE, gettext_lazy("Letter as HTML")),
)
