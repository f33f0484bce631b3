"""A database that differs from what was signed and is kept outside of it is refused: missing, older or another content.

And what was restored on purpose is accepted, without a fork, by an entry of the log.
"""

import hashlib
import io
import json
import re
import shutil
import subprocess
import sys

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from psycopg import sql

from compliance.history import tree
from compliance.history.models import HistoryHead
from compliance.log import acceptance, folder, keys, queries, refusals, signing, verify
from compliance.log.errors import LogError, LogRefusedError, NotAcceptableError, SigningKeyMissingError
from compliance.log.models import Leaf
from compliance.proofs.log import LogCheckpoint
from compliance.proofs.merkle import CompactRange, check_consistency, leaf_hash
from compliance.tenancy import context
from compliance.tenancy.models import Organization
from tests.companies import NOW, make_company
from tests.log.deployment import KEY, LATER, captures, entries, grow, head, stated
from tests.operations.service import ROOT


@pytest.fixture
def company(superuser):
    """A company with four captures under the log, in three signings; older copies of the folder are kept beside it."""
    superuser.execute("SET session_replication_role = replica")
    company = make_company()
    for number, name in enumerate(("Anna", "Boris", "Chloe")):
        grow(company, name)
        signing.sign_new(NOW)
        shutil.copytree(folder.path(), folder.path().with_name(f"after-{number}"))
    return company


def restore_folder(name: str) -> None:
    shutil.rmtree(folder.path())
    shutil.copytree(folder.path().with_name(name), folder.path())


def restore_database(superuser: psycopg.Connection, company, capture_sequence: int, size: int) -> None:
    """The state after restoring a backup that was made when the company had so many captures, and the log this size."""
    organization_id = company.organization_id
    rows = {"organization_id": organization_id, "capture_sequence": capture_sequence}
    for table in ("history_capture", "history_historyrow"):
        superuser.execute(
            f"DELETE FROM {table} WHERE organization_id = %(organization_id)s"
            " AND capture_sequence > %(capture_sequence)s",
            rows,
        )
    superuser.execute(
        "DELETE FROM history_historyrecord r WHERE organization_id = %(organization_id)s AND birth >"
        " (SELECT last_sequence FROM history_capture c WHERE c.organization_id = %(organization_id)s"
        " AND c.capture_sequence = %(capture_sequence)s)",
        rows,
    )
    with context.company(organization_id):
        (last,) = superuser.execute(
            "SELECT last_sequence FROM history_capture WHERE organization_id = %(organization_id)s"
            " AND capture_sequence = %(capture_sequence)s",
            rows,
        ).fetchone()
        grown = CompactRange()
        grown.extend(map(leaf_hash, tree.stored_digests(organization_id, 0, last)))
    superuser.execute(
        "UPDATE history_historyhead h SET capture_sequence = c.capture_sequence, chain_hash = c.chain_hash,"
        " captured_at = c.captured_at, sequence = c.last_sequence, tree_size = c.last_sequence, tree_range = %(range)s"
        " FROM history_capture c WHERE h.organization_id = %(organization_id)s"
        " AND c.organization_id = h.organization_id AND c.capture_sequence = %(capture_sequence)s",
        rows | {"range": grown.to_bytes()},
    )
    restore_log(superuser, size)


def restore_log(superuser: psycopg.Connection, size: int) -> None:
    superuser.execute("DELETE FROM log_leaf WHERE index >= %s", [size])
    superuser.execute("DELETE FROM log_checkpoint WHERE size > %s", [size])
    superuser.execute("UPDATE log_tile SET hashes = substr(hashes, 1, %s) WHERE level = 0", [size * 32])


def refused(sentence: str) -> None:
    """Asserts that start-up refuses, with a sentence on what to do, and that the signer signs nothing."""
    with pytest.raises(LogError, match=sentence) as start:
        refusals.refuse_other_log()
    if isinstance(start.value, LogRefusedError):
        assert "--accept" in str(start.value)


def accepted(company, capture_sequence: int) -> None:
    """Asserts that the acceptance is in the log, which continues, that all is intact, and that readers are served."""
    newest = Leaf.objects.filter(kind="acceptance", organization_id=company.organization_id).latest("index")
    assert hashlib.sha256(newest.statement.encode()).digest() == bytes(newest.entry)
    lines = newest.statement.split("\n")
    assert lines[:3] == ["svc.accepted/2", str(company.organization_id), str(capture_sequence)]
    refusals.refuse_other_log()
    assert head(company).available
    assert verify.verify_log().faults == []
    assert verify.verify_company(company.organization_id).faults == []
    number, index = queries.newest_signed_capture(company.organization_id)
    assert (number, entries()[index].hex()) == (head(company).capture_sequence, head(company).chain_hash)


