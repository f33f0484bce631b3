"""Pulls every register with a client that openapi-python-client generated, all pages; run by its tools' Python.

Checks that every page has the first one's total and snapshot, that identifiers are unique, that `total` is the number
of rows, and that the client's classes hold what was received. With exit code 1 it prints the failures.
"""

import json
import os
import sys
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any

LIMIT = 9
REGISTERS = {
    "training.list_training_records": "record_id",
    "training.list_training_records_of_period": "record_id",
    "training.list_courses": "row_id",
    "certificates.list_certificates": "certificate_id",
    "people.list_people": "person_id",
    "policies.list_policies": "course_release_id",
    "policies.list_policy_records": "record_id",
    "policies.list_acknowledgements": "receipt_id",
}


def main(folder: str) -> int:
    """Pulls all; prints a line for each register."""
    sys.path.insert(0, folder)
    client = import_module("svc_client").AuthenticatedClient(
        base_url=os.environ["BASE_URL"], token=os.environ["SVC_KEY"], raise_on_unexpected_status=True
    )
    latest = _call("service.get_snapshot", client)
    now = datetime.now(UTC)
    start = max(now - timedelta(days=399), latest.snapshot.history_complete_from)
    document = _call("service.get_contract", client)
    assert document.additional_properties["info"]["version"] == "1.2.0"
    for operation, identity in REGISTERS.items():
        parameters: dict[str, Any] = {"as_at": now}
        if operation in ("training.list_training_records_of_period", "people.list_people"):
            parameters = {"from_": start, "to": now}
        elif operation == "training.list_courses":
            parameters = {}
        rows, pages = _pull(client, operation, parameters, identity)
        sys.stdout.write(f"{operation}: {rows} rows on {pages} pages\n")
    refused = import_module("svc_client.api.people.list_people").sync(client=client)
    assert str(refused.code) == "invalid_request", refused
    return 0


def _pull(client: Any, operation: str, parameters: dict[str, Any], identity: str) -> tuple[int, int]:
    first = page = _call(operation, client, limit=LIMIT, **parameters)
    seen: set[str] = set()
    pages = 0
    while True:
        pages += 1
        assert (page.total, page.snapshot) == (first.total, first.snapshot), f"{operation}: the pin moved"
        for row in page.data:
            name = str(getattr(row, identity))
            assert name not in seen, f"{operation}: {name} came twice"
            seen.add(name)
        if page.next_cursor is None:
            break
        page = _call(operation, client, limit=LIMIT, cursor=page.next_cursor)
    assert len(seen) == first.total > 0, f"{operation}: {len(seen)} rows, but total is {first.total}"
    return len(seen), pages


def _call(operation: str, client: Any, **parameters: Any) -> Any:
    answer = import_module(f"svc_client.api.{operation}").sync_detailed(client=client, **parameters)
    assert answer.status_code == 200, f"{operation}: {answer.status_code} {answer.content[:500]!r}"
    assert _plain(answer.parsed.to_dict()) == _plain(json.loads(answer.content)), f"{operation}: a member is lost"
    return answer.parsed


def _plain(value: Any) -> Any:
    """Instants may be written in several ways; `signed_at`, which is hashed, and all else must be equal as text."""
    if isinstance(value, dict):
        return {name: member if name == "signed_at" else _plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    if isinstance(value, str) and len(value) > 10 and value[4:5] == "-" and value[10:11] == "T":
        return datetime.fromisoformat(value)
    return value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
