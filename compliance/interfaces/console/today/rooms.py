"""Which rooms have lines on the page of today: each a function that takes the Visit and gives its lines."""

from collections.abc import Callable, Iterable

from compliance.interfaces.console.today import machinery, owed, second
from compliance.interfaces.console.today.lines import Line
from compliance.interfaces.console.visit import Visit

ROOMS: tuple[Callable[[Visit], Iterable[Line]], ...] = (owed.lines, second.lines, machinery.lines)