def test_the_report_of_histories_names_what_the_log_contradicts(company, superuser):
    other = make_company().organization_id
    signing.sign_new(NOW)
    restore_database(superuser, company, 2, 5)
    report = io.StringIO()
    with pytest.raises(CommandError, match="--accept"):
        call_command("verify_history", "--checkpoints", "--json", stdout=report)
    found = {each["organization_id"]: each for each in json.loads(report.getvalue())}
    assert {name: each["holds"] for name, each in found.items()} == {
        str(company.organization_id): False,
        str(other): True,
    }
    faults = found[str(company.organization_id)]["log_faults"]
    assert f"Capture 3 of organization {company.organization_id} is missing, or is not the one in the log." in faults
    superuser.execute("UPDATE log_tile SET hashes = %s", [bytes(32 * 5)])
    report = io.StringIO()
    with pytest.raises(CommandError, match="--accept"):
        call_command("verify_history", "--checkpoints", "--json", stdout=report)
    assert [(each["organization_id"], each["holds"]) for each in json.loads(report.getvalue())][-1] == (None, False)


def test_a_fresh_start_is_accepted(superuser):
    make_company()
    refusals.refuse_other_log()
    assert not folder.path().exists()


def test_a_history_that_only_grew_is_accepted(company):
    grow(company, "Dora")
    refusals.refuse_other_log()


def test_a_missing_folder_is_refused_by_all_and_nothing_is_signed(company):
    shutil.rmtree(folder.path())
    refused("holds no checkpoint, though one of 4 entries was signed")
    with pytest.raises(LogRefusedError, match="holds nothing of what was signed"):
        signing.sign_new(LATER)
    assert queries.size() == 4


def test_a_folder_that_is_an_older_copy_is_refused_by_all(company):
    restore_folder("after-0")
    refused("was cut back or is an older copy: its checkpoint states 2 entries, but one of 4 was signed")
    with pytest.raises(LogRefusedError, match="remembers 2 entries, but 4 were signed"):
        signing.sign_new(LATER)


def test_a_memory_that_is_an_older_copy_is_refused_by_the_signer(company):
    shutil.copy(folder.path().with_name("after-1") / folder.MEMORY, folder.path() / folder.MEMORY)
    with pytest.raises(LogRefusedError, match="its checkpoint states another tree, of 4"):
        signing.sign_new(LATER)


def test_a_checkpoint_that_was_altered_is_refused(company):
    note = folder.path() / folder.CHECKPOINT
    note.write_text(note.read_text().replace("\n4\n", "\n3\n"))
    refused("signed by none of our keys")


def test_a_signer_killed_before_it_wrote_the_folder_is_no_reason_to_refuse(company):
    """The database is one checkpoint ahead of the folder's file, as between publishing and writing it."""
    shutil.copy(folder.path().with_name("after-1") / folder.CHECKPOINT, folder.path() / folder.CHECKPOINT)
    refusals.refuse_other_log()
    signing.sign_new(LATER)
    assert stated().size == 4


def test_a_database_without_the_log_is_refused(company, superuser):
    restore_log(superuser, 0)
    refused("The database has gone backwards: its log has 0 entries, but the checkpoint in .* was signed over 4")


def test_a_restored_database_is_refused_its_company_closed_and_the_acceptance_is_in_the_log(company, superuser):
    before = stated()
    restore_database(superuser, company, 2, 2)
    refused("The database has gone backwards: its log has 2 entries, but .* was signed over 4")
    with pytest.raises(LogRefusedError, match="its log has 2 entries, but 4 were signed"):
        signing.sign_new(LATER)
    assert "gone backwards: it stands at capture 2" in head(company).unavailable_reason
    assert acceptance.accept(LATER) == [company.organization_id]
    accepted(company, 2)
    assert captures(company) == [1, 2, 3, 4]
    assert queries.leaf_of(company.organization_id, 4) is None
    grow(company, "Dora", "Emil")
    signing.sign_new(LATER)
    assert captures(company) == [1, 2, 3, 4, 3, 4]
    accepted(company, 2)
    assert [queries.leaf_of(company.organization_id, number) for number in (1, 2, 3, 4)] == [0, 1, 5, 6]
    after = stated()
    check_consistency(4, after.size, before.root, after.root, queries.consistency(4, after.size))


