"""The table that `make scale` prints: one row per fault, each figure beside its bound."""

from typing import NamedTuple


class Row(NamedTuple):
    """The effect of one fault. `faults` are the bounds that it broke, in words; empty if none."""

    fault: str
    times: int
    found: str
    bound: str
    faults: tuple[str, ...] = ()


def markdown(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| fault | times | found | bound | |", "| --- | --- | --- | --- | --- |"]
    for row in rows:
        verdict = "held" if not row.faults else f"**{'; '.join(row.faults)}**"
        lines.append(f"| {row.fault} | {row.times} | {row.found} | {row.bound} | {verdict} |")
    return "\n".join(lines) + "\n"
