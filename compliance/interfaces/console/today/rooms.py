"""The rooms with lines on the page of today: for each, the function that takes the Visit and gives the lines."""

from collections.abc import Callable, Iterable

from compliance.interfaces.console.today import machinery, owed, second
from compliance.interfaces.console.today.lines import Line
from compliance.interfaces.console.visit import Visit

ROOMS: tuple[Callable[[Visit], Iterable[Line]], ...] = (owed.lines, second.lines, machinery.lines)
