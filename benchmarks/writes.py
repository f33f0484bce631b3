"""The write rows of the table: from a facts file to readable rows, a capture against a peer's bulk write, the sweep."""

import io
import os
import subprocess
import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from django.db import connections, transaction
from simple_history.utils import bulk_create_with_history

from benchmarks import large_company, measuring
from benchmarks.peers.models import SimpleRecord
from benchmarks.reads import Result
from compliance.facts.importing import import_facts
from compliance.history import actions as history

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


def facts_file(path: Path, small: bool) -> str:
    """Writes the Open University's facts file or, without its data, one of the same shape; returns which one it is."""
    if (SHARED / "data" / "oulad").is_dir() and not small:
        with path.open("wb") as file:
            subprocess.run(
                [sys.executable, SHARED / "tools" / "oulad_facts.py", SHARED / "data" / "oulad"],
                stdout=file,
                check=True,
            )
        return "the Open University's 18,381 facts"
    people = 250 if small else 2000
    if small:  # the generator of the whole file would make all people first, and leave most of them out
        with path.open("wb") as file:
            file.writelines(large_company.lines(people, datetime.now(UTC) - timedelta(days=1)))
        return f"a made file of {people:,} people"
    from benchmarks import university

    kept = {university._identifier(f"profile/{number}") for number in range(people)}
    with path.open("wb") as file:
        for line in sorted(university.facts(), key=lambda line: str(line["at"])):
            if line.get("learner_profile_id", next(iter(kept))) in kept:
                file.write(orjson.dumps(line) + b"\n")
    return f"a made file of {people:,} people"


class Imported(NamedTuple):
    """The time of an import: `seconds` until every row was readable; `recorded`: seconds until the facts were stored."""

    facts: int
    seconds: float
    recorded: float
    versions: int
    organization_id: uuid.UUID


def one_import(path: Path) -> Imported:
    """Imports the file into a new company, until every row is readable."""
    organization_id = uuid.uuid4()
    now = datetime.now(UTC)
    history.create_company(
        name="Import",
        time_zone="Europe/London",
        history_from=date(2011, 1, 1),
        now=now,
        organization_id=organization_id,
    )
    facts = 0

    def record() -> None:
        nonlocal facts
        with path.open("rb") as stream:
            facts = import_facts(organization_id=organization_id, stream=stream, now=now, strict=False).recorded

    captured: list[history.Captured] = []
    recorded = measuring.once(record)
    written = measuring.once(lambda: captured.extend(history.capture_all(organization_id, datetime.now(UTC))))
    return Imported(facts, recorded + written, recorded, sum(each.rows for each in captured), organization_id)


