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


def register(name: str, key: str, limit: int, **parameters: str) -> dict[str, Any]:
    """One register: its rows are merged by `key`; the cursor keeps the parameters of the first page."""
    return {
        "name": name.replace("-", "_"),
        "primary_key": key,
        "write_disposition": "merge",
        "endpoint": {
            "path": f"/v1/{name}",
            "params": {"limit": limit, **parameters},
            "data_selector": "data",
            "paginator": JSONResponseCursorPaginator(cursor_path="next_cursor", cursor_param="cursor"),
        },
    }


def registers(base_url: str, key: str, limit: int = 200) -> Any:
    """A dlt source of all registers as they stand now. Make a new one for each run: the moment is part of it."""
    answer = requests.get(f"{base_url}/v1/snapshot", headers={"Authorization": f"Bearer {key}"})
    answer.raise_for_status()
    begin = datetime.fromisoformat(answer.json()["snapshot"]["history_complete_from"])
    now = datetime.now(UTC)
    as_at, since = now.isoformat(), max(now - PERIOD, begin).isoformat()
    return rest_api_source(
        {
            "client": {"base_url": base_url, "auth": {"type": "bearer", "token": key}},
            "resources": [
                register("training-records", "record_id", limit, as_at=as_at),
                register("people", "person_id", limit, to=as_at, **{"from": since}),
                register("certificates", "certificate_id", limit, as_at=as_at),
                register("courses", "row_id", limit),
                register("policies", "course_release_id", limit, as_at=as_at),
                register("policy-records", "record_id", limit, as_at=as_at),
                register("acknowledgements", "receipt_id", limit, as_at=as_at),
            ],
        },
        name="compliance_records",
    )


if __name__ == "__main__":
    pipeline = dlt.pipeline("compliance_records", destination="duckdb", dataset_name="compliance")
    print(pipeline.run(registers(os.environ["BASE_URL"], os.environ["SVC_KEY"])))
