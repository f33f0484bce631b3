"""The declaration of a console page: one entry in the registry from which urls, navigation and tests are derived."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.http import HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext_noop

from compliance.interfaces.console.permissions import Permission

Words = str | Promise
"""A text of a page. Text declared at import time is translated when the page is rendered (`gettext_lazy`)."""


_REGISTER_PAGES = {"courses": "course-versions", "policies": "policy-versions"}


def register_page(register: str) -> str:
    """The name of a register's page. `courses` and `policies` are already the lists of these, not of their versions."""
    return _REGISTER_PAGES.get(register, register)


class Section(StrEnum):
    """The headings of a company's navigation, in order."""

    TODAY = gettext_noop("Today")
    PEOPLE = gettext_noop("People")
    COURSE = gettext_noop("Courses")
    POLICY = gettext_noop("Policies")
    REPORTS = gettext_noop("Reports")
    PROOF = gettext_noop("Proof")
    SETTINGS = gettext_noop("Settings")


@dataclass(frozen=True)
class ConsolePage:
    """A page: its address, who may see it, and its view.

    `path` is below `/console/`, for a company's page below `/console/companies/<organization_id>/`, where `below` may
    replace `companies`. `view` takes a Visit and the values of the path. A page with a `section` is in the company's
    navigation.
    """

    name: str
    path: str
    view: Callable[..., HttpResponseBase]
    permission: Permission
    title: Words
    company: bool = True
    section: Section | None = None
    methods: tuple[str, ...] = ("GET",)
    recent: bool = False  # needs a sign-in or a confirmation within CONSOLE_RECENT_SECONDS (sign_in/step_up.py)
    below: str = "companies"
    arguments: tuple[tuple[str, Any], ...] = ()  # fixed arguments for the view, in addition to those of the path

    @property
    def address(self) -> str:
        """The whole path below `/console/`, in Django's syntax."""
        return f"{self.below}/<uuid:organization_id>/{self.path}" if self.company else self.path
