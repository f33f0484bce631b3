"""Loads every register of one company into DuckDB with dlt (https://dlthub.com). Copy it and change the destination.

    pip install "dlt[duckdb]"
    BASE_URL=https://svc.example SVC_KEY=svc_live_… python dlt_source.py

Each run reads the registers as they stand now and merges rows by their id, so running it again neither doubles nor
loses a row.
"""

import os
from datetime import UTC, datetime, timedelta
from typing import Any

import dlt
from dlt.sources.helpers.rest_client.paginators import JSONResponseCursorPaginator
from dlt.sources.rest_api import rest_api_source

NOW = datetime.now(UTC)


def register(name: str, key: str, **parameters: str) -> dict[str, Any]:
    """One register: its rows are merged by `key`; the cursor keeps the parameters of the first page."""
    return {
        "name": name.replace("-", "_"),
        "primary_key": key,
        "write_disposition": "merge",
        "endpoint": {
            "path": f"/v1/{name}",
            "params": parameters,
            "data_selector": "data",
            "paginator": JSONResponseCursorPaginator(cursor_path="next_cursor", cursor_param="cursor"),
        },
    }


AS_AT = NOW.isoformat()
SINCE = (NOW - timedelta(days=399)).isoformat()

source = rest_api_source(
    {
        "client": {
            "base_url": os.environ["BASE_URL"],
            "auth": {"type": "bearer", "token": os.environ["SVC_KEY"]},
        },
        "resources": [
            register("training-records", "record_id", as_at=AS_AT),
            register("people", "person_id", to=AS_AT, **{"from": SINCE}),
            register("certificates", "certificate_id", as_at=AS_AT),
            register("courses", "row_id"),
            register("policies", "course_release_id", as_at=AS_AT),
            register("policy-records", "record_id", as_at=AS_AT),
            register("acknowledgements", "receipt_id", as_at=AS_AT),
        ],
    }
)

if __name__ == "__main__":
    pipeline = dlt.pipeline("compliance_records", destination="duckdb", dataset_name="compliance")
    print(pipeline.run(source))
