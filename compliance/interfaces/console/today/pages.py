"""The pages of this room."""

from django.utils.translation import gettext_lazy

from compliance.interfaces.console.page import ConsolePage, Section
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.today import views

PAGES: tuple[ConsolePage, ...] = (
    ConsolePage("start", "", views.start, Permission.SEE, gettext_lazy("Start"), company=False),
    ConsolePage("today", "", views.today, Permission.SEE, gettext_lazy("Today"), section=Section.TODAY),
)
