"""The kinds of thing that staff pick in forms by name instead of by identifier: people, teams, courses and more.

Each kind can search by words, find things by their exact name, and look up identifiers. Identifiers of another company
are not found.
"""

import unicodedata
import uuid
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from compliance.catalogue import REGISTERS
from compliance.facts.courses import queries as courses
from compliance.facts.people import presence
from compliance.facts.people import queries as people
from compliance.facts.shares import queries as shares
from compliance.history import queries as history
from compliance.interfaces.console.page import Words
from compliance.interfaces.console.wording import written_day
from compliance.rules import company_days
from compliance.rules.vocabulary import ERASED_PERSON
from compliance.tenancy import queries as tenancy

_CERTIFICATE = next(each.number for each in REGISTERS.values() if each.tally == "certificate")
LISTED_AT_MOST = 20_000
"""How many teams, courses or shares of a company are searched."""


class Choice(NamedTuple):
    """One thing that can be picked: its name, and a detail that distinguishes it from others of that name.

    `learner` is whom it names, for the access log; None for a team, for example, and for somebody only invited.
    """

    identifier: uuid.UUID
    label: str
    detail: str = ""
    learner: uuid.UUID | None = None


Find = Callable[[uuid.UUID, Sequence[str], int, datetime], list[Choice]]
Called = Callable[[uuid.UUID, Sequence[str], datetime], list[list[Choice]]]
Named = Callable[[uuid.UUID, Collection[uuid.UUID], datetime], dict[uuid.UUID, Choice]]


@dataclass(frozen=True)
class Pickable:
    """A kind of thing that can be picked. Every function takes the company, and runs in its context.

    `find`: the first so many whose name has all words; `called`: for each text, the things with exactly that name;
    `named`: the things with these identifiers.
    """

    name: str
    hint: Words
    missing: Words
    find: Find
    called: Called
    named: Named


