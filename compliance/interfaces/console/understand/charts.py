"""Charts as geometry for inline SVG: no script, no style attribute, readable at any width.

Shapes are stretched to the page (`preserveAspectRatio="none"`), so words stand beside them as HTML.
"""

from dataclasses import dataclass
from datetime import date, timedelta

WIDTH, HEIGHT = 600, 160


@dataclass(frozen=True)
class Bar:
    """One line of a bar chart: its share of the longest, 0 to 100, and where it leads."""

    label: str
    number: int
    share: float
    tone: str = ""
    address: str = ""


def bars(values: list[tuple[str, int, str, str]]) -> list[Bar]:
    """Bars of (label, number, tone, address)."""
    longest = max((number for _, number, _, _ in values), default=0) or 1
    return [
        Bar(label, number, round(100 * number / longest, 2), tone, address) for label, number, tone, address in values
    ]


@dataclass(frozen=True)
class Segment:
    """A piece of a whole, drawn as a stretch of one bar from `start`, both out of 100."""

    label: str
    number: int
    start: float
    share: float
    tone: str
    address: str = ""

    @property
    def percent(self) -> str:
        """The share for people."""
        return f"{self.share:.0f} %" if self.share >= 1 or not self.number else "< 1 %"


def parts(values: list[tuple[str, int, str, str]]) -> list[Segment]:
    """The parts of (label, number, tone, address) that are not empty."""
    whole = sum(number for _, number, _, _ in values) or 1
    found, start = [], 0.0
    for label, number, tone, address in values:
        if number:
            share = 100 * number / whole
            found.append(Segment(label, number, round(start, 3), round(share, 3), tone, address))
            start += share
    return found


@dataclass(frozen=True)
class Week:
    """A point of the completion chart: how many were required at the end of the week, how many of them were done."""

    week: date
    required: int
    done: int

    @property
    def percent(self) -> int:
        """Done of required, rounded down, so that 100 means all."""
        return 100 * self.done // self.required if self.required else 0

    @property
    def last_day(self) -> date:
        """The Sunday at whose end the numbers held."""
        return self.week + timedelta(days=6)


@dataclass(frozen=True)
class Lines:
    """Two lines over time: SVG paths, the values of the axis from the top down, and the points themselves."""

    required: str
    done: str
    area: str
    axis: list[int]
    weeks: list[Week]


def completion(required: dict[date, int], done: dict[date, int], weeks: list[date]) -> Lines:
    """Adds up by how much, week by week, what is required and what is done of it grew or shrank."""
    points, required_sum, done_sum = [], 0, 0
    for week in weeks:
        required_sum += required.get(week, 0)
        done_sum += done.get(week, 0)
        points.append(Week(week, required_sum, done_sum))
    top = _round_number(max((point.required for point in points), default=0))
    step = WIDTH / max(len(points) - 1, 1)

    def path(values: list[int]) -> str:
        return " ".join(
            f"{'M' if at == 0 else 'L'}{at * step:.1f} {HEIGHT - HEIGHT * value / top:.1f}"
            for at, value in enumerate(values)
        )

    line = path([point.done for point in points])
    return Lines(
        path([point.required for point in points]),
        line,
        f"{line} L{WIDTH} {HEIGHT} L0 {HEIGHT} Z" if points else "",
        [top, top // 2, 0],
        points,
    )


def _round_number(value: int) -> int:
    """The least round number that is not below `value` and has a whole half."""
    size = 1
    while True:
        for factor in (2, 3, 4, 5, 6, 8, 10):
            if value <= factor * size and factor * size % 2 == 0:
                return factor * size
        size *= 10
