"""What is signed was recomputed, is in the log once and in order, and is remembered outside of the database."""

import logging

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.history import actions
from compliance.history.models import Capture, HistoryHead, HistoryRow
from compliance.history.queries import chain_hashes, heads_of
from compliance.history.verify import NO_DATE, FirstFault, verify_history
from compliance.log import folder, keys, queries, refusals, signing, verify
from compliance.log.errors import LogFolderError, LogRefusedError, OriginChangedError, SigningKeyMissingError
from compliance.log.memory import Memory
from compliance.log.models import Checkpoint
from compliance.proofs.merkle import check_consistency
from compliance.tenancy import context, sql
from tests.companies import NOW, make_company
from tests.log.deployment import KEY, LATER, ORIGIN, captures, entries, grow, head, root, stated

pytestmark = pytest.mark.django_db


@pytest.fixture
def company():
    """A company whose three captures are signed, and a fourth that is not."""
    company = make_company()
    grow(company, "Anna", "Boris")
    signing.sign_new(NOW)
    grow(company, "Chloe")
    return company


def forge_capture(company, **more):
    """Appends what somebody with the application's rights can: a capture that states what no row has."""
    end = head(company)
    number = end.capture_sequence + 1
    with context.company(company.organization_id):
        Capture.objects.create(
            **{
                "organization_id": company.organization_id, "capture_sequence": number, "captured_at": NOW,
                "first_sequence": end.sequence + 1, "last_sequence": end.sequence, "tree_root": bytes(32),
                "ledger_head": bytes(32), "chain_hash": "f" * 64, "logic_version": end.logic_version, "why": "facts",
            } | more
        )  # fmt: skip
    HistoryHead.objects.filter(organization_id=company.organization_id).update(
        capture_sequence=number, chain_hash="f" * 64, sequence=more.get("last_sequence", end.sequence)
    )


def closed(company, sentence):
    """Asserts that nothing of the company is signed, now or later, and that readers get the reason."""
    signing.sign_new(LATER)
    assert captures(company) == [1, 2, 3]
    assert not head(company).available
    assert sentence in head(company).unavailable_reason
    signing.sign_new(LATER)
    assert captures(company) == [1, 2, 3]


def test_each_capture_is_an_entry_once_and_in_order_and_the_checkpoint_covers_them(company):
    assert captures(company) == [1, 2, 3]
    assert signing.sign_new(LATER) == 1
    assert captures(company) == [1, 2, 3, 4]
    with context.company(company.organization_id):
        assert [entry.hex() for entry in entries()] == [each for _, each in chain_hashes(company.organization_id, 0, 4)]
    newest = queries.newest_checkpoint()
    assert (newest.size, newest.root, newest.signed_at) == (4, root(entries()), LATER)
    checkpoint = keys.checked_checkpoint(newest.note)
    assert (checkpoint.origin, checkpoint.size, checkpoint.root) == (ORIGIN, 4, newest.root)
    assert keys.verifier_keys()[0].startswith(f"{ORIGIN}+")
    assert folder.read(folder.CHECKPOINT) == newest.note


def test_of_a_company_the_log_tells_its_newest_capture_and_the_place_of_each(company):
    other = make_company()
    assert queries.newest_signed_capture(other.organization_id) is None
    signing.sign_new(LATER)
    for of in (company, other):
        number, index = queries.newest_signed_capture(of.organization_id)
        assert number == head(of).capture_sequence
        assert index == queries.leaf_of(of.organization_id, number)
        assert entries()[index].hex() == head(of).chain_hash
    assert queries.leaf_of(company.organization_id, 5) is None
    found = {each.organization_id: (each.capture_sequence, each.entry.hex()) for each in queries.signed_captures()}
    assert found == {of.organization_id: (head(of).capture_sequence, head(of).chain_hash) for of in (company, other)}


def test_a_log_that_does_not_grow_is_not_signed_anew(company):
    signing.sign_new(LATER)
    note = folder.read(folder.CHECKPOINT)
    assert signing.sign_new(LATER) == 0
    assert folder.read(folder.CHECKPOINT) == note


def test_every_checkpoint_begins_with_the_one_before_it(company):
    before = stated()
    signing.sign_new(LATER)
    after = stated()
    proof = queries.consistency(before.size, after.size)
    check_consistency(before.size, after.size, before.root, after.root, proof)


