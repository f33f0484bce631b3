"""Whom a share reaches on the day it is made or changed, so that staff are warned if that is nobody."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from compliance.facts.shares import queries

_NOBODY = {
    "everyone": gettext_lazy(
        "This share reaches nobody. Nobody is here as %(doors)s today. Whoever comes is reached from then on."
    ),
    "teams": gettext_lazy(
        "This share reaches nobody. Nobody as %(doors)s is in the chosen teams today. Whoever joins them is reached"
        " from then on."
    ),
    "people": gettext_lazy("This share reaches nobody. None of the people named is here as %(doors)s today."),
}
_DOORS = {
    "employee": gettext_lazy("employee"),
    "partner": gettext_lazy("partner"),
    "customer": gettext_lazy("customer"),
}


class Reached(NamedTuple):
    """How many people an open share reaches, the first of them, and if there are none, sentences that explain it."""

    people: int
    first: list[uuid.UUID]
    warnings: list[str]


def reached(organization_id: uuid.UUID, share_id: uuid.UUID, at: datetime) -> Reached:
    """Whom an open share reaches at `at`. In the company's context."""
    found = queries.reached(organization_id, share_id, at)
    if not found.published:
        words = (
            _("“%(title)s” has no published version: nobody owes this policy until one is published.")
            if found.kind == "policy"
            else _("“%(title)s” has no published version: nobody owes this course until one is published.")
        )
        return Reached(0, [], [words % {"title": found.title}])
    if found.people:
        return Reached(found.people, found.first, [])
    if found.policy_doors is not None and not set(found.doors) & set(found.policy_doors):
        words = _("This share reaches nobody: “%(title)s” is only for whoever is here as %(doors)s.")
        return Reached(0, [], [words % {"title": found.title, "doors": _either(found.policy_doors)}])
    return Reached(0, [], [str(_NOBODY[found.audience]) % {"doors": _either(found.doors)}])


def _either(doors: Sequence[str]) -> str:
    return get_text_list([str(_DOORS[door]) for door in doors], _("or"))
