"""What a page of the console is: one line in the registry that urls, navigation and tests all walk."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.http import HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext_noop

from compliance.interfaces.console.permissions import Permission

Words = str | Promise
"""A text of a page. What is declared before anybody asks is translated when it is drawn (`gettext_lazy`)."""


_REGISTER_PAGES = {"courses": "course-versions", "policies": "policy-versions"}


def register_page(register: str) -> str:
    """The name of a register's page: `courses` and `policies` are the lists of these, not of their versions."""
    return _REGISTER_PAGES.get(register, register)


class Section(StrEnum):
    """The headings of a company's navigation, in order: what people come for."""

    TODAY = gettext_noop("Today")
    PEOPLE = gettext_noop("People")
    COURSE = gettext_noop("Courses")
    POLICY = gettext_noop("Policies")
    REPORTS = gettext_noop("Reports")
    PROOF = gettext_noop("Proof")
    SETTINGS = gettext_noop("Settings")


@dataclass(frozen=True)
class ConsolePage:
    """A page: where it lies, who may see it, what draws it.

    `path` is below `/console/`, for a company's page below `/console/companies/<organization_id>/` or, in place of
    `companies`, what `below` says. `view` takes a Visit and the values of the path. A page with a `section` stands in
    the company's navigation.
    """

    name: str
    path: str
    view: Callable[..., HttpResponseBase]
    permission: Permission
    title: Words
    company: bool = True
    section: Section | None = None
    methods: tuple[str, ...] = ("GET",)
    recent: bool = False  # asks for a sign-in or a confirmation within CONSOLE_RECENT_SECONDS (sign_in/step_up.py)
    below: str = "companies"
    arguments: tuple[tuple[str, Any], ...] = ()  # fixed values for the view beside those of the path

    @property
    def address(self) -> str:
        """The whole path below `/console/`, as Django writes it."""
        return f"{self.below}/<uuid:organization_id>/{self.path}" if self.company else self.path
