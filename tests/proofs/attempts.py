"""The result of one change by the mutations."""

import random
from collections.abc import Callable
from typing import NamedTuple

OUTCOMES = {True: "equivalent, taken", False: "refused and named", None: "left to the product"}


class Attempt(NamedTuple):
    """One change: surface, description, whether it is equivalent, and what each verifier names (None: accepted).

    `equivalent` is None for what the second verifier may accept and the product may refuse (see `pack_mutations`).
    """

    surface: str
    change: str
    equivalent: bool | None
    product: str | None
    second: str | None

    @property
    def fails(self) -> bool:
        if "" in (self.product, self.second):
            return True
        taken = (self.product is None, self.second is None)
        return taken == (True, False) if self.equivalent is None else taken != (self.equivalent, self.equivalent)


Surface = Callable[[random.Random], Attempt | None]
