"""The chains of the access log, attacked by somebody who has the database, and with many simultaneous writers.

Everything here is committed, so that the owner's connection and other threads see it.
"""

import threading
import uuid
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from compliance.interfaces.console import access_chain
from compliance.interfaces.console.permissions import AUDITOR
from compliance.interfaces.operations import access_heads
from compliance.interfaces.operations import access_log as verification
from compliance.log.errors import LogFolderError
from tests.interfaces.console.companies import Full, full_company
from tests.interfaces.console.conftest import make_staff, signed_in
from tests.interfaces.console.test_access_log import address


@pytest.fixture
def logged(committed, settings, tmp_path) -> Full:
    """A company with ten lines in its log, and the signed end of its chain."""
    settings.LOG_FOLDER = str(tmp_path / "log")
    settings.CHECKPOINT_KEYS = ["a key of the test that is long enough"]
    full = full_company(2, f"Logged {uuid.uuid4().hex[:8]}")
    client = signed_in(make_staff(f"looker-{uuid.uuid4().hex[:8]}", AUDITOR))
    for _ in range(10):
        assert client.get(address(full, "training-records")).status_code == 200
    access_heads.sign_new()
    return full


@contextmanager
def owner():
    """A connection of the schema's owner, without the triggers, which somebody with that password would remove."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE console_accesslog DISABLE TRIGGER USER")
        try:
            yield cursor
        finally:
            cursor.execute("ALTER TABLE console_accesslog ENABLE TRIGGER USER")


ATTACKS = {
    "changed": (
        "UPDATE console_accesslog SET username = 'nobody' WHERE chain = %(chain)s AND number = 4",
        "Line 4 of the access log is not what was written",
    ),
    "another person": (
        "UPDATE console_accesslog SET learner_profile_ids = '{}' WHERE chain = %(chain)s AND number = 5",
        "Line 5 of the access log is not what was written",
    ),
    "torn": (
        "UPDATE console_accesslog SET digest = '', salt = '' WHERE chain = %(chain)s AND number = 6",
        "Line 6 of the access log is not what was written",
    ),
    "removed": (
        "DELETE FROM console_accesslog WHERE chain = %(chain)s AND number = 7",
        "Line 7 of the access log: missing.",
    ),
    "cut at its end": (
        "DELETE FROM console_accesslog WHERE chain = %(chain)s AND number > 8",
        "Lines 9 to 10 of the access log: missing at its end.",
    ),
    "cut, and its end set back": (
        "WITH gone AS (DELETE FROM console_accesslog WHERE chain = %(chain)s AND number > 8)"
        " UPDATE console_accesschain c SET number = 8, digest = l.digest"
        " FROM console_accesslog l WHERE l.chain = c.chain AND l.number = 8"
        " AND c.chain = %(chain)s",
        "The access log ends at line 8, but line 10 of it was signed: its last lines are gone.",
    ),
    "gone whole": (
        "WITH gone AS (DELETE FROM console_accesslog WHERE chain = %(chain)s)"
        " DELETE FROM console_accesschain WHERE chain = %(chain)s",
        "The access log ends at line 0, but line 10 of it was signed: its last lines are gone.",
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_whoever_holds_the_database_cannot_alter_the_log_unnoticed(logged, attack, capsys):
    organization_id = logged.company.organization_id
    assert verification.verify(datetime.now(UTC))[organization_id].faults == []
    call_command("verify_access_log", organization=organization_id)
    statement, fault = ATTACKS[attack]
    with owner() as cursor:
        cursor.execute(statement, {"chain": organization_id})
    found = verification.verify(datetime.now(UTC))[organization_id]
    assert any(said.startswith(fault) for said in found.faults), found
    with pytest.raises(CommandError, match="1 chain of the access log does not hold"):
        call_command("verify_access_log", organization=organization_id)
    assert fault in capsys.readouterr().err
    if attack != "gone whole":
        auditor = signed_in(make_staff(f"later-{uuid.uuid4().hex[:8]}", AUDITOR))
        assert "found a fault" in auditor.get(address(logged, "log")).content.decode()


def test_many_hands_at_once_write_one_chain(logged):
    organization_id = logged.company.organization_id
    failed: list[BaseException] = []

    def look() -> None:
        try:
            client = signed_in(make_staff(f"hand-{uuid.uuid4().hex[:8]}", AUDITOR))
            for _ in range(6):
                assert client.get(address(logged, "people")).status_code == 200
        except BaseException as error:  # noqa: BLE001 - raised again in the waiting thread
            failed.append(error)
        finally:
            connections.close_all()

    hands = [threading.Thread(target=look) for _ in range(6)]
    for hand in hands:
        hand.start()
    for hand in hands:
        hand.join(120)
    assert failed == []
    found = access_chain.verify(organization_id)
    assert (found.lines, found.faults) == (46, [])


def test_what_is_signed_states_the_ends_of_the_chains_and_never_goes_back(logged, settings):
    organization_id = logged.company.organization_id
    file = Path(settings.LOG_FOLDER) / access_heads.FILE
    end = access_chain.heads()[organization_id]
    assert f"\n{organization_id} 10 {end.digest}\n" in file.read_text()
    assert access_heads.stated()[organization_id] == end
    with owner() as cursor:
        cursor.execute("UPDATE console_accesschain SET number = 8 WHERE chain = %s", [organization_id])
    assert not access_heads.sign_new()
    assert access_heads.stated()[organization_id] == end
    file.write_text(file.read_text().replace(" 10 ", " 8 "))
    with pytest.raises(LogFolderError, match="signed by none of our keys"):
        access_heads.stated()
    found = verification.verify(datetime.now(UTC))[organization_id]
    assert any("signed by none of our keys" in fault for fault in found.faults)


def test_a_chain_that_was_cut_and_has_grown_beyond_its_signed_end_is_not_signed_anew(logged, caplog):
    organization_id = logged.company.organization_id
    signed = access_heads.stated()[organization_id]
    with owner() as cursor:
        cursor.execute(ATTACKS["cut, and its end set back"][0], {"chain": organization_id})
    auditor = signed_in(make_staff(f"later-{uuid.uuid4().hex[:8]}", AUDITOR))
    for _ in range(5):
        assert auditor.get(address(logged, "people")).status_code == 200
    assert access_chain.heads()[organization_id].number > signed.number
    access_heads.sign_new()
    assert access_heads.stated()[organization_id] == signed
    assert "access_log_broken" in {record.message for record in caplog.records}
    found = verification.verify(datetime.now(UTC))[organization_id]
    assert found.faults == ["Line 10 of the access log is another than the one that was signed."]
