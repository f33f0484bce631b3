"""Keeps a copy in DuckDB with docs/dlt_source.py while things happen; run by its tools' Python.

    load_twice.py FOLDER PYTHON

After the first load, and after a change, a removal, an erasure and late facts, the destination lists what /v1 lists, in
every field that the feed gives and every one that the clock decides; an immediate second load changes no row of any
table. Both kinds of history are kept: as known now, and every version. PYTHON is the product's, which makes things
happen. /v1 is read with the standard library only. With exit code 1 it prints the differences.
"""

import json
import os
import subprocess
import sys
import urllib.parse
import urllib.request
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from runpy import run_path
from typing import Any

import dlt
import duckdb

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "docs" / "dlt_source.py"
LIMIT = 90
KEYS = {
    "training-records": "record_id",
    "people": "person_id",
    "certificates": "certificate_id",
    "courses": "row_id",
    "policies": "course_release_id",
    "policy-records": "record_id",
    "acknowledgements": "receipt_id",
}
READ_ANEW = {
    "deployment_id", "organization_id", "learning_space_id", "course_title", "trainer_name", "reminders_sent",
    "company", "signer_company", "check_code", "account_email",
}  # fmt: skip
"""What the feed does not give; names and addresses are compared in the register of people."""
HAPPENINGS = ("change", "removal", "erasure", "late")


def main(folder: Path, product: str) -> int:
    """Loads twice after each thing that happens, and compares after each load."""
    folder.mkdir(parents=True, exist_ok=True)
    base_url, key = os.environ["BASE_URL"], os.environ["SVC_KEY"]
    organization_id = _get(base_url, key, "snapshot", {})["snapshot"]["organization_id"]
    run = run_path(str(SOURCE))["run"]
    copies = {history: folder / f"{'every version' if history else 'as known now'}.duckdb" for history in (False, True)}
    for happening in ("nothing", *HAPPENINGS):
        if happening != "nothing":
            subprocess.run([product, "-m", "tests.clients.happening", organization_id, happening], cwd=ROOT, check=True)
        pulled = _pulled(base_url, key)
        for history, database in copies.items():
            pipeline = dlt.pipeline(
                "every_version" if history else "as_known_now",
                destination=dlt.destinations.duckdb(str(database)),
                dataset_name="compliance",
                pipelines_dir=str(folder / "pipelines"),
            )
            before: list[Any] = []
            for load in (1, 2):
                run(pipeline, base_url, key, LIMIT, history)
                kept, rows = _kept(database)
                faults = _faults(pulled, kept)
                if load == 2 and rows != before:
                    faults.append("a second load at once changed the tables")
                before = rows
                faults += _of_the_reader(database, first=happening == "nothing" and load == 1)
                sys.stdout.write(f"{happening}, {database.stem}, load {load}: {len(rows)} rows kept\n")
                if faults:
                    sys.stdout.write("\n".join(faults[:20]) + "\n")
                    return 1
    return _names_left(copies)


def _of_the_reader(database: Path, *, first: bool) -> list[str]:
    """Replaces `moment` and makes a view on ours, as a reader may; finds both again after later loads."""
    with duckdb.connect(str(database)) as connection:
        connection.execute("SET search_path = 'compliance'")
        if first:
            moment = "CURRENT_TIMESTAMP AS as_at, CURRENT_TIMESTAMP - INTERVAL '400' DAY AS since, 'mine' AS made_by"
            connection.execute(f"CREATE OR REPLACE VIEW moment AS SELECT {moment}")
            connection.execute("CREATE VIEW my_people AS SELECT id, access_state_then FROM people")
        if "made_by" not in [column[0] for column in connection.execute("SELECT * FROM moment").description]:
            return ["the reader's moment was replaced"]
        connection.execute("SELECT * FROM my_people")
    return []


def _names_left(copies: dict[bool, Path]) -> int:
    """Checks that no table holds the new name of an erased person."""
    for database in copies.values():
        with duckdb.connect(str(database), read_only=True) as connection:
            found = connection.execute(
                "SELECT count(*) FROM compliance.people_history WHERE person_name = 'Newly Named'"
            ).fetchall()
        if found != [(0,)]:
            sys.stdout.write(f"{database.stem}: a name of the erased is still there\n")
            return 1
    return 0


def _faults(pulled: dict[str, dict[str, Any]], kept: dict[str, dict[str, Any]]) -> list[str]:
    faults = []
    for name, rows in pulled.items():
        ours = kept[name]
        faults += [f"{name}: {each} is missing" for each in rows.keys() - ours.keys()]
        faults += [f"{name}: {each} is too much" for each in ours.keys() - rows.keys()]
        for identity in rows.keys() & ours.keys():
            for member, value in rows[identity].items():
                of_people = name != "people" and member in ("person_name", "work_email")
                if member in READ_ANEW or of_people:
                    continue
                if member == "lessons":
                    value = [{each: lesson[each] for each in lesson if each != "title"} for lesson in value]
                found = ours[identity][{"access_state": "access_state_then"}.get(member, member)]
                if found != value and not (name != "people" and member == "access_state"):
                    faults.append(f"{name}: {identity}: {member} is {found!r} and should be {value!r}")
    return faults


def _pulled(base_url: str, key: str) -> dict[str, dict[str, Any]]:
    """Every register as it is now, by the id of its rows."""
    now = datetime.now(UTC)
    found: dict[str, dict[str, Any]] = {}
    for name, identity in KEYS.items():
        parameters = {"limit": "200"}
        if name == "people":
            snapshot = _get(base_url, key, "snapshot", {})["snapshot"]
            start = max(now - timedelta(days=400), datetime.fromisoformat(snapshot["history_complete_from"]))
            parameters |= {"from": start.isoformat(), "to": now.isoformat()}
        found[name] = {}
        while True:
            page = _get(base_url, key, name, parameters)
            found[name].update({row[identity]: row for row in page["data"]})
            if page["next_cursor"] is None:
                assert len(found[name]) == page["total"], name
                break
            parameters = {"cursor": page["next_cursor"]}
    return found


def _get(base_url: str, key: str, name: str, parameters: dict[str, str]) -> Any:
    request = urllib.request.Request(
        f"{base_url}/v1/{name}?{urllib.parse.urlencode(parameters)}", headers={"Authorization": f"Bearer {key}"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def _kept(database: Path) -> tuple[dict[str, dict[str, Any]], list[Any]]:
    """What the views of each register list, and all rows of all tables, sorted."""
    found: dict[str, dict[str, Any]] = {}
    rows: list[Any] = []
    with duckdb.connect(str(database), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET search_path = 'compliance'")
        for name in KEYS:
            table = name.replace("-", "_")
            listed = _rows(connection.execute(f"SELECT * FROM {table}"))
            found[name] = {row["id"]: {member: _json(value) for member, value in row.items()} for row in listed}
            assert len(found[name]) == len(listed), name
            rows += _rows(connection.execute(f"SELECT * FROM {table}_history ORDER BY sequence"))
    return found, rows


def _rows(cursor: Any) -> list[dict[str, Any]]:
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _json(value: Any) -> Any:
    match value:
        case datetime():
            return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        case date():
            return value.isoformat()
        case str() if value.startswith("["):
            return json.loads(value)
        case _:
            return value


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