def test_a_capture_writes_nothing_of_the_log(company):
    with CaptureQueriesContext(connection) as found:
        grow(company, "Dora")
    assert not [query["sql"] for query in found if "log_" in query["sql"]]


def test_only_what_is_new_is_recomputed_with_as_many_statements_for_one_capture_as_for_many(company):
    def statements():
        with CaptureQueriesContext(connection) as found:
            signing.sign_new(LATER)
        return len(found)

    first = statements()
    grow(company, *(f"Person {number}" for number in range(12)))
    assert statements() == first
    assert captures(company) == list(range(1, 17))


@pytest.mark.parametrize(("bound", "most", "parts"), [("CAPTURES_A_PART", 2, 3), ("ROWS_A_PART", 3, 2)])
def test_a_long_history_is_signed_in_parts(company, monkeypatch, bound, most, parts):
    monkeypatch.setattr(signing, bound, most)
    signing.sign_new(LATER)
    other, before = make_company(), Checkpoint.objects.count()
    grow(other, *(f"Person {number}" for number in range(5)))
    assert signing.sign_new(LATER) == 6
    assert captures(other) == [1, 2, 3, 4, 5, 6]
    assert Checkpoint.objects.count() - before == parts
    assert verify.verify_log().faults == []


def test_a_forged_capture_is_not_signed_and_closes_its_company_alone(company, caplog):
    other = make_company()
    forge_capture(company)
    with caplog.at_level(logging.CRITICAL):
        closed(company, "The tree of capture 5 is not that of the rows up to its last")
    assert [record.message for record in caplog.records] == ["history_refused"]
    assert captures(other) == [1]
    assert head(other).available


@pytest.mark.parametrize("column", ["captured_at", "next_change_at"])
@pytest.mark.parametrize("moment", ["infinity", "-infinity", "0044-03-15 12:00:00+00 BC", "20000-01-01 00:00:00+00"])
def test_a_head_with_a_moment_without_a_date_closes_its_company_alone_and_is_named(company, caplog, column, moment):
    other = make_company()
    with context.company(company.organization_id):
        sql.execute(
            f"UPDATE history_historyhead SET {column} = %s WHERE organization_id = %s",
            [moment, company.organization_id],
        )
    with caplog.at_level(logging.CRITICAL):
        signing.sign_new(LATER)
    assert [record.message for record in caplog.records] == ["history_refused"]
    assert caplog.records[0].organization_id == str(company.organization_id)
    assert NO_DATE in caplog.records[0].fault
    assert captures(company) == [1, 2, 3]
    assert captures(other) == [1]
    assert head(other).available
    assert not HistoryHead.objects.values_list("available", flat=True).get(organization_id=company.organization_id)
    assert set(heads_of([company.organization_id, other.organization_id], set())) == {
        company.organization_id, other.organization_id,
    }  # fmt: skip
    assert refusals.refusals() == []
    fault = verify_history(company.organization_id)
    assert isinstance(fault, FirstFault)
    assert fault.sentence == NO_DATE


def test_a_forged_row_is_not_signed(company):
    end = head(company)
    with context.company(company.organization_id):
        row = HistoryRow.objects.filter(organization_id=company.organization_id).order_by("sequence").last()
        row.sequence, row.capture_sequence = end.sequence + 1, end.capture_sequence + 1
        row.body = row.body.replace("active", "suspended")
        row.save(force_insert=True)
    forge_capture(company, last_sequence=end.sequence + 1)
    closed(company, "is not what was captured")


def test_a_head_that_names_another_hash_is_not_signed(company):
    HistoryHead.objects.filter(organization_id=company.organization_id).update(chain_hash="e" * 64)
    closed(company, "chain_hash of the head")


def test_a_company_that_was_closed_is_signed_again_once_a_verification_holds(company):
    right = head(company).chain_hash
    HistoryHead.objects.filter(organization_id=company.organization_id).update(chain_hash="e" * 64)
    closed(company, "chain_hash of the head")
    HistoryHead.objects.filter(organization_id=company.organization_id).update(chain_hash=right)
    actions.pass_verification(company.organization_id)
    signing.sign_new(LATER)
    assert captures(company) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"capture_sequence": 2}, "gone backwards: it stands at capture 2, but capture 3 is under a signed checkpoint"),
        ({"capture_sequence": 3, "chain_hash": "e" * 64}, "has forked"),
    ],
)
def test_a_history_that_contradicts_what_was_signed_closes_its_company_and_others_go_on(company, change, sentence):
    other = make_company()
    HistoryHead.objects.filter(organization_id=company.organization_id).update(**change)
    closed(company, sentence)
    assert captures(other) == [1]


