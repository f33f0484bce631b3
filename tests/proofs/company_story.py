"""A small company's policies and receipts as pulled pages, hashed here and not by the code under test."""

import copy
import hashlib
import json
from typing import Any

Json = dict[str, Any]

ORGANIZATION = "0d9f0c3e-58a1-5c2e-9a37-0f6f1d0c9a11"
PEOPLE = [f"5a0e2f70-0000-4000-8000-00000000000{n}" for n in (1, 2, 3)]
SHARE = "77777777-0000-4000-8000-000000000001"
ZERO_UUID = "00000000-0000-0000-0000-000000000000"


def digest(*lines: str) -> str:
    return hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest()


def version(number: int, course: str, release: str, **changed: Any) -> Json:
    row: Json = {
        "organization_id": ORGANIZATION,
        "course_id": course,
        "course_release_id": release,
        "policy_title": "Håndbok",
        "version": number,
        "act": "sign",
        "doors": ["employee", "partner"],
        "statement": "  I have read\u00a0 it\n and agre\u0301e. ",
        "effective_on": "2024-03-01",
        "renew_months": 12,
        "change_kind": "first" if number == 1 else "editorial",
        "published_at": f"2024-03-0{number}T09:00:00.000000Z",
        "html": f"<h1>Håndbok</h1>\n<p>Utgave {number}</p>\n",
    } | changed
    normal = row["statement"].replace("e\u0301", "é").replace("\u00a0", " ").replace("\n", " ").split(" ")
    row["statement_sha256"] = digest(" ".join(word for word in normal if word))
    row["document_sha256"] = digest(row["html"])
    row["version_digest"] = digest(
        "svc.policy/2",
        row["course_id"],
        str(row["version"]),
        row["document_sha256"],
        row["statement_sha256"],
        row["act"],
        row["effective_on"] or "",
        row["change_kind"],
        str(row["renew_months"]),
        ",".join(sorted(row["doors"])),
    )
    return row


def versions() -> list[Json]:
    sign, acknowledge = "c0000000-0000-4000-8000-00000000000a", "c0000000-0000-4000-8000-00000000000b"
    return [
        version(1, sign, "e0000000-0000-4000-8000-000000000001"),
        version(2, sign, "e0000000-0000-4000-8000-000000000002"),
        version(
            1,
            acknowledge,
            "e0000000-0000-4000-8000-000000000003",
            act="acknowledge",
            effective_on=None,
            renew_months=0,
            doors=["customer", "employee"],
        ),
    ]


def receipts(count: int = 7) -> list[Json]:
    known, rows = versions(), []
    previous, latest = "0" * 64, dict[tuple[str, str], str]()
    for number in range(1, count + 1):
        cited = known[(number - 1) % len(known)]
        person = PEOPLE[number % 2]
        signed = cited["act"] == "sign"
        row: Json = {
            "receipt_id": f"a0000000-0000-4000-8000-{number:012d}",
            "organization_id": ORGANIZATION,
            "course_release_id": cited["course_release_id"],
            "learner_profile_id": person,
            "assignment_id": SHARE,
            "cycle_id": latest.get((person, cited["course_id"]), ZERO_UUID),
            "act": "signed" if signed else "acknowledged",
            "statement_sha256": cited["statement_sha256"],
            "document_sha256": cited["document_sha256"],
            "signature_sha256": digest("typed", f"Person {number}") if signed else None,
            "signed_at": f"2024-04-01T10:00:00.{number:06d}Z",
            "previous_sha256": previous,
        }
        previous = row["receipt_sha256"] = digest(
            "svc.receipt/2", *("" if value is None else value for value in row.values())
        )
        latest[person, cited["course_id"]] = row["receipt_id"]
        row |= {"door": "employee", "signer_company": None, "sign_in_methods": "password, totp"}
        row |= {
            name: cited[name] for name in ("course_id", "policy_title", "version", "effective_on", "version_digest")
        }
        rows.append(row)
    return rows


def snapshot(start: str | None = None) -> Json:
    return {
        "organization_id": ORGANIZATION,
        "deployment_id": "dddddddd-0000-4000-8000-000000000001",
        "as_at": "2024-05-01T00:00:00.000000Z",
        "from": start,
        "known_at": "2024-05-01T00:00:00.000000Z",
        "sequence": 40,
        "capture_sequence": 12,
        "chain_hash": "ab" * 32,
        "logic": {"version": 1, "date": "2026-11-22"},
        "history_complete_from": "2020-01-01T00:00:00.000000Z",
        "available": True,
    }


def page(rows: list[Json], *, total: int | None = None, start: str | None = None) -> Json:
    return {
        "data": copy.deepcopy(rows),
        "total": len(rows) if total is None else total,
        "snapshot": snapshot(start),
        "next_cursor": None,
    }


def written(envelope: object) -> bytes:
    return json.dumps(envelope, ensure_ascii=False, indent=1).encode("utf-8")
