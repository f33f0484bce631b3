"""The load test: median and 99th percentile at rising numbers of clients, by wrk (Debian's package), with two workers."""

import re
import shutil
import subprocess
import sys

from benchmarks.building import Company

CLIENTS = (1, 2, 4, 8, 16, 32, 64)


def table(address: str, company: Company, seconds: int = 10) -> str:
    """Runs wrk at rising numbers of clients and returns a table."""
    if shutil.which("wrk") is None:
        return "The load test needs wrk: apt-get install wrk\n"
    lines = ["| clients | pages a second | p50 | p99 |", "| --- | --- | --- | --- |"]
    best, knee = 0.0, 1
    for clients in CLIENTS:
        done = subprocess.run(
            [
                "wrk", "--latency", "-t1", f"-c{clients}", f"-d{seconds}s",
                "-H", f"Authorization: Bearer {company.key}", f"{address}/v1/training-records",
            ],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        out = done.stdout
        rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])  # type: ignore[index]
        half, most = (re.search(rf"{share}%\s+(\S+)", out)[1] for share in (50, 99))  # type: ignore[index]
        lines.append(f"| {clients} | {rate:.0f} | {half} | {most} |")
        if rate > best * 1.1:
            best, knee = rate, clients
        sys.stdout.write(lines[-1] + "\n")
    a_day = best * 86_400
    pulls = a_day / (500_000 / 200)
    lines.append("")
    lines.append(
        f"The knee is at {knee} clients: {best:.0f} pages of 200 rows a second from two cores that also run PostgreSQL and wrk,"
        f" {pulls:,.0f} complete pulls of a 500,000-record company a day, or {a_day / 5:,.0f} of a 1,000-record company."
    )
    return "\n".join(lines) + "\n"
