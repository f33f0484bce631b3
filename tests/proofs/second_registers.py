"""The rows that a register of a pack must have, and their fields, from the texts of the history: for `second_pack`."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

from tests.proofs.second_log import Refused
from tests.proofs.second_verifier import read_json

FILES = {
    "training-records": "training-records",
    "training-records-period": "training-records",
    "people": "people",
    "certificates": "certificates",
    "courses": "courses",
    "policies": "policies",
    "policy-records": "policy-records",
    "acknowledgements": "acknowledgements",
}
"""The register files of a pack, and the register whose history each is read from."""

ID_FIELDS = {
    "training-records": "record_id",
    "people": "person_id",
    "certificates": "certificate_id",
    "courses": "row_id",
    "policies": "course_release_id",
    "policy-records": "record_id",
    "acknowledgements": "receipt_id",
}
HIDDEN = ("state", "state_before_end", "identity_sha256")
UNPROVABLE = {
    "training-records": {"reminders_sent", "person_name", "work_email"},
    "people": {"person_name", "work_email"},
    "certificates": {"person_name", "trainer_name", "check_code"},
    "courses": {"course_title", "lessons"},
    "policies": set(),
    "policy-records": {"company", "person_name", "account_email"},
    "acknowledgements": {"signer_company", "person_name", "account_email"},
}
"""Titles, names joined at read and the like, which only the signed manifest covers. Names of people and certificates
are checked by their commitments."""

BY_THE_CLOCK = {
    "people": {"invitation_status", "access_state", "records_owed", "records_completed", "no_required_records"},
    "policy-records": {"state"},
}
"""Fields that only the product's verifier recomputes."""

DAY = timedelta(days=1)


class Period(NamedTuple):
    """The first and the last instant of a pack's period, as text: instants of one form compare as text."""

    start: str
    end: str


class Version:
    """A row version of the history; `content` is null where the pack has its digest only."""

    def __init__(self, place: str, register: str, line: Mapping[str, Any], digest: str, content: str | None) -> None:
        self.place, self.register, self.line, self.digest, self.content = place, register, line, digest, content
        self.sequence: int = line["sequence"]
        self.record_id: str = line["record_id"]
        self.valid_from: str = line["valid_from"]

    @cached_property
    def members(self) -> dict[str, Any]:
        """The members of the text; the word that older rows have after it is included under its name."""
        if self.content is None:
            raise Refused(self.place, "has no text, and the period needs it")
        text, separator, word = self.content.partition("\n")
        found = read_json(text.encode(), self.place)
        if not isinstance(found, dict):
            raise Refused(self.place, "is no JSON object")
        if separator:
            name = "state" if self.register == "certificates" else "state_before_end"
            if name in found or self.register not in ("certificates", "training-records"):
                raise Refused(self.place, "has more than its text")
            found = {name: word, **found}
        return dict(found)

    @property
    def fields(self) -> dict[str, Any]:
        """The members that the register lists."""
        hidden = HIDDEN if self.register in ("training-records", "certificates", "people") else ()
        return {name: value for name, value in self.members.items() if name not in hidden}


def records_of(versions: Iterable[Version]) -> dict[str, list[Version]]:
    """The versions of each record, records and versions in the order of the file."""
    found: dict[str, list[Version]] = {}
    for version in versions:
        found.setdefault(version.record_id, []).append(version)
    return found


def in_force(versions: list[Version], moment: str) -> Version | None:
    """The version of a record in force at a moment: the greatest `valid_from` not after it, then `sequence`."""
    before = [version for version in versions if version.valid_from <= moment]
    return before[-1] if before else None


def in_period(versions: list[Version], period: Period) -> list[Version]:
    """The versions in force at some instant of the period, oldest first."""
    last = [
        a for a, b in zip(versions, [*versions[1:], None], strict=True) if b is None or a.valid_from != b.valid_from
    ]
    ends = [version.valid_from for version in last[1:]] + ["~"]
    return [
        version
        for version, end in zip(last, ends, strict=True)
        if version.valid_from <= period.end and end > period.start
    ]


def listed_versions(name: str, histories: Mapping[str, list[Version]], period: Period) -> list[Version]:
    """The versions that a register of the pack lists, in its order. Raises Refused for a missing text."""
    register, found = FILES[name], []
    for versions in records_of(histories[register]).values():
        current = in_period(versions, period)
        for version in current:
            if version.content is None:
                raise Refused(version.place, "has no text, and it is in force within the period")
        if name == "training-records-period":
            ends = [each.valid_from for each in current[1:]] + ["~"]
            if any(_is_owed(*each, period) for each in zip(current, ends, strict=True) if each[0].content):
                found += [each for each in current if each.content and _begun(each, period.end)][-1:]
            continue
        last = in_force(versions, period.end)
        if last is not None and last.content and _is_listed(name, last, current, histories, period):
            found.append(last)
    return found


