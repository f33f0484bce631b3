"""`verify_history` names the first fault, whatever somebody with all rights alters."""

import uuid
from datetime import datetime, timedelta
from importlib import import_module

import pytest
from django.conf import settings

from compliance.catalogue import REGISTERS
from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.lines.kinds import Certificate
from compliance.facts.policies.actions import sign_policy
from compliance.history import actions
from compliance.history.projections import hashed_body
from compliance.history.text import instant
from compliance.history.verify import FirstFault, Verified, verify_history
from compliance.proofs.history import row_hasher
from compliance.rules.vocabulary import CertificateKind, ChangeKind, Door, PolicyAct
from tests import verbs
from tests.companies import NOW, day, make_company
from tests.facts.story import HTML
from tests.history.reading import rows


@pytest.fixture
def company(committed):
    """A small company with rows in all seven registers, an absent version among them."""
    company = make_company()
    organization_id = company.organization_id
    course = company.course(certificate=Certificate(title="Fire", kind=CertificateKind.COMPLETION, valid_months=12))
    anna = company.join("Anna")
    share = company.share(course, due_at=day(30))
    company.complete(anna, course, day(3))
    invitation = verbs.invite_person(organization_id=organization_id, work_email="b@example.org", at=day(1), now=NOW)
    policy_id, release_id = uuid.uuid4(), uuid.uuid4()
    verbs.publish_policy(
        organization_id=organization_id, course_id=policy_id, course_release_id=release_id, version=1,
        act=PolicyAct.ACKNOWLEDGE, doors=[Door.EMPLOYEE], statement="I have read it.", effective_on=None,
        renew_months=0, change_kind=ChangeKind.FIRST, html=HTML, at=day(2),
    )  # fmt: skip
    policy_share = verbs.share_policy(organization_id=organization_id, course_id=policy_id, at=day(3), now=NOW)
    actions.capture_all(organization_id, NOW)
    verbs.revoke_invitation(organization_id=organization_id, invitation_id=invitation, at=day(5), now=NOW)
    sign_policy(
        organization_id=organization_id, share_id=policy_share, learner_profile_id=anna.learner_profile_id,
        course_release_id=release_id, signature=None, sign_in_methods=None, at=day(400),
    )  # fmt: skip
    company.leave(anna, day(410))
    verbs.end_share(organization_id=organization_id, share_id=share, at=day(2), now=NOW)  # late: ends before she did it
    actions.capture_all(organization_id, NOW + timedelta(hours=1))
    return company


def test_an_untouched_history_holds(company):
    stored = rows(company.organization_id)
    assert {row.register for row in stored} == set(REGISTERS)
    verified = verify_history(company.organization_id)
    assert isinstance(verified, Verified)
    assert verified.rows == len(stored)


def _alterable(row):
    """The columns of a row that can be altered: Citus does not allow moving a row to another company."""
    return [(column, value) for column, value in row.items() if not (settings.CLUSTER and column == "organization_id")]


def test_any_altered_column_of_any_row_is_named_by_its_row(company, owner):
    organization_id = company.organization_id
    columns = _columns(owner, "history_historyrow")
    assert len(columns) == 23
    stored = _stored(owner, "history_historyrow", columns, organization_id, "sequence")
    for row in stored:
        for column, value in _alterable(row):
            key = {"organization_id": organization_id, "sequence": row["sequence"]}
            with _Altered(owner, "history_historyrow", key, column, value):
                fault = verify_history(organization_id)
            assert isinstance(fault, FirstFault), (row["sequence"], column)
            assert fault.sequence == row["sequence"], (row["sequence"], column, fault)
    assert isinstance(verify_history(organization_id), Verified)


def test_any_altered_column_of_a_capture_a_record_or_the_head_is_found(company, owner):
    organization_id = company.organization_id
    for table, key_column, left_alone in (
        ("history_capture", "capture_sequence", set()),
        ("history_historyrecord", "birth", set()),
        # What operators set, and what the sweep needs, is not verified.
        ("history_historyhead", "organization_id", {"available", "unavailable_reason", "next_change_at"}),
    ):
        columns = [column for column in _columns(owner, table) if column not in left_alone]
        for row in _stored(owner, table, columns, organization_id, key_column):
            for column, value in _alterable(row):
                key = {"organization_id": organization_id, key_column: row[key_column]}
                with _Altered(owner, table, key, column, value):
                    assert isinstance(verify_history(organization_id), FirstFault), (table, row[key_column], column)
    assert isinstance(verify_history(organization_id), Verified)


