"""Loads every register into DuckDB with docs/dlt_source.py, twice: no duplicate, no loss; run by its tools' Python.

The rows that must be there, the members they have, and the length of every list in them, are counted on pages read
with nothing but the standard library. Exit code 1 says what differs.
"""

import json
import os
import sys
import urllib.parse
import urllib.request
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from runpy import run_path
from typing import Any

import dlt
import duckdb

SOURCE = Path(__file__).parents[2] / "docs" / "dlt_source.py"
LIMIT = 9
KEYS = {
    "training-records": "record_id",
    "people": "person_id",
    "certificates": "certificate_id",
    "courses": "row_id",
    "policies": "course_release_id",
    "policy-records": "record_id",
    "acknowledgements": "receipt_id",
}


def main(folder: Path) -> int:
    """Loads twice and counts after each load."""
    folder.mkdir(parents=True, exist_ok=True)
    base_url, key = os.environ["BASE_URL"], os.environ["SVC_KEY"]
    registers = run_path(str(SOURCE))["registers"]
    database = folder / "registers.duckdb"
    pipeline = dlt.pipeline(
        "compliance_records",
        destination=dlt.destinations.duckdb(str(database)),
        dataset_name="compliance",
        pipelines_dir=str(folder / "pipelines"),
    )
    expected = _expected(base_url, key)
    for load in (1, 2):
        pipeline.run(registers(base_url, key, LIMIT)).raise_on_failed_jobs()
        found = _found(database)
        for table in sorted(each for each in expected if "." not in each):
            sys.stdout.write(f"load {load}: {table}: {found[table]} of {expected[table]}\n")
        if found != expected:
            sys.stdout.write(f"load {load}: missing {expected - found}, too many {found - expected}\n")
            return 1
    return 0


def _expected(base_url: str, key: str) -> Counter[str]:
    """The rows of each table: one a row of the register, and one an item of each list of the row."""
    now = datetime.now(UTC)
    counts: Counter[str] = Counter()
    for name in KEYS:
        parameters = {"limit": "50"}
        if name == "people":
            snapshot = _get(base_url, key, "snapshot", {})["snapshot"]
            start = max(now - timedelta(days=399), datetime.fromisoformat(snapshot["history_complete_from"]))
            parameters |= {"from": start.isoformat(), "to": now.isoformat()}
        while True:
            page = _get(base_url, key, name, parameters)
            table = name.replace("-", "_")
            counts[table] += len(page["data"])
            for row in page["data"]:
                for member, value in row.items():
                    if not isinstance(value, list):
                        counts[f"{table}.{member}"] = 1
                    elif value:
                        counts[f"{table}__{member}"] += len(value)
            if page["next_cursor"] is None:
                assert counts[table] == page["total"], name
                break
            parameters = {"cursor": page["next_cursor"]}
    return counts


def _get(base_url: str, key: str, name: str, parameters: dict[str, str]) -> Any:
    request = urllib.request.Request(
        f"{base_url}/v1/{name}?{urllib.parse.urlencode(parameters)}", headers={"Authorization": f"Bearer {key}"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def _found(database: Path) -> Counter[str]:
    """The rows of each table in DuckDB; of a register's own table, those with a key of their own."""
    counts: Counter[str] = Counter()
    with duckdb.connect(str(database), read_only=True) as connection:
        tables = [
            row[0]
            for row in connection.execute(
                "select table_name from information_schema.tables where table_schema = 'compliance'"
            ).fetchall()
        ]
        for table in tables:
            if table.startswith("_dlt"):
                continue
            rows = connection.execute(f'select count(*) from compliance."{table}"').fetchall()[0][0]
            key = KEYS.get(table.replace("_", "-"))
            if key is not None:
                described = connection.execute(f'describe compliance."{table}"').fetchall()
                counts.update(f"{table}.{row[0]}" for row in described if not row[0].startswith("_dlt"))
                distinct = connection.execute(f'select count(distinct {key}) from compliance."{table}"').fetchall()[0][
                    0
                ]
                assert distinct == rows, f"{table}: {rows} rows, but {distinct} keys"
            counts[table] = rows
    return counts


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
