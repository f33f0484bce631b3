"""Loads every register of one company into DuckDB with dlt (https://dlthub.com). Copy it and change the destination.

    pip install "dlt[duckdb]"
    BASE_URL=https://svc.example SVC_KEY=svc_live_… python dlt_source.py

Each run reads the registers as they stand now and merges rows by their id, so running it again neither doubles nor
loses a row. `make clients` runs it twice.
"""

import os
from datetime import UTC, datetime, timedelta
from typing import Any

import dlt
from dlt.sources.helpers import requests
from dlt.sources.helpers.rest_client.paginators import JSONResponseCursorPaginator
from dlt.sources.rest_api import rest_api_source

PERIOD = timedelta(days=399)
"""How far back people are read; the API allows 400 days."""
TYPES = {"date-time": "timestamp", "date": "date", "integer": "bigint", "boolean": "bool", "string": "text"}


def register(document: Any, name: str, key: str, limit: int, **parameters: str) -> dict[str, Any]:
    """One register: its rows are merged by `key`; the cursor keeps the parameters of the first page."""
    return {
        "name": name.replace("-", "_"),
        "primary_key": key,
        "write_disposition": "merge",
        "columns": columns(document, name),
        "endpoint": {
            "path": f"/v1/{name}",
            "params": {"limit": limit, **parameters},
            "data_selector": "data",
            "paginator": JSONResponseCursorPaginator(cursor_path="next_cursor", cursor_param="cursor"),
        },
    }


def columns(document: Any, name: str) -> dict[str, Any]:
    """The types of a register's columns from the contract, so that one in which all is null is there too."""

    def followed(schema: Any) -> Any:
        return document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema

    answer = document["paths"][f"/v1/{name}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    row = followed(followed(answer)["properties"]["data"]["items"])
    found = {}
    for member, schema in row["properties"].items():
        kinds = [followed(kind) for kind in schema.get("anyOf", [schema])]
        kind = next(each for each in kinds if each.get("type") != "null")
        if kind["type"] != "array":  # dlt makes tables of lists
            found[member] = {"data_type": TYPES.get(kind.get("format", ""), TYPES[kind["type"]]), "nullable": True}
    return found


def registers(base_url: str, key: str, limit: int = 200) -> Any:
    """A dlt source of all registers as they stand now. Make a new one for each run: the moment is part of it."""

    def get(path: str) -> Any:
        answer = requests.get(f"{base_url}{path}", headers={"Authorization": f"Bearer {key}"})
        answer.raise_for_status()
        return answer.json()

    document = get("/v1/openapi.json")
    begin = datetime.fromisoformat(get("/v1/snapshot")["snapshot"]["history_complete_from"])
    now = datetime.now(UTC)
    as_at, since = now.isoformat(), max(now - PERIOD, begin).isoformat()
    return rest_api_source(
        {
            "client": {"base_url": base_url, "auth": {"type": "bearer", "token": key}},
            "resources": [
                register(document, "training-records", "record_id", limit, as_at=as_at),
                register(document, "people", "person_id", limit, to=as_at, **{"from": since}),
                register(document, "certificates", "certificate_id", limit, as_at=as_at),
                register(document, "courses", "row_id", limit),
                register(document, "policies", "course_release_id", limit, as_at=as_at),
                register(document, "policy-records", "record_id", limit, as_at=as_at),
                register(document, "acknowledgements", "receipt_id", limit, as_at=as_at),
            ],
        },
        name="compliance_records",
    )


if __name__ == "__main__":
    pipeline = dlt.pipeline("compliance_records", destination="duckdb", dataset_name="compliance")
    print(pipeline.run(registers(os.environ["BASE_URL"], os.environ["SVC_KEY"])))