def _begun(version: Version, end: str) -> bool:
    return bool(version.members["assigned_at"] <= end)


def _is_owed(version: Version, until: str, period: Period) -> bool:
    """Whether the register of training records lists a version at some instant of the period."""
    begins = max(version.valid_from, version.members["assigned_at"], period.start)
    ended = version.members["ended_at"]
    return begins <= period.end and begins < until and (ended is None or begins < ended)


def _is_listed(
    name: str, version: Version, current: list[Version], histories: Mapping[str, list[Version]], period: Period
) -> bool:
    members, end = version.members, period.end
    if name == "training-records":
        return bool(_begun(version, end) and (members["ended_at"] is None or members["ended_at"] > end))
    if name == "people":
        return _is_person_listed(version, current, period)
    if name == "certificates":
        return bool(members["issued_at"] <= end)
    if name == "courses":
        texts = [each.members for each in histories["training-records"] if each.content]
        if members["course_release_id"] is not None:
            return any(each["course_release_id"] == members["course_release_id"] for each in texts)
        return any(each["course_id"] == members["course_id"] and each["course_release_id"] is None for each in texts)
    if name == "policies":
        return bool(members["published_at"] <= end)
    return name == "policy-records" or bool(members["signed_at"] <= end)


OVER = ("ended", "erased")


def _is_person_listed(version: Version, current: list[Version], period: Period) -> bool:
    members = version.members
    began = members["joined_at"] if members["entry_type"] == "employee" else members["invited_at"]
    ends = [members["left_at"]]
    if members["joined_at"] is None:
        ends += [members["invitation_expires_at"]]
        ends += [each.valid_from for each in current if each.content and each.members["access_state"] in OVER]
    ended = min(filter(None, ends), default=None)
    return bool(began is not None and began <= period.end and (ended is None or ended > period.start))


def check_row(
    at: str,
    name: str,
    row: Mapping[str, Any],
    version: Version,
    about: Mapping[str, Any],
    histories: Mapping[str, list[Version]],
    period: Period,
) -> None:
    """Compare a row with the history. Raises Refused."""
    register = FILES[name]
    expected = {
        **version.fields,
        **{field: version.line[field] for field in version.line if field in row and not field.startswith("content")},
        **{field: about[field] for field in ("organization_id", "deployment_id", "learning_space_id") if field in row},
    }
    if register == "training-records":
        moment = _moment(name, version, histories, period)
        expected["outcome"], expected["days_late"] = outcome_at(version.members, moment)
    if register == "certificates":
        expected["status"] = certificate_status(version.members, period.end)
    passed = UNPROVABLE[register] | BY_THE_CLOCK.get(register, set())
    for field in sorted(set(row) | set(expected)):
        if field in passed:
            continue
        if field not in row or field not in expected:
            raise Refused(at, f"{'lacks' if field not in row else 'has no ground for'} {field}")
        if type(row[field]) is not type(expected[field]) or row[field] != expected[field]:
            raise Refused(at, f"has another {field} than the history")


def _moment(name: str, version: Version, histories: Mapping[str, list[Version]], period: Period) -> str:
    """The moment at which the register takes a training record's outcome."""
    if name == "training-records":
        return period.end
    moments = [period.end]
    if version.members["ended_at"] is not None:
        moments.append(version.members["ended_at"])
    following = [each for each in histories["training-records"] if each.record_id == version.record_id]
    moments += [each.valid_from for each in following if each.content == "" and each.valid_from > version.valid_from]
    return min(moments)


def outcome_at(members: Mapping[str, Any], moment: str) -> tuple[str, int | None]:
    """The outcome and the days late of a training record at a moment: docs/rules.md, Outcomes."""
    completed, due, ended = members["completed_at"], members["due_at"], members["ended_at"]
    if completed is not None:
        if completed < members["assigned_at"]:
            return "completed_before_requirement", None
        if due is None or completed <= due:
            return "completed_on_time", None
        return "completed_late", _days(due, completed)
    if members["waived_at"] is not None:
        return "waived", None
    if ended is None and members["requirement"] == "optional":
        return "optional_not_done", None
    if ended is not None:
        before = members.get("state_before_end") or members["requirement"]
        if before == "optional" or due is None or ended <= due:
            return "excused", None
        return "missed", _days(due, ended)
    if due is not None and moment > due:
        return "overdue", _days(due, moment)
    return "not_due_yet", None


def _days(due: str, moment: str) -> int:
    late = datetime.fromisoformat(moment) - datetime.fromisoformat(due)
    return -(-late // DAY)


def certificate_status(members: Mapping[str, Any], moment: str) -> str:
    """The status of a certificate at a moment: docs/rules.md, Certificates."""
    if members["state"] in ("revoked", "replaced"):
        return str(members["state"])
    valid_until = members["valid_until"]
    return "expired" if valid_until is not None and moment > valid_until else "valid"
