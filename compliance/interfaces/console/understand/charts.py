"""Charts as geometry for inline SVG: no script, no style attribute, readable at any width.

Shapes are stretched to the page (`preserveAspectRatio="none"`), so labels are HTML beside them and no part of the SVG.
"""

from dataclasses import dataclass
from datetime import date, timedelta

WIDTH, HEIGHT = 600, 160


@dataclass(frozen=True)
class Bar:
    """One bar of a chart: `share` is its length in percent of the longest, `address` the page that it links to."""

    label: str
    number: int
    share: float
    tone: str = ""
    address: str = ""


def bars(values: list[tuple[str, int, str, str]]) -> list[Bar]:
    """One bar for each (label, number, tone, address)."""
    longest = max((number for _, number, _, _ in values), default=0) or 1
    return [
        Bar(label, number, round(100 * number / longest, 2), tone, address) for label, number, tone, address in values
    ]


@dataclass(frozen=True)
class Segment:
    """One part of a stacked bar: it begins at `start` and is `share` long, both in percent of the whole."""

    label: str
    number: int
    start: float
    share: float
    tone: str
    address: str = ""

    @property
    def percent(self) -> str:
        """The share as text."""
        return f"{self.share:.0f} %" if self.share >= 1 or not self.number else "< 1 %"


def parts(values: list[tuple[str, int, str, str]]) -> list[Segment]:
    """One segment for each (label, number, tone, address) whose number is not 0."""
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
    """A point of the completion chart: records required at the end of the week, and how many of them were done."""

    week: date
    required: int
    done: int

    @property
    def percent(self) -> int:
        """Percentage of the required records that are done, rounded down, so that 100 means all."""
        return 100 * self.done // self.required if self.required else 0

    @property
    def last_day(self) -> date:
        """The Sunday that ends the week; the numbers are as at its end."""
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
    """The completion chart, summed from the changes of each week in how many records are required and done."""
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
    """The smallest round, even number that is at least `value`."""
    size = 1
    while True:
        for factor in (2, 3, 4, 5, 6, 8, 10):
            if value <= factor * size and factor * size % 2 == 0:
                return factor * size
        size *= 10
