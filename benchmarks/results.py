"""The results of a run: lines of docs/benchmarks.csv, the chart docs/benchmarks.svg, and the bounds of small runs."""

import csv
import hashlib
import os
import platform
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from xml.sax.saxutils import escape

from benchmarks.reads import Result

ROOT = Path(__file__).resolve().parent.parent
HISTORY, PLOT = ROOT / "docs" / "benchmarks.csv", ROOT / "docs" / "benchmarks.svg"
COLUMNS = ("at", "commit", "size", "cores", "load", "python", "machine_ms", "row", "measured", "bound", "holds")
TURNS = 200_000

# Bounds for a hundredth of the data on a machine that does other work too, by the beginning of a row's name. A size is
# bounded as strictly as in a whole run; a ratio of times only so that both sides work and neither is very slow.
_SMALL = {
    "page of 200 / COPY": (None, 30),
    "page of 200, against DRF": (0.3, None),
    "page of 200 in zstd: bytes": (None, 9),
    "page of 200 in gzip: bytes": (None, 14),
    "page of 200 in zstd: compressing": (None, 10),
    "page of 200 in gzip: compressing": (None, 20),
    "as-at page, first": (0.3, None),
    "as-at page, in the middle, against simple-history": (0.3, None),
    "last page / second page": (None, 6),
    "200 versions a record / 3": (None, 10),
    "10x the rows": (None, 6),
    "whole pull": (1, None),
    "feed, versions a second": (1_000, None),
    "feed, a page at the end": (None, 6),
    "facts file to readable rows": (100, None),
    "its memory": (None, 400),
    "large file, memory of its import": (None, 400),
    "large file, facts refused": (None, 0),
    "large file, faults": (None, 0),
    "large file, proof of a row, ms": (None, 1_000),
    "large file, proof of a row, most bytes": (None, 4_096),
    "proof of a row, ms": (None, 1_000),
    "proof of a row, most bytes": (None, 4_096),
    "evidence pack, memory of its verifier": (None, 200),
    "beside 32 slow senders": (None, 5_000),
    "beside 16 slow readers": (None, 30),
    "capture with the company's tree": (None, 3),
    "capture, against": (0.3, None),
    "sweep with 1 % due": (1, None),
    "finding due work": (None, 20),
}


def of_small_run(result: Result) -> Result:
    """The row with the bound of a small run; a row that means nothing with so little data has no bound."""
    for name, (least, most) in _SMALL.items():
        if result.name.startswith(name):
            holds = (least is None or result.measured >= least) and (most is None or result.measured <= most)
            return result._replace(bound=f">= {least:g}" if least is not None else f"<= {most:g}", holds=holds, aim="")
    return result._replace(bound="shown", holds=True, aim="")


def machine_milliseconds(tries: int = 2) -> float:
    """How long this process takes for a fixed piece of work, in milliseconds: the quickest of a few tries.

    The work is a chain of digests: each needs the one before, so neither more cores nor a better interpreter shortens
    it much. It is measured with every row, because some hosts halve their speed from one minute to the next.
    """
    taken = []
    for _ in range(tries):
        began, digest = time.perf_counter(), b""
        for _ in range(TURNS):
            digest = hashlib.sha256(digest).digest()
        taken.append(time.perf_counter() - began)
    return min(taken) * 1000


def keep(path: Path, results: Iterable[Result], *, small: bool, at: datetime | None = None) -> None:
    """Adds a line for each row to the history."""
    about = (
        (at or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%MZ"),
        _commit(),
        "small" if small else "whole",
        os.cpu_count(),
        f"{os.getloadavg()[0]:.1f}",
        platform.python_version(),
    )
    begun = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        if begun:
            lines.writerow(COLUMNS)
        for each in results:
            measured = (f"{each.machine_ms:.0f}", each.name, f"{each.measured:.3f}", each.bound)
            lines.writerow((*about, *measured, "yes" if each.holds else "no"))


def plot(history: Path) -> str:
    """A picture (SVG) of the history: one small chart per row, separate for whole and small runs, with its bound dashed."""
    series: dict[str, list[tuple[float, str]]] = defaultdict(list)
    with history.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            name = line["row"] if line["size"] == "whole" else f"{line['size']}: {line['row']}"
            series[name].append((float(line["measured"]), line["bound"]))
    drawn = [_chart(name, points, place) for place, (name, points) in enumerate(sorted(series.items()))]
    height = _HEIGHT * -(-len(drawn) // _ACROSS) + 8
    style = (
        ".paper{fill:#fff}text{font:12px system-ui,sans-serif;fill:#333}polyline{fill:none;stroke:#1d5fa8;stroke-width:2}"
        "circle{fill:#1d5fa8}.bound{stroke:#b3261e;stroke-dasharray:4 3}.low{fill:#b3261e}"
        "@media(prefers-color-scheme:dark){.paper{fill:#14181d}text{fill:#ddd}polyline{stroke:#8ab8f0}circle{fill:#8ab8f0}"
        ".bound{stroke:#f2958d}.low{fill:#f2958d}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH * _ACROSS}" height="{height}" role="img">'
        f"<title>Measured rows, oldest run first</title><style>{style}</style>"
        f'<rect class="paper" width="100%" height="100%"/>{"".join(drawn)}</svg>\n'
    )


_ACROSS, _WIDTH, _HEIGHT = 2, 640, 104


def _chart(name: str, points: list[tuple[float, str]], place: int) -> str:
    left, top = 8 + _WIDTH * (place % _ACROSS), 8 + _HEIGHT * (place // _ACROSS)
    values = [value for value, _ in points]
    bound = points[-1][1].partition("= ")[2]
    limit = float(bound) if bound else None
    ceiling = max([*values, limit or 0.0, 1e-9]) * 1.05

    def across(number: int) -> float:
        return left + 4 + (_WIDTH - 120) * (number / max(len(values) - 1, 1))

    def down(value: float) -> float:
        return top + 82 - 58 * value / ceiling

    words = name if len(name) <= 98 else f"{name[:96]}…"
    parts = [f'<text x="{left}" y="{top + 12}">{escape(words)}</text>']
    if limit is not None:
        y = f"{down(limit):.1f}"
        parts.append(f'<line class="bound" x1="{left}" x2="{left + _WIDTH - 112}" y1="{y}" y2="{y}"/>')
    places = [(f"{across(number):.1f}", f"{down(value):.1f}") for number, value in enumerate(values)]
    parts.append(f'<polyline points="{" ".join(",".join(each) for each in places)}"/>')
    parts += [f'<circle cx="{x}" cy="{y}" r="2.5"/>' for x, y in places]
    parts.append(f'<text x="{left + _WIDTH - 104}" y="{top + 50}">{values[-1]:,.6g}</text>')
    parts.append(f'<text x="{left + _WIDTH - 104}" y="{top + 66}">{escape(points[-1][1])}</text>')
    return "".join(parts)


def _commit() -> str:
    found = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--exclude=*"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or "unknown"
