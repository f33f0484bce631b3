"""The bar below a list, with the acts on the rows that are chosen in it."""

from dataclasses import dataclass

from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.selection.reading import AT_MOST
from compliance.interfaces.console.visit import Visit


@dataclass(frozen=True)
class Bar:
    """What `console/selection/bar.html` renders.

    `everything` is sealed text for all rows that the filters find (`reading`), empty where they cannot be chosen;
    `total` is how many rows that is, None if not counted.
    """

    acts: list[tuple[str, str]]
    exports: list[tuple[str, str]]
    everything: str
    total: int | None

    @property
    def too_many(self) -> bool:
        """Whether the filters find more than an act takes at once."""
        return self.total is not None and self.total > AT_MOST

    @property
    def at_most(self) -> int:
        """How many rows an act takes at once."""
        return AT_MOST


def bar(
    visit: Visit,
    register: str,
    everything: str = "",
    total: int | None = None,
    exports: list[tuple[str, str]] | None = None,
) -> Bar | None:
    """The bar with the acts that this person may do on rows of a register (`Act.takes`); None without any.

    `exports` are further addresses that accept a selection, with the labels of their buttons.
    """
    acts = [
        (str(act.title), visit.address(f"act-{act.name}"))
        for act in ACTS.values()
        if register in act.takes and visit.staff.may(act.permission)
    ]
    return Bar(acts, exports or [], everything, total) if acts or exports else None