def test_waiting_for_a_capture_signs_it_where_the_key_is_and_gives_up_where_nobody_signs(company, settings):
    signing.wait_for(company.organization_id, 4, LATER)
    assert captures(company) == [1, 2, 3, 4]
    settings.CHECKPOINT_VERIFIER_KEYS = keys.verifier_keys()
    settings.CHECKPOINT_KEYS = []
    signing.wait_for(company.organization_id, 4, LATER)
    grow(company, "Dora")
    signing.wait_for(company.organization_id, 5, LATER, patience=0)
    assert queries.leaf_of(company.organization_id, 5) is None


def test_a_process_without_the_key_checks_and_cannot_sign(company, settings):
    settings.CHECKPOINT_VERIFIER_KEYS = keys.verifier_keys()
    settings.CHECKPOINT_KEYS = []
    assert refusals.refusals() == []
    assert verify.verify_log().faults == []
    with pytest.raises(SigningKeyMissingError):
        signing.sign_new(LATER)
    assert captures(company) == [1, 2, 3]


def test_a_newer_key_signs_on_beside_the_older_one(company, settings):
    settings.CHECKPOINT_KEYS = ["a newer key of the test, as long as it must be", KEY]
    signing.sign_new(LATER)
    assert stated().size == 4
    assert refusals.refusals() == []
    settings.CHECKPOINT_KEYS = settings.CHECKPOINT_KEYS[:1]
    assert refusals.refusals() == []
    settings.CHECKPOINT_KEYS = [KEY]
    with pytest.raises(LogFolderError, match="signed by none of our keys"):
        refusals.refusals()


def test_the_origin_is_fixed_when_the_log_begins(company, settings):
    settings.BASE_URL = "https://elsewhere.example.com"
    assert keys.origin() == ORIGIN
    signing.sign_new(LATER)
    assert stated().origin == ORIGIN
    settings.LOG_ORIGIN = "elsewhere.example.com/log"
    grow(company, "Dora")
    for refused in (lambda: signing.sign_new(LATER), refusals.refusals, keys.origin):
        with pytest.raises(OriginChangedError, match=f"the log was begun as {ORIGIN}"):
            refused()
    assert captures(company) == [1, 2, 3, 4]


def test_what_else_is_signed_bears_a_name_below_the_origin_and_is_no_checkpoint(company):
    note = keys.signing_key(purpose="evidence").sign("a text\n")
    assert f"— {ORIGIN}/evidence " in note
    assert keys.checked(note, "evidence").text == "a text\n"
    for purpose in ("", "access-log"):
        with pytest.raises(LogFolderError, match="signed by none of our keys"):
            keys.checked(note, purpose)


def test_the_memory_holds_what_was_published(company):
    signing.sign_new(LATER)
    with folder.locked(), Memory.opened() as memory:
        signed = memory.signed()
        assert (signed.size, signed.size_before, signed.tree.root()) == (4, 3, stated().root)
        assert [leaf.entry for leaf in memory.leaves(0, 9)] == entries()
        known = memory.companies()[company.organization_id]
        assert (known.capture_sequence, known.chain_hash, known.tree_size) == (
            4, head(company).chain_hash, head(company).sequence,
        )  # fmt: skip


def test_a_signer_whose_checkpoint_is_altered_signs_nothing(company, log_folder):
    note = log_folder / folder.CHECKPOINT
    for altered in (note.read_text().replace("\n3\n", "\n2\n"), "nothing", ""):
        note.write_text(altered)
        with pytest.raises(LogFolderError, match=r"signed by none of our keys|malformed"):
            signing.sign_new(LATER)
    assert captures(company) == [1, 2, 3]


def test_a_memory_that_is_damaged_is_refused(company, log_folder):
    (log_folder / folder.MEMORY).write_bytes(b"not SQLite" * 1000)
    with pytest.raises(LogFolderError, match=r"memory\.sqlite3 cannot be used"):
        signing.sign_new(LATER)
    (log_folder / folder.MEMORY).unlink()
    with pytest.raises(LogRefusedError, match="holds nothing of what was signed, though a checkpoint of 3 entries was"):
        signing.sign_new(LATER)
