"""Keeps a copy of one company's registers in a warehouse with dlt (https://dlthub.com), by the feed of changes.

    pip install "dlt[duckdb]"
    BASE_URL=https://svc.example SVC_KEY=svc_live_… python dlt_source.py

Copy it together with feed.md, change the destination, and run it as often as you like: the first run reads the whole
history, each later one what is new. What is in the warehouse then:

- `<register>_history`, a table a register: what holds of each record from which moment on, as known now. A late fact
  replaces what it changes, a removal is a row that says `removed`, and an erasure takes the name out of every row.
  With `history=True` each version stays, as a slowly changing dimension with both times: what held, and since when it
  was known; names of the erased are cleared in it all the same.
- `training_records`, `people`, `certificates`, `courses`, `policies`, `policy_records`, `acknowledgements`: views that
  list what /v1 lists at the present moment, outcomes included. They are the SQL of feed.md, in DuckDB, PostgreSQL and
  BigQuery; `moment` is the view to replace for another moment, and stays as you replaced it. Views of your own may read
  them: each run replaces ours in place. (If a new release has other columns, PostgreSQL asks you to drop yours first.)

Running it again neither doubles nor loses a row. `make clients` holds it to /v1 through changes, removals, erasures and
late facts.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dlt
from dlt.destinations.exceptions import DatabaseTerminalException, DatabaseUndefinedRelation
from dlt.sources.helpers import requests

PAGE = Path(__file__).with_name("feed.md")
DIALECTS = {"duckdb": "duckdb", "motherduck": "duckdb", "postgres": "postgresql", "bigquery": "bigquery"}
TYPES = {
    "date-time": "timestamp",
    "date": "date",
    "integer": "bigint",
    "boolean": "bool",
    "string": "text",
    "array": "json",
}


class Service:
    """The API of one company."""

    def __init__(self, base_url: str, key: str) -> None:
        self._base_url, self._headers = base_url.rstrip("/"), {"Authorization": f"Bearer {key}"}

    def get(self, path: str, **parameters: Any) -> Any:
        """One answer; dlt's client waits and repeats where that may help."""
        answer = requests.get(f"{self._base_url}{path}", params=parameters, headers=self._headers)
        answer.raise_for_status()
        return answer.json()


def registers(base_url: str, key: str, limit: int = 1000, history: bool = False) -> list[Any]:
    """The registers that the key opens, as dlt's resources, to be run once.

    Each remembers in the pipeline's state how far it has read.
    """
    service = Service(base_url, key)
    schemas = service.get("/feed/v1/openapi.json")["components"]["schemas"]
    change = schemas["ChangesPage"]["properties"]["data"]["items"]["discriminator"]["mapping"]
    opened = service.get("/feed/v1/changes", limit=1)["registers"]
    return [
        dlt.resource(
            versions(service, name, limit),
            name=f"{name.replace('-', '_')}_history",
            write_disposition="merge",
            # What is read twice is the same row; as known now, a later version of the same moment replaces the earlier.
            primary_key="sequence" if history else ["id", "valid_from"],
            columns=columns(schemas, change[name]),
            max_table_nesting=0,
        )
        for name in opened
    ]


def versions(service: Service, name: str, limit: int) -> Iterator[Any]:
    """The versions of one register, from where the last run stopped."""
    state = dlt.current.resource_state()
    parameters = {"cursor": state["cursor"]} if "cursor" in state else {"register": name}
    yield dlt.mark.materialize_table_schema()  # a register in which there is nothing yet has its table too
    while True:
        page = service.get("/feed/v1/changes", limit=limit, **parameters)
        yield [row(each) for each in page["data"]]
        # The state is kept with the load that brings the rows, or not at all.
        state["cursor"] = page["next_cursor"]
        parameters = {"cursor": page["next_cursor"]}
        if page["at_end"]:
            return


def row(change: dict[str, Any]) -> dict[str, Any]:
    """A version as a row: its own members, then what is stored and what is decided from."""
    own = {name: value for name, value in change.items() if name not in ("register", "fields", "basis")}
    return own | change["fields"] | change.get("basis", {})


def columns(schemas: Any, reference: str) -> dict[str, Any]:
    """The columns of a register's history with their types, so that one in which all is null is there too."""

    def followed(schema: Any) -> Any:
        return schemas[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema

    own = dict(schemas[reference.rsplit("/", 1)[1]]["properties"])
    own.pop("register")
    for part in ("fields", "basis"):
        for schema in (each for each in [own.pop(part, {})] for each in each.get("anyOf", [each])):
            own |= followed(schema).get("properties", {})
    found = {}
    for member, schema in own.items():
        kinds = [followed(kind) for kind in schema.get("anyOf", [schema])]
        kind = next(each for each in kinds if each.get("type") != "null")
        found[member] = {"data_type": TYPES.get(kind.get("format", "")) or TYPES[kind["type"]], "nullable": True}
    found["sequence"]["dedup_sort"] = "desc"
    return found


def finish(pipeline: Any) -> None:
    """Clears the names of the erased in what was read before, and makes the views that list what /v1 does."""
    dialect = DIALECTS.get(pipeline.destination.destination_type.rsplit(".", 1)[-1])
    texts = re.findall(r"<!-- sql: ([a-z ]+) -->\n```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    statements = [
        each.strip()
        for dialects, text in texts
        if dialect in dialects.split()
        for each in text.split(";")
        if each.strip()
    ]
    there = set(pipeline.default_schema.tables)
    named = {name_of(each) for each in statements} - {""}
    usable: list[str] = []
    for each in statements:  # those of registers that the key opens
        needed = set(re.findall(r"\w+", each)) & named - {name_of(each)}
        if needed <= set(map(name_of, usable)) and set(re.findall(r"\w+_history", each)) <= there:
            usable.append(each)
    with pipeline.sql_client() as client:
        for each in usable:
            if not name_of(each) or (name_of(each) == "moment" and not exists(client, "moment")):
                client.execute_sql(each)
        views = [each for each in usable if name_of(each) not in ("", "moment")]
        try:
            for each in views:
                client.execute_sql(each.replace("CREATE VIEW", "CREATE OR REPLACE VIEW", 1))
        except DatabaseTerminalException:
            if dialect != "postgresql":
                raise
            # PostgreSQL replaces no view whose columns have changed otherwise than at the end, as in a new release.
            with client.begin_transaction():
                for each in reversed(views):
                    client.execute_sql(f"DROP VIEW IF EXISTS {name_of(each)}")
                for each in views:
                    client.execute_sql(each)


def exists(client: Any, name: str) -> bool:
    """Whether there is a table or view of this name beside the tables."""
    try:
        client.execute_sql(f"SELECT 1 FROM {client.make_qualified_table_name(name)} LIMIT 0")  # noqa: S608 - a name of ours
    except DatabaseUndefinedRelation:
        return False
    return True


def name_of(statement: str) -> str:
    """The view that a statement makes; empty when it makes none."""
    return statement.split()[2] if statement.startswith("CREATE VIEW") else ""


def run(pipeline: Any, base_url: str, key: str, limit: int = 1000, history: bool = False) -> Any:
    """One run: reads what is new, loads it, and leaves the warehouse as /v1 is."""
    dlt.config["load.delete_completed_jobs"] = True  # loaded data may hold names, so no file keeps it
    told = pipeline.run(registers(base_url, key, limit, history))
    told.raise_on_failed_jobs()
    finish(pipeline)
    return told


if __name__ == "__main__":
    copy = dlt.pipeline("compliance_records", destination="duckdb", dataset_name="compliance")
    print(run(copy, os.environ["BASE_URL"], os.environ["SVC_KEY"]))
