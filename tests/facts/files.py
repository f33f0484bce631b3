"""Facts files for tests: short lines with identifiers derived from names, so that a test is easy to read."""

import io
import json
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from compliance.facts.importing import Report, import_facts

START = datetime(2025, 1, 6, 9, tzinfo=UTC)
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
EMPLOYEES = ["employee"]
EVERYONE = {"everyone": True}
NEVER = {"basis": "none"}
SHA256 = "0" * 64


def identifier(name: str) -> str:
    """The identifier for a name in these files."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"https://example.org/{name}"))


def moment(day: float) -> str:
    """`day` days after START."""
    return (START + timedelta(days=day)).isoformat().replace("+00:00", "Z")


def fact(kind: str, key: str, day: float = 0, **fields: Any) -> dict[str, Any]:
    """One line; fields whose names end in `_id` take names."""
    told = {
        name: identifier(value) if name.endswith("_id") and isinstance(value, str) else value
        for name, value in fields.items()
    }
    return {"fact": kind, "fact_id": identifier(f"fact {kind} {key}"), "at": moment(day), **told}


def ids(*names: str) -> list[str]:
    return [identifier(name) for name in names]


def team(name: str, day: float = 0) -> dict[str, Any]:
    return fact("team_created", name, day, team_id=f"team {name}", name=name)


def joined(name: str, day: float = 0, stay: str = "", **fields: Any) -> dict[str, Any]:
    return fact(
        "employee_joined",
        name + stay,
        day,
        person_id=f"stay {name}{stay}",
        learner_profile_id=name,
        **{"person_name": name, "account_email": f"{name}@example.org"} | fields,
    )


def course(name: str, day: float = 0, **fields: Any) -> list[dict[str, Any]]:
    """A course and its first release."""
    return [
        fact("course_created", name, day, course_id=f"course {name}", title=name, **fields),
        release(name, 1, day),
    ]


def release(name: str, version: int, day: float = 0, **fields: Any) -> dict[str, Any]:
    return fact(
        "release_published",
        f"{name} {version}",
        day,
        course_id=f"course {name}",
        course_release_id=f"release {name} {version}",
        version=version,
        lessons=[],
        **fields,
    )


def shared(name: str, day: float = 0, **fields: Any) -> dict[str, Any]:
    said = {"audience": EVERYONE, "requirement": "required", "deadline": NEVER, "doors": EMPLOYEES} | fields
    return fact("course_shared", name, day, share_id=f"share {name}", course_id=f"course {name}", **said)


def completed(person: str, name: str, day: float, key: str = "") -> dict[str, Any]:
    receipt = f"{person} {name}{key}"
    return fact(
        "course_completed",
        receipt,
        day,
        completion_receipt_id=f"receipt {receipt}",
        learner_profile_id=person,
        course_release_id=f"release {name} 1",
    )


def waived(number: int, person: str, name: str, day: float, change: str = "waive", **fields: Any) -> dict[str, Any]:
    told = {"reason_code": "medical"} if change == "waive" else {}
    return fact(
        "obligation_changed",
        str(number),
        day,
        obligation_change_id=number,
        learner_profile_id=person,
        course_id=f"course {name}",
        change=change,
        actor_id="administrator",
        **told | fields,
    )


def file_of(lines: Iterable[dict[str, Any] | bytes]) -> io.BytesIO:
    """The lines as a facts file; bytes are written unchanged."""
    return io.BytesIO(
        b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
    )


def take_in(organization_id: uuid.UUID, lines: Iterable[dict[str, Any] | bytes], **options: Any) -> Report:
    """Imports the lines."""
    return import_facts(organization_id=organization_id, stream=file_of(lines), **{"now": NOW} | options)