def plain(text: str) -> str:
    """A text normalized for comparison: without case, accents and superfluous blanks."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(each for each in apart if not unicodedata.combining(each)).split())


def _of_people(rows: Iterable[people.Found]) -> list[Choice]:
    found = []
    for row in rows:
        address = row.work_email or row.account_email or ""
        label = row.person_name or address or _("No name")
        identifier = row.learner_profile_id or row.invitation_id
        assert identifier is not None  # a search result has one or the other
        found.append(Choice(identifier, label, address if row.person_name else "", row.learner_profile_id))
    return found


def _find_people(organization_id: uuid.UUID, words: Sequence[str], most: int, _at: datetime) -> list[Choice]:
    if not words:
        return []
    rows = people.search(organization_id, words, most)
    return _of_people(row for row in rows if row.learner_profile_id is not None)[:most]


def _people_called(organization_id: uuid.UUID, texts: Sequence[str], _at: datetime) -> list[list[Choice]]:
    found = people.called(organization_id, texts)
    return [_of_people(found.get(text, ())) for text in texts]


def _people_named(
    organization_id: uuid.UUID, identifiers: Collection[uuid.UUID], _at: datetime
) -> dict[uuid.UUID, Choice]:
    named = {}
    for identifier, each in people.displayed_people(organization_id, identifiers).items():
        address = each.work_email or each.account_email or ""
        label = ERASED_PERSON if each.erased else each.person_name or address or _("No name")
        named[identifier] = Choice(identifier, label, address if each.person_name else "", identifier)
    return named


def _find_invitations(organization_id: uuid.UUID, words: Sequence[str], most: int, _at: datetime) -> list[Choice]:
    rows = people.search(organization_id, words, most) if words else []
    return _of_people(row for row in rows if row.invitation_id is not None)[:most]


def _invitations_named(
    organization_id: uuid.UUID, identifiers: Collection[uuid.UUID], at: datetime
) -> dict[uuid.UUID, Choice]:
    named = {}
    for identifier, each in presence.open_invitations(organization_id, identifiers, at).items():
        address = each.work_email or ""
        named[identifier] = Choice(identifier, each.person_name or address, address if each.person_name else "")
    return named


def _find_certificates(organization_id: uuid.UUID, words: Sequence[str], most: int, at: datetime) -> list[Choice]:
    learners = [each.identifier for each in _find_people(organization_id, words, most, at)]
    return [_certificate(each) for each in history.records_of(organization_id, _CERTIFICATE, learners, most)]


def _certificates_named(
    organization_id: uuid.UUID, identifiers: Collection[uuid.UUID], _at: datetime
) -> dict[uuid.UUID, Choice]:
    found = history.named_records(organization_id, _CERTIFICATE, identifiers)
    return {identifier: _certificate(each) for identifier, each in found.items()}


def _certificate(record: history.NamedRecord) -> Choice:
    title, name = record.course_title or _("A course"), record.person_name or _("No name")
    return Choice(record.record_id, title, name, record.learner_profile_id)


def _listed(every: Callable[[uuid.UUID], list[Choice]]) -> tuple[Find, Called, Named]:
    """The functions of a kind of which a company has few enough to search one list."""

    def find(organization_id: uuid.UUID, words: Sequence[str], most: int, _at: datetime) -> list[Choice]:
        wanted = [plain(word) for word in words]
        fitting = (
            each
            for each in every(organization_id)
            if all(word in plain(f"{each.label} {each.detail}") for word in wanted)
        )
        return list(islice(fitting, most))

    def called(organization_id: uuid.UUID, texts: Sequence[str], _at: datetime) -> list[list[Choice]]:
        by_label: dict[str, list[Choice]] = {}
        for each in every(organization_id):
            by_label.setdefault(plain(each.label), []).append(each)
        return [by_label.get(plain(text), []) for text in texts]

    def named(organization_id: uuid.UUID, identifiers: Collection[uuid.UUID], _at: datetime) -> dict[uuid.UUID, Choice]:
        wanted = set(identifiers)
        return {each.identifier: each for each in every(organization_id) if each.identifier in wanted}

    return find, called, named


def _one_by_one(find: Find) -> Called:
    """`called` for a kind whose names are ambiguous: what the words find, if that is exactly one."""

    def called(organization_id: uuid.UUID, texts: Sequence[str], at: datetime) -> list[list[Choice]]:
        return [find(organization_id, text.split(), 2, at) for text in texts[:1]] + [[] for _ in texts[1:]]

    return called


def _teams(organization_id: uuid.UUID) -> list[Choice]:
    return [Choice(*each) for each in people.team_names(organization_id, LISTED_AT_MOST).items()]


def _courses(kind: str | None) -> Callable[[uuid.UUID], list[Choice]]:
    def every(organization_id: uuid.UUID) -> list[Choice]:
        found = courses.titles(organization_id, kind, LISTED_AT_MOST)
        if kind is not None:
            return [Choice(each.course_id, each.title) for each in found]
        return [Choice(each.course_id, each.title, _of_kind(each.kind)) for each in found]

    return every


def _of_kind(kind: str) -> str:
    return _("Policy") if kind == "policy" else _("Course")


def _shares(organization_id: uuid.UUID) -> list[Choice]:
    zone = company_days.zone_info(tenancy.organization(organization_id).time_zone)
    found = []
    for each in shares.open_shares(organization_id, LISTED_AT_MOST):
        values = {"kind": _of_kind(each.kind), "day": written_day(each.opened_at.astimezone(zone).date())}
        found.append(Choice(each.share_id, each.title, _("%(kind)s, shared on %(day)s") % values))
    return found


PERSON = Pickable(
    "person",
    gettext_lazy("Name or email"),
    gettext_lazy("Choose a person."),
    _find_people,
    _people_called,
    _people_named,
)
INVITATION = Pickable(
    "invitation",
    gettext_lazy("Name or email of the invited"),
    gettext_lazy("Choose an invitation."),
    _find_invitations,
    _one_by_one(_find_invitations),
    _invitations_named,
)
CERTIFICATE = Pickable(
    "certificate",
    gettext_lazy("Name or email of its holder"),
    gettext_lazy("Choose a certificate."),
    _find_certificates,
    _one_by_one(_find_certificates),
    _certificates_named,
)
TEAM = Pickable("team", gettext_lazy("Name of the team"), gettext_lazy("Choose a team."), *_listed(_teams))
COURSE = Pickable(
    "course", gettext_lazy("Title of the course"), gettext_lazy("Choose a course."), *_listed(_courses("training"))
)
POLICY = Pickable(
    "policy", gettext_lazy("Title of the policy"), gettext_lazy("Choose a policy."), *_listed(_courses("policy"))
)
COURSE_OR_POLICY = Pickable(
    "course-or-policy",
    gettext_lazy("Title of the course or policy"),
    gettext_lazy("Choose a course or a policy."),
    *_listed(_courses(None)),
)
SHARE = Pickable("share", gettext_lazy("Title of what is shared"), gettext_lazy("Choose a share."), *_listed(_shares))

KINDS: dict[str, Pickable] = {
    each.name: each for each in (PERSON, INVITATION, CERTIFICATE, TEAM, COURSE, POLICY, COURSE_OR_POLICY, SHARE)
}
"""Every kind, by its name in the picker's address."""
