"""The numbers of people who owe a course or a policy, by state; each number links to its people."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from compliance.interfaces.console.page import Words
from compliance.interfaces.console.understand import charts
from compliance.interfaces.console.understand.refreshing import OPTIONAL_DONE
from compliance.rules.vocabulary import Outcome

LISTS: dict[str, Words] = {
    "open": _("Not done"),
    "overdue": _("Overdue"),
    "done": _("Done"),
    "waived": _("Waived"),
    "optional": _("Optional, not done"),
}
"""The lists of a course's people by the word in the address."""

_DONE = (Outcome.COMPLETED_ON_TIME, Outcome.COMPLETED_LATE, Outcome.COMPLETED_BEFORE_REQUIREMENT, "signed")
_TO_DO = (Outcome.NOT_DUE_YET, "to_do")


@dataclass(frozen=True)
class State:
    """How many people of a course are in which state; `late` counts those who did it late.

    `done` includes `optional_done`: those who did it although they did not have to.
    """

    overdue: int
    to_do: int
    done: int
    optional_done: int
    late: int
    waived: int
    optional: int

    @property
    def required(self) -> int:
        """How many must do it or had to: without those for whom it is waived and those for whom it is optional."""
        return self.open + self.required_done

    @property
    def required_done(self) -> int:
        """How many of those required have done it."""
        return self.done - self.optional_done

    @property
    def open(self) -> int:
        """How many must do it and have not done it."""
        return self.overdue + self.to_do

    @property
    def percent(self) -> int:
        """The percentage of those required who have done it, rounded down: 100 means everybody."""
        return 100 * self.required_done // self.required if self.required else 0

    @property
    def everybody(self) -> int:
        """How many records there are."""
        return self.open + self.done + self.waived + self.optional


def state_of(counts: Mapping[str, int]) -> State:
    """Sums numbers by outcome (of a policy: by signature) to a state."""

    def sum_of(*words: str) -> int:
        return sum(counts.get(word, 0) for word in words)

    return State(
        overdue=sum_of(Outcome.OVERDUE),
        to_do=sum_of(*_TO_DO),
        done=sum_of(*_DONE),
        optional_done=sum_of(OPTIONAL_DONE),
        late=sum_of(Outcome.COMPLETED_LATE),
        waived=sum_of(Outcome.WAIVED),
        optional=sum_of(Outcome.OPTIONAL_NOT_DONE),
    )


def parts_of(state: State, address: Callable[[str], str]) -> list[charts.Segment]:
    """The segments of a course's bar, each linked to its people."""
    return charts.parts(
        [
            (str(_("Done on time")), state.done - state.late, "good", address("done")),
            (str(_("Done late")), state.late, "warn", address("done")),
            (str(_("Not due yet")), state.to_do, "calm", address("open")),
            (str(_("Overdue")), state.overdue, "bad", address("overdue")),
            (str(_("Waived")), state.waived, "line", address("waived")),
            (str(_("Optional, not done")), state.optional, "line", address("optional")),
        ]
    )


def tabs(state: State, chosen: str, address: Callable[[str], str]) -> list[dict[str, Any]]:
    """The lists of people with their numbers, without empty lists other than the first, "done" and the chosen one."""
    numbers = {
        "open": state.open,
        "overdue": state.overdue,
        "done": state.done,
        "waived": state.waived,
        "optional": state.optional,
    }
    return [
        {"title": title, "number": numbers[word], "address": address(word), "here": word == chosen}
        for word, title in LISTS.items()
        if numbers[word] or word in ("open", "done", chosen)
    ]