def test_the_database_role_of_the_signer_is_enough_to_accept(company, superuser, process_environment):
    restore_database(superuser, company, 2, 2)
    password = connection.settings_dict["PASSWORD"]
    superuser.execute(sql.SQL("ALTER ROLE app_signer LOGIN PASSWORD {}").format(password))
    as_signer = process_environment | {
        "DATABASE_URL": process_environment["DATABASE_URL"].replace("//app:", "//app_signer:"),
        "LOG_FOLDER": str(folder.path()), "CHECKPOINT_KEY": KEY, "BASE_URL": "https://records.example.com",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "manage.py", "verify_history", "--checkpoints", "--accept"], cwd=ROOT, env=as_signer,
        text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"{company.organization_id}: accepted as it is; the acceptance is in the log." in done.stderr
    accepted(company, 2)
    call_command("verify_history", "--checkpoints", stdout=io.StringIO())


def test_an_accepted_history_may_be_set_back_again(company, superuser):
    restore_database(superuser, company, 2, 2)
    acceptance.accept(LATER)
    grow(company, "Dora")
    signing.sign_new(LATER)
    restore_database(superuser, company, 1, 6)
    refused("gone backwards: it stands at capture 1, but capture 3")
    assert acceptance.accept(LATER) == [company.organization_id]
    accepted(company, 1)


def test_a_restore_of_one_signing_ago_closes_the_company_and_others_go_on(company, superuser):
    other = make_company()
    restore_database(superuser, company, 3, 3)
    signing.sign_new(LATER)
    assert "gone backwards" in head(company).unavailable_reason
    assert captures(other) == [1]
    refused("has gone backwards: it stands at capture 3, but capture 4 is under a signed checkpoint")
    acceptance.accept(LATER)
    accepted(company, 3)


def test_a_history_that_is_gone_is_accepted_as_gone(company):
    HistoryHead.objects.filter(organization_id=company.organization_id).delete()
    refused("is gone: capture 4 is under a signed checkpoint, and the database holds none")
    with pytest.raises(NotAcceptableError, match="The history has no head"):
        acceptance.accept(LATER)  # its company is still there
    Organization.objects.filter(organization_id=company.organization_id).delete()
    assert acceptance.accept(LATER) == [company.organization_id]
    refusals.refuse_other_log()
    assert queries.newest_signed_capture(company.organization_id) is None
    assert verify.verify_log().faults == []


def test_a_folder_that_was_lost_is_made_anew_from_the_database_by_its_signed_checkpoint(company):
    before = stated()
    shutil.rmtree(folder.path())
    assert acceptance.accept(LATER) == [company.organization_id]
    accepted(company, 4)
    after = stated()
    check_consistency(4, after.size, before.root, after.root, queries.consistency(4, after.size))
    grow(company, "Dora")
    assert signing.sign_new(LATER) == 1


def test_an_older_folder_takes_over_what_the_database_knows(company):
    restore_folder("after-0")
    assert acceptance.accept(LATER) == [company.organization_id]
    accepted(company, 4)


def not_accepted(sentence: str) -> None:
    """Asserts that nothing is accepted, that the folder's checkpoint stays, and that the signer signs nothing."""
    before = folder.read(folder.CHECKPOINT)
    with pytest.raises(NotAcceptableError, match=sentence):
        acceptance.accept(LATER)
    with pytest.raises(LogRefusedError):
        signing.sign_new(LATER)
    assert folder.read(folder.CHECKPOINT) == before
    assert not Leaf.objects.filter(kind="acceptance").exists()


def test_a_checkpoint_over_more_than_folder_and_database_hold_is_not_accepted_away(company, superuser):
    shutil.copy(folder.path().with_name("after-0") / folder.MEMORY, folder.path() / folder.MEMORY)
    restore_database(superuser, company, 3, 3)
    not_accepted("states 4 entries, and folder and database hold 3, .* begin a new log")
    assert stated().size == 4


def test_a_checkpoint_over_more_than_an_empty_folder_and_database_hold_is_not_accepted_away(company, superuser):
    (folder.path() / folder.MEMORY).unlink()
    restore_log(superuser, 0)
    not_accepted("states 4 entries, and folder and database hold 0")