def imported_alone(path: Path) -> dict[str, Any]:
    """The same in a process of its own, so that the memory is that of one import: `Imported`, and `mebibytes`."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.one_import", str(path)],
        check=True,
        capture_output=True,
        cwd=ROOT,
        env=os.environ,
    )
    found: dict[str, Any] = orjson.loads(done.stdout.splitlines()[-1])
    return found


def import_rows(path: Path, what: str, rounds: int) -> Iterator[Result]:
    """Measures facts per second and memory."""
    runs = [imported_alone(path) for _ in range(rounds)]
    runs.sort(key=lambda run: run["facts"] / run["seconds"])
    middle = runs[len(runs) // 2]
    rate, memory = middle["facts"] / middle["seconds"], max(run["mebibytes"] for run in runs)
    yield Result("facts file to readable rows, facts a second", rate, ">= 5000", rate >= 5000, "10000", what)
    yield Result("its memory, MiB", memory, "<= 1024", memory <= 1024)


def company_that_owes(people: int, courses: int, now: datetime) -> tuple[uuid.UUID, list[str]]:
    """A company whose people owe `courses` courses each; captured."""
    organization_id = uuid.uuid4()
    history.create_company(
        name="Capture",
        time_zone="Europe/London",
        history_from=date(2023, 1, 1),
        now=now,
        organization_id=organization_id,
    )
    at = "2024-01-01T09:00:00Z"

    def lines() -> Iterator[dict[str, object]]:
        for number in range(courses):
            course, release = (str(uuid.uuid5(organization_id, f"{kind}{number}")) for kind in ("course", "release"))
            yield {"fact": "course_created", "at": at, "course_id": course, "title": f"Course {number}"}
            yield {
                "fact": "release_published",
                "at": at,
                "course_id": course,
                "course_release_id": release,
                "version": 1,
                "lessons": [],
            }
            yield {"fact": "course_shared", "at": at, "share_id": str(uuid.uuid5(organization_id, f"share{number}")),
                   "course_id": course, "doors": ["employee"], "audience": {"everyone": True}, "requirement": "required",
                   "deadline": {"basis": "days_after_added", "days": 30}}  # fmt: skip
        for number in range(people):
            yield {"fact": "employee_joined", "at": at, "person_id": str(uuid.uuid5(organization_id, f"person{number}")),
                   "learner_profile_id": str(uuid.uuid5(organization_id, f"profile{number}"))}  # fmt: skip

    _take(organization_id, lines(), now)
    history.capture_all(organization_id, now)
    return organization_id, [str(uuid.uuid5(organization_id, f"profile{number}")) for number in range(people)]


def _take(organization_id: uuid.UUID, lines: Iterable[Mapping[str, object]], now: datetime) -> None:
    text = b"".join(orjson.dumps(dict(line) | {"fact_id": str(uuid.uuid4())}) + b"\n" for line in lines)
    report = import_facts(organization_id=organization_id, stream=io.BytesIO(text), now=now, strict=False)
    assert not report.errors, report.errors[:2]


def capture_rows(rounds: int, size: int = 5000) -> Iterator[Result]:
    """Measures a capture of `size` completions against a bulk create of as many rows with their history."""
    now = datetime.now(UTC)
    organization_id, people = company_that_owes(size, 1, now)
    ours, theirs, versions = [], [], 0
    for number in range(rounds):
        complete(organization_id, people, number, now)
        captured: list[history.Captured] = []
        ours.append(measuring.once(lambda: captured.extend(history.capture_all(organization_id, datetime.now(UTC)))))  # noqa: B023
        versions = sum(one.rows for one in captured)
        assert versions >= size
        made = [_plain(organization_id) for _ in range(versions)]

        def bulk() -> None:
            with transaction.atomic():
                bulk_create_with_history(made, SimpleRecord, batch_size=5000)  # noqa: B023

        theirs.append(measuring.once(bulk))
    ours.sort()
    theirs.sort()
    ratio = theirs[len(theirs) // 2] / ours[len(ours) // 2]
    note = f"{versions:,} versions: {ours[len(ours) // 2]:.2f} s and {theirs[len(theirs) // 2]:.2f} s"
    yield Result("capture, against simple-history's bulk create", ratio, ">= 3", ratio >= 3, "10", note)


def complete(organization_id: uuid.UUID, people: Iterable[str], number: int, now: datetime) -> None:
    """Records completions of the first course by everybody, earlier in each round `number`, so every record changes."""
    at = (datetime(2024, 2, 1, tzinfo=UTC) - timedelta(days=number)).isoformat()
    release = str(uuid.uuid5(organization_id, "release0"))
    completed = (
        {"fact": "course_completed", "at": at, "completion_receipt_id": str(uuid.uuid4()), "learner_profile_id": person,
         "course_release_id": release}
        for person in people
    )  # fmt: skip
    _take(organization_id, completed, now)


def _plain(organization_id: uuid.UUID) -> SimpleRecord:
    now = datetime.now(UTC)
    name = uuid.uuid4()
    return SimpleRecord(
        deployment_id=name, organization_id=organization_id, learning_space_id=name, sequence=1, valid_from=now,
        recorded_at=now, cause="change", logic_version=1, record_id=name, course_id=name, course_release_id=name,
        requirement="required", assigned_at=now, due_at=now, due_time_zone="Europe/London", due_basis="days_after_added",
        completed_at=now, completion_receipt_id=name, outcome="completed_on_time", reminders_sent=0, share_ids=[name],
        doors=["employee"], profile_id=name,
    )  # fmt: skip


def sweep_rows(people: int, courses: int, sizes: tuple[int, ...]) -> Iterator[Result]:
    """Measures a sweep with 1 % of all subjects due against deciding all, and how finding due work grows."""
    now = datetime.now(UTC)
    organization_id, _ = company_that_owes(people, courses, now)
    subjects = people * courses
    swept = sweep_of_one_percent(organization_id, now)
    make_all_due(organization_id, now)
    everything = measuring.once(lambda: history.sweep_company(organization_id, datetime.now(UTC)))
    note = f"{subjects:,} subjects: {swept:.2f} s and {everything:.2f} s"
    ratio = everything / swept
    yield Result("sweep with 1 % due, against deciding all", ratio, ">= 30", ratio >= 30, "", note)
    finding = _finding(organization_id, sizes, now)
    growth = finding[-1] / finding[0]
    times = ", ".join(f"{size:,}: {seconds * 1000:.2f} ms" for size, seconds in zip(sizes, finding, strict=True))
    yield Result("finding due work, largest total / smallest", growth, "<= 2", growth <= 2, "1.0", times)


def make_all_due(organization_id: uuid.UUID, now: datetime) -> None:
    """Makes a subject due for each training record of the company, and all subjects that were to become due later."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "UPDATE history_duesubject SET next_change_at = %s WHERE organization_id = %s", [now, organization_id]
        )
        cursor.execute(
            "INSERT INTO history_duesubject (organization_id, kind, first, second, next_change_at)"
            " SELECT organization_id, 'person_course', learner_profile_id, course_id, %s FROM history_historyrecord"
            " WHERE organization_id = %s AND register = 1 ON CONFLICT DO NOTHING",
            [now, organization_id],
        )
        cursor.execute(
            "UPDATE history_historyhead SET next_change_at = %s WHERE organization_id = %s", [now, organization_id]
        )


