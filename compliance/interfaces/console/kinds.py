"""Kinds of fact in words, grouped by the noun they are about, for pages on which staff choose or read them."""

import re
from collections.abc import Iterable

from django.utils.translation import gettext, gettext_lazy

from compliance.access.sources import SCIM
from compliance.facts.lines.kinds import KINDS

NOUNS = {
    "people": gettext_lazy("People and teams"),
    "courses": gettext_lazy("Courses"),
    "policies": gettext_lazy("Policies"),
    "shares": gettext_lazy("Shares"),
    "training": gettext_lazy("Training"),
    "certificates": gettext_lazy("Certificates"),
}
"""The nouns that the modules of `facts.lines` are about."""


def of_noun(noun: str) -> list[tuple[str, str]]:
    """The kinds of one of `NOUNS`, each with a sentence."""
    return [(kind, sentence(kind)) for kind in KINDS if noun_of(kind) == noun]


def noun_of(kind: str) -> str:
    """Which of `NOUNS` a kind is about."""
    return KINDS[kind].__module__.rpartition(".")[2]


def sentence(kind: str) -> str:
    """A kind with the first clause of its line's docstring: what follows a semicolon there is about fields."""
    described = KINDS[kind].__doc__ or ""
    happened = re.sub(r" \([^)]*\)", "", re.split(r"[;.\n]", described)[0])
    return f"{title(kind)}: {happened[:1].lower()}{happened[1:]}"


def title(kind: str) -> str:
    """The name of a kind, as words."""
    return gettext("People and teams by SCIM") if kind == SCIM else kind.replace("_", " ").capitalize()


def grouped(kinds: Iterable[str]) -> list[tuple[str, str]]:
    """Kinds for a table: nouns with their kinds in words, `All` where a noun has all of its kinds."""
    held = set(kinds)
    found = [(gettext("Identity provider"), gettext("people and teams by SCIM"))] if SCIM in held else []
    for noun, words in NOUNS.items():
        every = [kind for kind, _ in of_noun(noun)]
        some = [kind for kind in every if kind in held]
        if some:
            of_these = gettext("all") if some == every else ", ".join(kind.replace("_", " ") for kind in some)
            found.append((str(words), of_these))
    return found
