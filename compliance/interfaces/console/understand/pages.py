"""The pages of this part."""

from compliance.interfaces.console.page import Page

PAGES: tuple[Page, ...] = ()
