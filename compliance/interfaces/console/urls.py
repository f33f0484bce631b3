"""The URLs of the console, all from the registry of pages, and of its sign-in."""

from django.urls import URLPattern, path
from django.urls.resolvers import URLResolver

from compliance.interfaces.console.page_view import entrance
from compliance.interfaces.console.pages import PAGES

app_name = "console"
urlpatterns: list[URLPattern | URLResolver] = [
    path(page.address, entrance(page, PAGES), name=page.name) for page in PAGES
]
