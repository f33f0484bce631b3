"""Where a link, a sign-in or a choice of language may redirect: only to a page of these pages that GET reads.

Input from outside is compared with the URLconf, so an address of another host, of another interface or of an act is
never accepted, however a browser would read it.
"""

import re
from urllib.parse import unquote, urlencode

from django.urls import Resolver404, resolve, reverse

_PATH = re.compile(r"/learn/[A-Za-z0-9/._-]*")
_LINK = re.compile(r"/learn/in/[A-Za-z0-9_-]{1,100}")
_NO_PAGES = frozenset({"out", "language", "come_in", "worker", "keep-course", "keep-lesson", "offline"})
_MOST = 300


def leads_to(path: str) -> str:
    """The path after `/learn/` of a page that may be redirected to; "" for home and for anything else."""
    if len(path) > _MOST or "//" in path or ".." in path or not _PATH.fullmatch(path):
        return ""
    try:
        found = resolve(path)
    except Resolver404:
        return ""
    if found.namespace != "learner" or found.url_name in _NO_PAGES:
        return ""
    return path.removeprefix("/learn/")


def address_of(lead: str) -> str:
    """The address of a page from the result of `leads_to` or a link's row; home where that is no page."""
    return reverse("learner:home") + leads_to(f"/learn/{lead}")


def way_in(lead: str) -> str:
    """The address of the page that asks for one's e-mail address and leads to that page after the sign-in."""
    home = reverse("learner:home")
    return f"{home}?{urlencode({'to': lead})}" if lead else home


def page_again(address: str) -> str:
    """The page on which somebody chose a language, as the form names it; home where it is no page of ours.

    This may also be a personal link, though no other page leads to one.
    """
    path, _, query = address.partition("?")
    if path == reverse("learner:home"):
        return way_in(leads_to("/learn/" + unquote(query.removeprefix("to="))))
    if _LINK.fullmatch(path):
        return path
    return address_of(path.removeprefix("/learn/"))
