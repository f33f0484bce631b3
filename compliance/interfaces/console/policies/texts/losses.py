"""Counts what is left out when a text becomes a policy, by kind, and describes it in sentences for its author."""

from collections import Counter
from enum import Enum, auto

from django.utils.translation import gettext as _
from django.utils.translation import ngettext


class Loss(Enum):
    """A kind of content that a policy cannot hold, or that is changed."""

    PICTURE = auto()
    SCRIPT = auto()
    LINK = auto()
    STRUCK = auto()
    RAISED = auto()
    TITLE_MOVED = auto()
    TITLE_MADE = auto()
    LEVELS = auto()
    SMALL_HEADING = auto()
    CONTENTS = auto()
    HEADER = auto()
    COMMENT = auto()
    REVISION = auto()
    NUMBERED = auto()
    PREAMBLE = auto()


Losses = Counter[Loss]


def sentences(losses: Losses) -> list[str]:
    """One sentence for each kind of content that was left out or changed."""
    made = {
        Loss.PICTURE: lambda n: ngettext(
            "%(n)d picture was left out: a policy holds text alone.",
            "%(n)d pictures were left out: a policy holds text alone.", n),
        Loss.SCRIPT: lambda n: ngettext(
            "%(n)d script, form or embedded page was left out.",
            "%(n)d scripts, forms or embedded pages were left out.", n),
        Loss.LINK: lambda n: ngettext(
            "%(n)d link leads nowhere outside of the file; its words stay.",
            "%(n)d links lead nowhere outside of the file; their words stay.", n),
        Loss.STRUCK: lambda n: ngettext(
            "%(n)d passage that was struck out was left out.", "%(n)d passages that were struck out were left out.", n),
        Loss.RAISED: lambda n: ngettext(
            "%(n)d raised or lowered passage now stands on the line.",
            "%(n)d raised or lowered passages now stand on the line.", n),
        Loss.TITLE_MOVED: lambda n: _("What stood before the title now follows it."),
        Loss.TITLE_MADE: lambda n: _(
            "The text begins with no heading, so its title was made from the name of the file."),
        Loss.LEVELS: lambda n: _("The first heading is the title; the others are one level below it."),
        Loss.SMALL_HEADING: lambda n: ngettext(
            "%(n)d heading of a fifth or sixth level is one of the fourth now.",
            "%(n)d headings of a fifth or sixth level are of the fourth now.", n),
        Loss.CONTENTS: lambda n: _("The table of contents was left out."),
        Loss.HEADER: lambda n: _("Page headers and footers were left out."),
        Loss.COMMENT: lambda n: ngettext(
            "%(n)d comment was left out.", "%(n)d comments were left out.", n),
        Loss.REVISION: lambda n: _(
            "The file has tracked changes: what was inserted is in the policy, what was deleted is not."),
        Loss.NUMBERED: lambda n: ngettext(
            "%(n)d heading was numbered by Word; its number was left out.",
            "%(n)d headings were numbered by Word; their numbers were left out.", n),
        Loss.PREAMBLE: lambda n: _("The lines between --- at the top of the file were left out."),
    }  # fmt: skip
    return [made[each](number) % {"n": number} for each in Loss if (number := losses[each])]
