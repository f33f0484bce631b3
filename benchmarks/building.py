"""Builds the data of the benchmark: 1.5 million versions, one company of 500,000 records among 200 small ones.

The history's writer makes the bodies of one real person; the database then writes these many times with other
identifiers. The peers get the same rows.
"""

import contextlib
import tempfile
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from django.core.management import call_command
from django.db import connections, transaction
from django.db.backends.utils import CursorWrapper

from benchmarks import large_company
from compliance.access import actions as access
from compliance.facts.importing import import_facts
from compliance.history import actions as history
from compliance.history import tree
from compliance.history.models import HistoryHead
from compliance.proofs.merkle import CompactRange
from compliance.rules.vocabulary import Scope
from compliance.tenancy import context
from compliance.tenancy.queries import deployment_id

BEGAN = datetime(2024, 1, 1, 9, tzinfo=UTC)
PER_PERSON = 10


class Company(NamedTuple):
    """A built company: its number of records, of versions per record, and a key that reads everything."""

    name: str
    organization_id: uuid.UUID
    records: int
    versions: int
    key: str


def tables() -> None:
    """Makes the tables of the product and of its peers."""
    # The peers have no migrations: their tables come after everything they refer to.
    call_command("migrate", database="owner", verbosity=0)
    call_command("migrate", database="owner", verbosity=0, run_syncdb=True)
    with connections["owner"].cursor() as cursor:
        # A migration of pghistory's makes it; nothing here calls it, and the product refuses a function it does not know.
        cursor.execute("DROP FUNCTION IF EXISTS _pgh_attach_context()")