def test_a_checkpoint_over_another_tree_of_one_size_is_not_accepted_away(company):
    other = LogCheckpoint(stated().origin, 4, bytes(32))
    folder.write(folder.CHECKPOINT, keys.signing_key(other.origin).sign(other.text()))
    not_accepted("states 4 entries, and folder and database hold 4, which are fewer or others")


def test_an_older_memory_beside_the_whole_database_is_made_up_from_it(company):
    shutil.copy(folder.path().with_name("after-0") / folder.MEMORY, folder.path() / folder.MEMORY)
    assert acceptance.accept(LATER) == [company.organization_id]
    accepted(company, 4)


def test_entries_that_are_not_under_the_signed_checkpoint_are_not_taken_over(company, superuser):
    shutil.rmtree(folder.path())
    superuser.execute("UPDATE log_leaf SET entry = %s WHERE index = 2", [bytes(32)])
    with pytest.raises(NotAcceptableError, match="do not lead to its signed checkpoint of 4 entries"):
        acceptance.accept(LATER)


def test_a_database_of_another_log_is_not_accepted(company, superuser):
    restore_log(superuser, 2)
    superuser.execute("UPDATE log_checkpoint SET root = %s WHERE size = 2", [bytes(32)])
    with pytest.raises(NotAcceptableError, match="knows another log of 2 entries"):
        acceptance.accept(LATER)


def test_a_history_that_does_not_hold_is_not_accepted(company, superuser):
    restore_database(superuser, company, 2, 2)
    superuser.execute(
        "UPDATE history_historyrow SET body = replace(body, 'active', 'ended') WHERE organization_id = %s",
        [company.organization_id],
    )
    with pytest.raises(NotAcceptableError, match="cannot be accepted, for it does not hold"):
        acceptance.accept(LATER)
    assert not Leaf.objects.filter(kind="acceptance").exists()


def test_an_acceptance_needs_the_key_and_says_nothing_where_all_holds(company, settings):
    assert acceptance.accept(LATER) == []
    assert queries.size() == 4
    settings.CHECKPOINT_VERIFIER_KEYS = keys.verifier_keys()
    settings.CHECKPOINT_KEYS = []
    with pytest.raises(SigningKeyMissingError):
        acceptance.accept(LATER)


@pytest.mark.parametrize(
    ("attack", "start", "night"),
    [
        ("UPDATE log_tile SET hashes = set_byte(hashes, 5, 1 + get_byte(hashes, 5) % 200)", "has forked", "Tile 0"),
        ("DELETE FROM log_tile", "is missing in the database", "Tile 0 of level 0"),
        ("UPDATE log_leaf SET entry = decode(repeat('00', 32), 'hex') WHERE index = 3", "Entry 3", "Tile 0 of level 0"),
        ("UPDATE log_leaf SET capture_sequence = 9 WHERE index = 1", None, "speaks of capture 9 .* where 2 is due"),
        ("DELETE FROM log_leaf WHERE index = 1", None, "Entry 1 of the log is missing"),
        ("UPDATE log_checkpoint SET root = decode(repeat('00', 32), 'hex') WHERE size = 4", "not the one", "another"),
        ("UPDATE log_checkpoint SET note = replace(note, 'svc', 'xvc') || 'x'", "malformed", "malformed"),
        (
            "INSERT INTO log_leaf SELECT 4, kind, organization_id, 5, entry, '' FROM log_leaf WHERE index = 0",
            None, "1 stored entries of the log are under no checkpoint",
        ),
    ],
)  # fmt: skip
def test_a_published_log_that_was_changed_is_found(attack, start, night, company, superuser):
    superuser.execute(attack)
    if start is not None:
        refused(start)
    faults = verify.verify_log().faults
    assert faults
    assert re.search(night, faults[0]), faults


def test_what_a_verification_asks_of_the_database_does_not_grow_with_the_entries(company):
    def statements(work):
        with CaptureQueriesContext(connection) as found:
            work()
        return len(found)

    def counts():
        return [
            statements(refusals.refusals), statements(verify.verify_log),
            statements(lambda: verify.verify_company(company.organization_id)),
        ]  # fmt: skip

    before = counts()
    grow(company, *(f"Person {number}" for number in range(9)))
    signing.sign_new(LATER)
    assert counts() == before
