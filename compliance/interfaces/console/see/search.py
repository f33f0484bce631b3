"""Search by words: people, teams, courses, policies, shares, acts and pages, on a page and in the palette (Ctrl+K).

The words are posted, because an address would leave names in logs of proxies and in the browser's history.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext, gettext_lazy

from compliance.facts.people import queries as people
from compliance.history import queries as history
from compliance.interfaces.console import identifiers
from compliance.interfaces.console.acting import pickable
from compliance.interfaces.console.acting.pickable import Pickable, plain
from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.page import ConsolePage, Section, Words
from compliance.interfaces.console.visit import Visit
from compliance.rules.vocabulary import ERASED_PERSON

IN_PALETTE = 6
"""How many results of each kind the palette lists; the page lists more."""
ON_PAGE = 50
OFFERED = 12
"""Pages that are listed before anything is typed."""
FEWEST_LETTERS = 2
"""Fewer letters would find half of a company."""
LONG_ENOUGH = 4
"""A word of so many letters is also looked for in the explanations of acts; shorter ones are in most of them."""


class Hit(NamedTuple):
    """A result: its name, a detail that distinguishes it from others of that name, and its address."""

    label: Words
    detail: Words
    address: str


@dataclass(frozen=True)
class Group:
    """The results of one kind; `more`: there are more than are listed."""

    title: Words
    hits: list[Hit]
    more: bool


@dataclass(frozen=True)
class _Noun:
    """A kind of thing that is found by its name, and the page of a single one."""

    title: Words
    kind: Pickable
    page: str
    value: str


_INVITATION = "send-invitation"
_NOUNS = (
    _Noun(gettext_lazy("Teams"), pickable.TEAM, "team", "team_id"),
    _Noun(gettext_lazy("Courses"), pickable.COURSE, "course", "course_id"),
    _Noun(gettext_lazy("Policies"), pickable.POLICY, "policy-page", "course_id"),
    _Noun(gettext_lazy("Shares"), pickable.SHARE, "share", "share_id"),
)


def search(visit: Visit) -> HttpResponse:
    """Results that match all words, in groups. An identifier leads to its person. The palette gets the list only."""
    wanted = visit.request.POST.get("q", "").replace("\0", "").strip()[:200]
    palette = "palette" in visit.request.POST
    identifier = identifiers.read(wanted) if len(wanted) == 36 else None
    if identifier is not None:
        for learner in history.learners_named(visit.organization.organization_id, [identifier]):
            return HttpResponseRedirect(visit.address("person", learner_profile_id=learner))
    words, most = wanted.split(), IN_PALETTE if palette else ON_PAGE
    groups = [each for each in _found(visit, words, most) if each.hits] if identifier is None else []
    values: dict[str, Any] = {
        "wanted": wanted,
        "groups": groups,
        "number": sum(len(each.hits) for each in groups),
        "fewest": FEWEST_LETTERS,
    }
    return visit.render("console/see/found.html" if palette else "console/see/search.html", values)


def _found(visit: Visit, words: Sequence[str], most: int) -> Iterator[Group]:
    acts = [page for page in _reachable(visit) if page.name.startswith("act-")]
    pages = [page for page in _reachable(visit) if not page.name.startswith("act-")]
    if not words:
        listed = [page for section in Section for page in pages if page.section is section]
        yield _of_pages(visit, gettext_lazy("Pages"), listed, [], OFFERED)
        return
    if len("".join(words)) >= FEWEST_LETTERS:
        yield _of_people(visit, words, most)
        yield from (_of_nouns(visit, noun, words, most) for noun in _NOUNS)
    yield _of_pages(visit, gettext_lazy("Acts"), acts, words, most)
    yield _of_pages(visit, gettext_lazy("Pages"), pages, words, most)


def _of_nouns(visit: Visit, noun: _Noun, words: Sequence[str], most: int) -> Group:
    if not any(page.name == noun.page for page in visit.pages):
        return Group(noun.title, [], more=False)
    found = noun.kind.find(visit.organization.organization_id, words, most + 1, visit.now)
    hits = [
        Hit(each.label, each.detail, visit.address(noun.page, **{noun.value: each.identifier})) for each in found[:most]
    ]
    return Group(noun.title, hits, more=len(found) > most)


def _of_people(visit: Visit, words: Sequence[str], most: int) -> Group:
    """People, then those who are only invited, with a link to the invitation for staff with permission."""
    found = people.search(visit.organization.organization_id, words, most + 1)
    visit.saw(each.learner_profile_id for each in found[:most])
    return Group(gettext_lazy("People"), [_person(visit, each) for each in found[:most]], more=len(found) > most)


def _person(visit: Visit, found: people.Found) -> Hit:
    address = found.work_email or found.account_email or ""
    label = gettext(ERASED_PERSON) if found.erased else found.person_name or address or gettext("No name")
    detail = address if label != address else ""
    if found.learner_profile_id is not None:
        return Hit(label, detail, visit.address("person", learner_profile_id=found.learner_profile_id))
    invited = gettext("%(address)s, invited") % {"address": detail} if detail else gettext("invited")
    may = visit.staff.may(ACTS[_INVITATION].permission)
    return Hit(label, invited, visit.link(f"act-{_INVITATION}", {"invitation_id": found.invitation_id}) if may else "")


def _reachable(visit: Visit) -> list[ConsolePage]:
    """Pages that this person may open and whose address needs no values."""
    return [
        page
        for page in visit.pages
        if page.company and "<" not in page.path and "GET" in page.methods and visit.staff.may(page.permission)
    ]


def _of_pages(visit: Visit, title: Words, pages: Sequence[ConsolePage], words: Sequence[str], most: int) -> Group:
    """Pages whose title has every word, then acts whose explanation has the words."""
    wanted = [plain(word) for word in words]
    by_title, explained = [], []
    for page in pages:
        act = ACTS.get(page.name.removeprefix("act-"))
        explains = str(act.explains) if act else ""
        if all(word in plain(_title(page)) for word in wanted):
            by_title.append(page)
        elif all(len(word) >= LONG_ENOUGH and word in plain(f"{_title(page)} {explains}") for word in wanted):
            explained.append(page)
    found = [*by_title, *explained]
    hits = [
        Hit(_title(page), gettext(page.section) if page.section else "", visit.address(page.name))
        for page in found[:most]
    ]
    return Group(title, hits, more=len(found) > most)


def _title(page: ConsolePage) -> str:
    """The title, translated: those of registers are declared in English."""
    return gettext(str(page.title))