def everything(
    divisor: int, now: datetime, folder: Path | None, say: Callable[[str], None]
) -> tuple[dict[str, Company], datetime]:
    """Builds all companies and the peers' rows, or finds them in `folder`; returns them by name, and when they were built."""
    kept = None if folder is None else folder / f"built-{divisor}.json"
    if kept is not None and kept.exists():
        content = orjson.loads(kept.read_bytes())
        companies = [
            Company(name, uuid.UUID(organization_id), records, versions, key)
            for name, organization_id, records, versions, key in content["companies"]
        ]
        return {each.name: each for each in companies}, datetime.fromisoformat(content["at"])
    say(f"Building {1_500_000 // divisor:,} versions ...")
    made = template(now)
    sizes = [
        ("big", 500_000 // divisor, 2),
        ("tenth", 50_000 // divisor, 2),
        ("200 versions", 1000, 200),
        ("3 versions", 1000, 3),
    ]
    small = [(f"small {number}", 1000 // min(divisor, 10), 1) for number in range(197)]
    built = {}
    for name, records, versions in sizes + small[: 197 // min(divisor, 20)]:
        built[name] = company(name, records, versions, now, made)
        captures(built[name].organization_id, records * versions, now)
    say("Building the peers ...")
    peers(built["big"], now, say)
    if kept is not None:
        kept.touch(mode=0o600)
        kept.write_bytes(orjson.dumps({"at": now, "companies": [list(each) for each in built.values()]}))
    return built, now


def template(now: datetime) -> tuple[uuid.UUID, list[str], dict[str, str]]:
    """A real company of one person and one course: its id, the bodies of its record, and the record's identifiers."""
    organization_id = uuid.uuid4()
    history.create_company(
        name="Template",
        time_zone="Europe/London",
        history_from=date(2023, 1, 1),
        now=now,
        organization_id=organization_id,
    )
    names = {name: str(uuid.uuid4()) for name in ("person", "profile", "course", "release", "share", "receipt")}
    at = [(BEGAN + timedelta(days=day)).isoformat() for day in range(4)]
    lines: list[dict[str, Any]] = [
        {"fact": "employee_joined", "at": at[0], "person_id": names["person"], "learner_profile_id": names["profile"]},
        {"fact": "course_created", "at": at[0], "course_id": names["course"], "title": "Course"},
        {"fact": "release_published", "at": at[0], "course_id": names["course"], "course_release_id": names["release"],
         "version": 1, "lessons": []},
        {"fact": "course_shared", "at": at[1], "share_id": names["share"], "course_id": names["course"],
         "doors": ["employee"], "audience": {"everyone": True}, "requirement": "required",
         "deadline": {"basis": "days_after_added", "days": 30}},
        {"fact": "course_completed", "at": at[3], "completion_receipt_id": names["receipt"],
         "learner_profile_id": names["profile"], "course_release_id": names["release"]},
    ]  # fmt: skip
    stream = BytesIO(b"".join(orjson.dumps(line | {"fact_id": str(uuid.uuid4())}) + b"\n" for line in lines))
    report = import_facts(organization_id=organization_id, stream=stream, now=now, strict=False)
    assert not report.errors, report.errors
    history.capture_all(organization_id, now)
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT body FROM history_historyrow WHERE organization_id = %s AND register = 1 ORDER BY sequence",
            [organization_id],
        )
        bodies = [body for (body,) in cursor.fetchall()]
        cursor.execute(
            "SELECT record_id FROM history_historyrecord WHERE organization_id = %s AND register = 1", [organization_id]
        )
        names["record"] = str(cursor.fetchone()[0])
    return organization_id, bodies, names


def company(
    name: str, records: int, versions: int, now: datetime, made: tuple[uuid.UUID, list[str], dict[str, str]]
) -> Company:
    """Builds a company of `records` training records with `versions` versions each."""
    model, bodies, names = made
    organization_id = uuid.uuid4()
    history.create_company(
        name=name, time_zone="Europe/London", history_from=date(2023, 1, 1), now=now, organization_id=organization_id
    )
    values: dict[str, Any] = {
        "organization": organization_id,
        "model": model,
        "records": records,
        "versions": versions,
        "people": max(1, records // PER_PERSON),
        "per_person": PER_PERSON,
        "began": BEGAN,
        "now": now,
        "opened": bodies[0],
        "completed": bodies[-1],
        "profile": names["profile"],
        "record": names["record"],
        "salt": str(organization_id),
    }
    with writing(organization_id) as cursor:
        for statement in (_PEOPLE, _RECORDS, _ROWS, _HEAD):
            cursor.execute(statement, values)
    key, _ = access.issue_key(
        organization_id=organization_id, scopes=list(Scope), environment="test", at=now, actor="benchmark"
    )
    return Company(name, organization_id, records, versions, key)


_IDENTIFIER = "md5(%(salt)s || {kind} || {number})::uuid"
_PROFILE = _IDENTIFIER.format(kind="'profile'", number="(n / %(per_person)s)::text")
_RECORD = _IDENTIFIER.format(kind="'record'", number="n::text")

_PEOPLE = f"""
INSERT INTO people_profile (organization_id, learner_profile_id, person_name, work_email)
SELECT %(organization)s, {_IDENTIFIER.format(kind="'profile'", number="n::text")}, 'Person ' || n, 'person' || n || '@example.org'
FROM generate_series(0, %(people)s) n
"""

_RECORDS = f"""
INSERT INTO history_historyrecord (organization_id, register, birth, record_id, learner_profile_id, course_id)
SELECT %(organization)s, 1, 1 + n::bigint * %(versions)s, {_RECORD}, {_PROFILE}, md5('course' || n %% %(per_person)s)::uuid
FROM generate_series(0, %(records)s - 1) n
"""

# The odd versions are open and the even ones completed; every tenth record stays open. A minute lies between versions.
_ROWS = f"""
INSERT INTO history_historyrow (organization_id, sequence, register, birth, capture_sequence, valid_from, recorded_at,
    cause, logic_version, state, state_before_end, begins_at, due_at, done_at, waived_at, ends_at, body, row_sha256)
SELECT %(organization)s, 1 + n::bigint * %(versions)s + v, 1, 1 + n::bigint * %(versions)s, 2,
    m.begins_at + v * interval '1 minute' + (n %% 400) * interval '1 day', %(now)s,
    CASE WHEN v = 0 THEN 'first' ELSE 'change' END, 1, m.state, m.state_before_end,
    m.begins_at + (n %% 400) * interval '1 day', m.due_at + (n %% 400) * interval '1 day',
    CASE WHEN v %% 2 = 1 AND n %% 10 <> 0 THEN m.begins_at + v * interval '1 minute' + (n %% 400) * interval '1 day' END,
    NULL, NULL,
    replace(replace(CASE WHEN v %% 2 = 1 AND n %% 10 <> 0 THEN %(completed)s ELSE %(opened)s END,
        %(profile)s, ({_PROFILE})::text), %(record)s, ({_RECORD})::text), decode(repeat('00', 32), 'hex')
FROM (SELECT * FROM history_historyrow WHERE organization_id = %(model)s AND register = 1 ORDER BY sequence LIMIT 1) m,
    generate_series(0, %(records)s - 1) n, generate_series(0, %(versions)s - 1) v
"""

_HEAD = """
UPDATE history_historyhead SET sequence = %(records)s::bigint * %(versions)s, capture_sequence = 2
WHERE organization_id = %(organization)s
"""


@contextlib.contextmanager
def writing(organization_id: uuid.UUID) -> Iterator[CursorWrapper]:
    """A transaction of the owner that writes rows of one company: row-level security applies to its writes as well.

    The owner can read all companies, as for a backup, so rows can be copied from the template.
    """
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SELECT set_config('app.organization', %s, true)", [str(organization_id)])
        yield cursor


def captures(organization_id: uuid.UUID, sequence: int, now: datetime) -> None:
    """Writes the capture that the built rows belong to, and their tree."""
    with writing(organization_id) as cursor:
        cursor.execute(
            "INSERT INTO history_capture (organization_id, capture_sequence, captured_at, first_sequence, last_sequence,"
            " rows_sha256, chain_hash, logic_version, why) VALUES (%s, 2, %s, 1, %s, repeat('0', 64), repeat('0', 64), 1, 'facts')",
            [organization_id, now, sequence],
        )
    with context.company(organization_id):
        whole = CompactRange()
        tree.keep(organization_id, tree.grow(whole, tree.stored_digests(organization_id, 0, sequence)))
        heads = HistoryHead.objects.filter(organization_id=organization_id)
        heads.update(tree_size=whole.size, tree_range=whole.to_bytes(), chain_hash="0" * 64)


def large(people: int, now: datetime) -> Company:
    """Builds a company of `people` people with facts of two years, by the ordinary import and capture."""
    organization_id = uuid.uuid4()
    history.create_company(
        name="Large", time_zone="Europe/London", history_from=date(2023, 1, 1), now=now, organization_id=organization_id
    )
    with tempfile.TemporaryFile() as file:
        file.writelines(large_company.lines(people, now - timedelta(days=1)))
        file.seek(0)
        import_facts(organization_id=organization_id, stream=file, now=now, strict=False)
    history.capture_all(organization_id, now)
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE")
    key, _ = access.issue_key(
        organization_id=organization_id, scopes=list(Scope), environment="test", at=now, actor="benchmark"
    )
    return Company("Large", organization_id, 0, 0, key)


def peers(big: Company, now: datetime, say: Callable[[str], None]) -> None:
    """Writes the same rows for the peers: the current ones for DRF, current ones and history for the history packages."""
    fields = (
        "deployment_id, company_id, learning_space_id, sequence, valid_from, recorded_at, cause, logic_version,"
        " record_id, course_id, course_release_id, renews_certificate_id, requirement, assigned_at, due_at, due_time_zone,"
        " due_basis, completed_at, completion_receipt_id, ended_at, ended_reason, waived_at, waiver_actor_id,"
        " waiver_reason_code, outcome, days_late, reminders_sent, share_ids, doors, certificate_id, obligation_change_id,"
        " profile_id"
    )
    rows = """
    SELECT %(deployment)s::uuid, v.organization_id, v.organization_id, v.sequence, v.valid_from, v.recorded_at, v.cause,
        v.logic_version, r.record_id, r.course_id, r.record_id, NULL::uuid, v.state, v.begins_at, v.due_at, 'Europe/London',
        'days_after_added', v.done_at, CASE WHEN v.done_at IS NULL THEN NULL ELSE r.record_id END, NULL::timestamptz, NULL,
        NULL::timestamptz, NULL::uuid, NULL, CASE WHEN v.done_at IS NULL THEN 'overdue' ELSE 'completed_on_time' END,
        CASE WHEN v.done_at IS NULL THEN 9 END, 0, ARRAY[r.record_id], ARRAY['employee'], NULL::uuid, NULL::bigint,
        r.learner_profile_id{more}
    FROM history_historyrecord r JOIN history_historyrow v USING (organization_id, register, birth)
    WHERE r.organization_id = %(organization)s"""
    values: dict[str, Any] = {
        "deployment": deployment_id(),
        "organization": big.organization_id,
        "versions": big.versions,
    }
    last = " AND v.sequence %% %(versions)s = 0 ORDER BY v.sequence"
    with connections["owner"].cursor() as cursor:
        # Without statistics the planner would look up each row separately, which takes most of a small run's time.
        cursor.execute("ANALYZE history_historyrow, history_historyrecord, people_profile")
        say("  rows of the peers")
        cursor.execute(
            "INSERT INTO peers_profile SELECT learner_profile_id, person_name, work_email FROM people_profile"
            " WHERE organization_id = %(organization)s",
            values,
        )
        for table in ("peers_trainingrecord", "peers_simplerecord", "peers_trackedrecord"):
            cursor.execute(f"INSERT INTO {table} ({fields}) {rows.format(more='')}{last}", values)
        say("  their histories")
        number = ", 1 + (r.birth - 1) / %(versions)s, v.valid_from"
        cursor.execute(
            f"INSERT INTO peers_historicalsimplerecord ({fields}, id, history_date, history_type)"
            f" {rows.format(more=number + ', ' + chr(39) + '~' + chr(39))} ORDER BY v.sequence",
            values,
        )
        cursor.execute(
            f"INSERT INTO peers_trackedrecordevent ({fields}, id, pgh_created_at, pgh_label, pgh_obj_id)"
            f" {rows.format(more=number + ', ' + chr(39) + 'update' + chr(39) + ', 1 + (r.birth - 1) / %(versions)s')}"
            " ORDER BY v.sequence",
            values,
        )
        cursor.execute("SELECT setval('peers_simplerecord_id_seq', 10000000)")
        for table in (
            "peers_trainingrecord", "peers_simplerecord", "peers_historicalsimplerecord", "peers_trackedrecord",
            "peers_trackedrecordevent", "peers_profile", "history_historyrow", "history_historyrecord", "people_profile",
        ):  # fmt: skip
            cursor.execute(f"VACUUM ANALYZE {table}")