def test_a_removed_row_is_missed_and_a_row_put_in_by_hand_is_found(company, owner):
    organization_id = company.organization_id
    columns = ", ".join(_columns(owner, "history_historyrow"))
    copy = columns.replace("sequence,", "sequence + 1000,", 1)
    last = len(rows(organization_id))
    owner.execute(
        f"INSERT INTO history_historyrow ({columns}) SELECT {copy} FROM history_historyrow"
        " WHERE organization_id = %s AND sequence = %s",
        [organization_id, last],
    )
    fault = verify_history(organization_id)
    assert isinstance(fault, FirstFault)
    assert fault.sequence == last + 1000
    owner.execute(
        "DELETE FROM history_historyrow WHERE organization_id = %s AND sequence IN (%s, %s)",
        [organization_id, last, last + 1000],
    )
    fault = verify_history(organization_id)
    assert isinstance(fault, FirstFault)
    assert (fault.sequence, fault.sentence) == (last, f"Row {last} is missing.")


def test_a_capture_put_in_by_hand_beyond_the_head_is_found(company, owner):
    organization_id = company.organization_id
    columns = ", ".join(_columns(owner, "history_capture"))
    copy = columns.replace("capture_sequence", "capture_sequence + 9", 1)
    owner.execute(
        f"INSERT INTO history_capture ({columns}) SELECT {copy}"
        " FROM history_capture WHERE organization_id = %s AND capture_sequence = 1",
        [organization_id],
    )
    fault = verify_history(organization_id)
    assert isinstance(fault, FirstFault)
    assert fault.sentence == "Capture 10 is not known to the head."


def test_a_moment_that_no_calendar_has_is_a_fault(company, owner):
    organization_id = company.organization_id
    for table, key_column in (("history_historyrow", "sequence"), ("history_capture", "capture_sequence")):
        for (column,) in owner.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_name = %s AND data_type LIKE 'timestamp%%'",
            [table],
        ).fetchall():
            for moment in ("infinity", "-infinity", "0001-01-01 00:00:00+00 BC", "20000-01-01 00:00:00+00"):
                ((before,),) = owner.execute(
                    f"SELECT {column} FROM {table} WHERE organization_id = %s AND {key_column} = 2", [organization_id]
                ).fetchall()
                change = f"UPDATE {table} SET {column} = %s WHERE organization_id = %s AND {key_column} = 2"
                owner.execute(change, [moment, organization_id])
                fault = verify_history(organization_id)
                owner.execute(change, [before, organization_id])
                assert isinstance(fault, FirstFault), (table, column, moment)
    assert isinstance(verify_history(organization_id), Verified)


@pytest.mark.parametrize(
    "body",
    [
        "{", "[]", "null", "1", '{"share_ids":["x"]}', '{"share_ids":5}', '{"learner_profile_id":1}',
        '{"assigned_at":"never"}', '{"assigned_at":{}}', '{"completed_at":1}', '{"renews_certificate_id":"x"}',
    ],
)  # fmt: skip
def test_a_text_that_is_no_content_is_a_fault_though_its_digest_was_made_anew(company, owner, body):
    organization_id = company.organization_id
    hash_row = row_hasher(str(organization_id))
    for row in rows(organization_id):
        ((record_id,),) = owner.execute(
            "SELECT record_id FROM history_historyrecord WHERE organization_id = %s AND register = %s AND birth = %s",
            [organization_id, row.register, row.birth],
        ).fetchall()
        digest = hash_row(
            str(row.sequence), REGISTERS[row.register].name, str(record_id), instant(row.valid_from),
            instant(row.recorded_at), row.cause, str(row.logic_version),
            hashed_body(row.register, body.encode(), row.state, row.state_before_end),
        )  # fmt: skip
        change = "UPDATE history_historyrow SET body = %s, row_sha256 = %s WHERE organization_id = %s AND sequence = %s"
        owner.execute(change, [body, bytes.fromhex(digest), organization_id, row.sequence])
        fault = verify_history(organization_id)
        owner.execute(change, [row.body, row.row_sha256, organization_id, row.sequence])
        assert isinstance(fault, FirstFault)
    assert isinstance(verify_history(organization_id), Verified)