def sweep_of_one_percent(organization_id: uuid.UUID, now: datetime) -> float:
    """The seconds of a sweep of a company with one subject per training record, of which one in a hundred is due."""
    due = now - timedelta(minutes=1)
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "INSERT INTO history_duesubject (organization_id, kind, first, second, next_change_at)"
            " SELECT organization_id, 'person_course', learner_profile_id, course_id,"
            "   %s + (row_number() OVER () %% 100) * interval '1 day' FROM history_historyrecord"
            " WHERE organization_id = %s AND register = 1 ON CONFLICT DO NOTHING",
            [due, organization_id],
        )
        cursor.execute(
            "UPDATE history_historyhead SET next_change_at = %s WHERE organization_id = %s", [due, organization_id]
        )
        cursor.execute("ANALYZE history_duesubject")
    return measuring.once(lambda: history.sweep_company(organization_id, datetime.now(UTC)))


def _finding(organization_id: uuid.UUID, sizes: tuple[int, ...], now: datetime) -> list[float]:
    """The seconds to claim 100 due subjects, among each of these numbers of subjects that are not due."""
    from compliance.history import subjects
    from compliance.tenancy import context

    taken = []
    with connections["owner"].cursor() as cursor:
        for size in sizes:
            cursor.execute("DELETE FROM history_duesubject WHERE organization_id = %s", [organization_id])
            cursor.execute(
                "INSERT INTO history_duesubject (organization_id, kind, first, second, next_change_at)"
                " SELECT %s, 'person_course', gen_random_uuid(), gen_random_uuid(),"
                "   %s + CASE WHEN n <= 100 THEN -1 ELSE 1 END * interval '1 day' FROM generate_series(1, %s) n",
                [organization_id, now, size],
            )
            cursor.execute("ANALYZE history_duesubject")

            def claim() -> None:
                with context.company(organization_id):
                    assert len(subjects.claim(organization_id, now, due=True).subjects) == 100
                    transaction.set_rollback(True)

            taken.append(measuring.interleaved({"claim": claim}, 15)["claim"])
    return taken


def main() -> None:
    """Runs one import in a process of its own (`python -m benchmarks.one_import`); prints its times as JSON."""
    imported = one_import(Path(sys.argv[1]))
    memory = measuring.peak_mebibytes()
    sys.stdout.write(orjson.dumps(imported._asdict() | {"mebibytes": memory}).decode() + "\n")
