"""Filters of lists: a person's name is posted; everything else is in the address, which holds identifiers only."""

import uuid
from dataclasses import dataclass, field

from django.http import HttpResponseRedirect, QueryDict
from django.utils.translation import gettext

from compliance.facts.people import queries as people
from compliance.facts.people.queries import Found
from compliance.interfaces.console import identifiers
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.visit import Visit

PERSON, WORDS = "person", "person_words"
"""The identifier that the address holds; and the words somebody typed, which are posted and never in an address."""

OFFERED_AT_MOST = 10


@dataclass(frozen=True)
class PersonAsked:
    """The one person to whom a list is narrowed, or the words that were typed and everybody whom they may mean."""

    learner: uuid.UUID | None = None
    words: str = ""
    candidates: list[tuple[str, Found]] = field(default_factory=list)

    @property
    def unknown(self) -> bool:
        """Whether the words typed name nobody."""
        return bool(self.words) and self.learner is None and not self.candidates


def person(visit: Visit) -> PersonAsked | HttpResponseRedirect:
    """The person whom the address names, or whom the posted filters mean.

    Posted filters redirect to the address of the list with these filters. If the words may mean several people, the
    list offers a choice between them.
    """
    if visit.request.method == "POST":
        return _posted(visit)
    learner = identifiers.asked(visit.request, PERSON)
    if learner is None:
        return PersonAsked()
    found = people.person(visit.organization.organization_id, learner)
    if found is None:
        raise NothingThereError(gettext("There is no such person in this company."))
    visit.saw([learner])
    name = "" if found.erased_at else found.person_name or found.work_email or found.account_email or ""
    return PersonAsked(learner, name)


def _posted(visit: Visit) -> PersonAsked | HttpResponseRedirect:
    posted, request = visit.request.POST, visit.request
    query = QueryDict(mutable=True)
    for name in posted:
        if posted[name] and name not in ("csrfmiddlewaretoken", PERSON, WORDS):
            query[name] = posted[name]
    words = posted.get(WORDS, "").replace("\0", "").strip()[:200]
    known = identifiers.read(posted.get(PERSON))
    asked = PersonAsked()
    if words:
        before = people.name_of(visit.organization.organization_id, known) if known else None
        if known and before == words:
            asked = PersonAsked(known, words)
        else:
            asked = _meant(visit, words, query)
    if not words or asked.learner:
        if asked.learner:
            query[PERSON] = str(asked.learner)
        return HttpResponseRedirect(f"{request.path}?{query.urlencode()}" if query else request.path)
    request.GET = query  # type: ignore[assignment]
    return asked


def _meant(visit: Visit, words: str, query: QueryDict) -> PersonAsked:
    """Everybody whom the words may mean, each with the address of the list about them."""
    found = people.search(visit.organization.organization_id, words.split(), OFFERED_AT_MOST)
    known = [each for each in found if each.learner_profile_id]
    if len(known) == 1:
        return PersonAsked(known[0].learner_profile_id, words)
    visit.saw(each.learner_profile_id for each in known)
    offered = []
    for each in known:
        narrowed = query.copy()
        narrowed[PERSON] = str(each.learner_profile_id)
        offered.append((f"?{narrowed.urlencode()}", each))
    return PersonAsked(None, words, offered)