def test_a_register_that_does_not_exist_is_a_fault(company, owner):
    organization_id = company.organization_id
    for table in ("history_historyrow", "history_historyrecord"):
        owner.execute(f"UPDATE {table} SET register = 99 WHERE organization_id = %s AND birth = 1", [organization_id])
    fault = verify_history(organization_id)
    assert isinstance(fault, FirstFault)
    assert (fault.sequence, fault.column) == (1, "register")


def test_a_course_version_that_is_no_longer_or_only_later_behind_its_records_is_found(company, owner):
    """/v1/courses would not list it."""
    organization_id = company.organization_id
    ((row_id, sequence),) = owner.execute(
        "SELECT row_id, sequence FROM history_recordsource WHERE organization_id = %s", [organization_id]
    ).fetchall()
    first = next(row.sequence for row in rows(organization_id) if row.register == TRAINING_RECORDS.number)
    key = {"organization_id": organization_id, "row_id": row_id}
    for column, value in (("sequence", sequence), ("row_id", row_id)):
        with _Altered(owner, "history_recordsource", key, column, value):
            fault = verify_history(organization_id)
        assert isinstance(fault, FirstFault)
        assert (fault.sequence, fault.sentence) == (
            first, f"The course version behind row {first} is not kept as such."
        )  # fmt: skip
    assert isinstance(verify_history(organization_id), Verified)


def test_a_record_put_in_by_hand_beyond_the_head_is_found(company, owner):
    """It would be taken for the record of a later capture, whose rows would then belong to it."""
    organization_id = company.organization_id
    owner.execute(
        "INSERT INTO history_historyrecord (organization_id, register, birth, record_id) VALUES (%s, 1, 1000000, %s)",
        [organization_id, _ELSEWHERE],
    )
    fault = verify_history(organization_id)
    assert isinstance(fault, FirstFault)
    assert fault.sentence == "There are records that no row begins."


def _columns(owner, table):
    return [
        name
        for (name,) in owner.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_name = %s ORDER BY ordinal_position",
            [table],
        ).fetchall()
    ]


def _stored(owner, table, columns, organization_id, order):
    found = owner.execute(
        f"SELECT {', '.join(columns)} FROM {table} WHERE organization_id = %s ORDER BY {order}", [organization_id]
    ).fetchall()
    return [dict(zip(columns, row, strict=True)) for row in found]


def test_rows_of_before_get_their_columns_from_their_own_bodies(company, owner):
    """The migration computes for rows without these columns the same values as the writer."""
    filled = ("door", "receipt_id", "live_session_id", "renews_certificate_id", "lesson_share_id")
    before = [[getattr(row, column) for column in filled] for row in rows(company.organization_id)]
    assert any(any(row) for row in before)
    nothing = ", ".join(f"{column} = NULL" for column in filled)
    owner.execute(f"UPDATE history_historyrow SET {nothing} WHERE organization_id = %s", [company.organization_id])
    assert isinstance(verify_history(company.organization_id), FirstFault)
    owner.execute(import_module("compliance.history.migrations.0008_columns_that_reads_filter").FILL)
    assert [[getattr(row, column) for column in filled] for row in rows(company.organization_id)] == before
    assert isinstance(verify_history(company.organization_id), Verified)


class _Altered:
    """Alters one column of one row, and puts it back."""

    def __init__(self, owner, table, key, column, value):
        self.owner, self.table, self.key, self.column, self.value = owner, table, key, column, value

    def __enter__(self):
        self._set(_other(self.column, self.value), self.key)

    def __exit__(self, *_):
        self._set(
            self.value, self.key | ({self.column: _other(self.column, self.value)} if self.column in self.key else {})
        )

    def _set(self, value, key):
        where = " AND ".join(f"{name} = %s" for name in key)
        updated = self.owner.execute(
            f"UPDATE {self.table} SET {self.column} = %s WHERE {where}", [value, *key.values()]
        )
        assert updated.rowcount == 1


_ELSEWHERE = uuid.UUID("eeeeeeee-0000-4000-8000-000000000001")


def _other(column, value):
    if column.endswith("_id"):
        return _ELSEWHERE
    if isinstance(value, bytes):
        return bytes(each ^ 1 for each in value) or bytes(32)
    if isinstance(value, datetime):
        return value + timedelta(microseconds=1)
    if isinstance(value, int):
        return value + 1000
    if isinstance(value, str):
        return "x" + value[1:] if value else "x"
    assert value is None
    return "other" if column in ("state", "state_before_end", "door", "rows_sha256") else NOW
