"""Write the golden vectors: `python -m tests.vectors.proofs.write`. Hashes by hashlib, not by the code under test."""

import json
from collections.abc import Iterator
from pathlib import Path

from tests.proofs.company_story import ORGANIZATION, Json, digest, page, receipts, versions

FOLDER = Path(__file__).parent
FIRST_INSTANT, SECOND_INSTANT = "2024-02-29T23:59:59.000007Z", "2024-03-01T00:00:00.000000Z"
RECORD = "3c3c3c3c-0000-4000-8000-000000000001"


def digests() -> list[Json]:
    """Return each digest of the product: its name, its lines, its value."""
    policy, receipt = versions()[0], receipts(1)[0]
    cited = (
        "receipt_id",
        "organization_id",
        "course_release_id",
        "learner_profile_id",
        "assignment_id",
        "cycle_id",
        "act",
    )
    sealed = ("statement_sha256", "document_sha256", "signature_sha256", "signed_at", "previous_sha256")
    body = '{"access_state":"active","doors":["employee"]}'
    rows = [
        ["svc.row/1", ORGANIZATION, "1", "people", RECORD, FIRST_INSTANT, SECOND_INSTANT, "first", "1", digest(body)],
        ["svc.row/1", ORGANIZATION, "2", "people", RECORD, SECOND_INSTANT, SECOND_INSTANT, "change", "1", digest("")],
    ]
    row_digests = [digest(*lines) for lines in rows]
    capture = ["svc.capture/1", ORGANIZATION, "1", SECOND_INSTANT, "1", "2", digest(*row_digests), "0" * 64]
    empty = ["svc.capture/1", ORGANIZATION, "2", SECOND_INSTANT, "", "", digest(""), digest(*capture)]
    found = [
        ("statement, normalised", ["I have read it and agrée."]),
        ("document", policy["html"].split("\n")),
        (
            "policy version",
            [
                "svc.policy/2",
                policy["course_id"],
                "1",
                policy["document_sha256"],
                policy["statement_sha256"],
                "sign",
                "2024-03-01",
                "first",
                "12",
                "employee,partner",
            ],
        ),
        ("signature, typed", ["typed", "Person 1"]),
        ("signature, drawn", ["drawn", "0.1,12,0", "3,2.5,0.0000001"]),
        ("receipt", ["svc.receipt/2", *(receipt[name] for name in (*cited, *sealed))]),
        ("history row body", [body]),
        ("history row", rows[0]),
        ("history row, absence", rows[1]),
        ("history capture", capture),
        ("history capture without rows", empty),
    ]
    return [{"what": what, "lines": lines, "sha256": digest(*lines)} for what, lines in found]


def broken() -> Iterator[tuple[str, Json]]:
    """Yield pages broken in one way each, named after the fault."""
    for field, value in (
        ("receipt_id", "a0000000-0000-4000-8000-999999999999"),
        ("organization_id", "99999999-0000-4000-8000-000000000000"),
        ("course_release_id", "e0000000-0000-4000-8000-000000000009"),
        ("learner_profile_id", "5a0e2f70-0000-4000-8000-000000000009"),
        ("assignment_id", "77777777-0000-4000-8000-000000000009"),
        ("cycle_id", "a0000000-0000-4000-8000-000000000009"),
        ("act", "acknowledged"),
        ("statement_sha256", "1" * 64),
        ("document_sha256", "1" * 64),
        ("signature_sha256", "1" * 64),
        ("signed_at", "2024-04-01T10:00:00.000014Z"),
        ("previous_sha256", "1" * 64),
        ("receipt_sha256", "1" * 64),
    ):
        rows = receipts()
        rows[3][field] = value
        yield f"receipt_{field}_changed", page(rows)
    rows = receipts()
    yield "receipt_dropped_first", page(rows[1:], total=7)
    yield "receipt_dropped_middle", page(rows[:3] + rows[4:])
    yield "receipt_dropped_last", page(rows[:-1], total=7)
    yield "receipt_doubled", page([*rows[:4], rows[3], *rows[4:]])
    yield "receipts_swapped", page([*rows[:3], rows[4], rows[3], *rows[5:]])
    yield "receipts_of_two_chains", page([*rows, rows[0] | {"receipt_id": "a0000000-0000-4000-8000-999999999999"}])
    changed: tuple[tuple[str, object], ...] = (
        ("course_id", "c0000000-0000-4000-8000-000000000009"),
        ("version", 7),
        ("act", "acknowledge"),
        ("doors", ["customer"]),
        ("statement", "I have read nothing."),
        ("statement_sha256", "1" * 64),
        ("effective_on", "2024-03-02"),
        ("renew_months", 24),
        ("change_kind", "ask_again"),
        ("document_sha256", "1" * 64),
        ("version_digest", "1" * 64),
        ("html", "<h1>Another</h1>\n"),
    )
    for name, other in changed:
        policies = versions()
        policies[0][name] = other
        yield f"version_{name}_changed", page(policies)
    yield "version_doubled", page([*versions(), versions()[0]])
    yield "version_dropped", page(versions()[1:], total=3)


def files() -> dict[str, str]:
    """Return every vector file by its name under this folder."""
    pages = {"whole/policies": page(versions()), "whole/acknowledgements": page(receipts())} | dict(broken())
    found = {"digests": digests(), **pages}
    return {f"{name}.json": json.dumps(content, indent=1, ensure_ascii=False) + "\n" for name, content in found.items()}


if __name__ == "__main__":
    for name, text in files().items():
        (FOLDER / name).parent.mkdir(exist_ok=True)
        (FOLDER / name).write_text(text, encoding="utf-8")
