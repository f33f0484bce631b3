"""The signer goes on from what it recomputed before, and trusts nothing that is stored beside the rows."""

import pytest

from compliance.history.actions import capture_all
from compliance.history.verify import FirstFault, Known, Recomputed, Verified, recompute, verify_history
from compliance.proofs.merkle import CompactRange, leaf_hash, root_of
from tests.companies import NOW, Company, day, make_company
from tests.history.forms import without_tree
from tests.history.reading import captures, rows

NOTHING = Known()


@pytest.fixture
def company(committed):
    """A company of seven captures, a few rows each."""
    company = make_company()
    course = company.course()
    company.share(course, days=30)
    for number in range(6):
        company.join(f"Person {number}", at=day(number))
        capture_all(company.organization_id, NOW)
    return company


def more(company: Company) -> None:
    company.join("Somebody else")
    capture_all(company.organization_id, NOW)


def recomputed(
    company: Company, since: Known = NOTHING, most_captures: int = 10_000, most_rows: int = 250_000
) -> Recomputed:
    found = recompute(company.organization_id, since, most_captures, most_rows)
    assert isinstance(found, Recomputed), found
    return found


def refused(company: Company, since: Known) -> FirstFault:
    found = recompute(company.organization_id, since, 10_000, 250_000)
    assert isinstance(found, FirstFault), found
    return found


@pytest.mark.parametrize(("most", "most_rows"), [(1, 100), (2, 100), (3, 100), (100, 1), (100, 3), (100, 100)])
def test_in_however_many_steps_the_captures_and_the_tree_are_the_same(company, most, most_rows):
    stored = captures(company.organization_id)
    found, known, again = [], Known(), True
    while again:
        step = recomputed(company, known, most, most_rows)
        assert len(step.captures) <= most
        reached = [each.tree_size - known.tree_size for each in step.captures]
        assert all(rows_so_far < most_rows for rows_so_far in reached[:-1])
        found += step.captures
        known, again = step.known, step.more
    assert found == [(each.capture_sequence, each.chain_hash, each.last_sequence) for each in stored]
    assert known[:3] == found[-1]
    leaves = [leaf_hash(bytes(row.row_sha256)) for row in rows(company.organization_id)]
    assert CompactRange.from_bytes(known.tree_size, known.tree_range).root() == root_of(leaves)
    nothing = recomputed(company, known, most, most_rows)
    assert nothing == ([], known, False)


def test_rows_that_are_known_take_part_by_their_range_alone(company, owner):
    known = recomputed(company).known
    owner.execute(
        "UPDATE history_historyrow SET body = 'x' WHERE organization_id = %s AND sequence = 1",
        [company.organization_id],
    )
    more(company)
    found = recomputed(company, known)
    assert [each.capture_sequence for each in found.captures] == [8]
    fault = verify_history(company.organization_id)
    assert isinstance(fault, FirstFault)
    assert fault.sequence == 1


def test_a_tree_that_was_rewritten_below_what_is_known_does_not_lead_to_the_next_root(company, owner):
    known = recomputed(company).known
    forged = CompactRange.from_bytes(known.tree_size, known.tree_range)
    forged.hashes[0] = leaf_hash(b"another past")
    owner.execute(
        "UPDATE history_historyhead SET tree_range = %s WHERE organization_id = %s",
        [forged.to_bytes(), company.organization_id],
    )
    assert refused(company, known).column == "tree_range"
    more(company)
    fault = refused(company, known)
    assert (fault.capture_sequence, fault.column) == (8, "tree_root")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ("UPDATE history_historyrow SET body = replace(body, 'Some', 'None') || ' ' WHERE organization_id = %s"
         " AND sequence = (SELECT max(sequence) FROM history_historyrow WHERE organization_id = %s)", "row"),
        ("DELETE FROM history_historyrow WHERE organization_id = %s"
         " AND sequence = (SELECT max(sequence) FROM history_historyrow WHERE organization_id = %s)", "row"),
        ("UPDATE history_capture SET chain_hash = repeat('a', 64) WHERE organization_id = %s"
         " AND capture_sequence = 8 AND organization_id = %s", "capture"),
        ("UPDATE history_capture SET ledger_head = sha256(ledger_head) WHERE organization_id = %s"
         " AND capture_sequence = 8 AND organization_id = %s", "capture"),
        ("DELETE FROM history_capture WHERE organization_id = %s AND capture_sequence = 8 AND organization_id = %s",
         "capture"),
        ("DELETE FROM pending_seal WHERE organization_id = %s AND first_line ="
         " (SELECT max(first_line) FROM pending_seal WHERE organization_id = %s)", "capture"),
    ],
)  # fmt: skip
def test_a_fault_in_what_is_new_is_given_with_its_place(company, owner, change, place):
    known = recomputed(company).known
    more(company)
    last = rows(company.organization_id)[-1].sequence
    owner.execute(change, [company.organization_id, company.organization_id])
    fault = refused(company, known)
    assert fault.capture_sequence == 8
    if place == "row":
        assert fault.sequence == last


@pytest.mark.parametrize(
    "change",
    [
        {"chain_hash": "b" * 64},
        {"capture_sequence": 6},
        {"tree_size": 1, "tree_range": b"x" * 32},
        {"capture_sequence": 9},
    ],
)
def test_what_is_stored_must_be_what_is_known(company, change):
    known = recomputed(company).known
    fault = refused(company, known._replace(**change))
    assert fault.capture_sequence == change.get("capture_sequence", 7)


def test_a_known_tree_of_other_rows_is_refused(company):
    known = recomputed(company).known
    other = bytes(len(known.tree_range))
    assert refused(company, known._replace(tree_range=other)).sentence == (
        "Capture 7 is not the one that was recomputed before."
    )


def test_a_head_that_went_back_is_refused(company, owner):
    known = recomputed(company).known
    before = captures(company.organization_id)[-2]
    owner.execute(
        "UPDATE history_historyhead SET capture_sequence = %s, chain_hash = %s, sequence = %s"
        " WHERE organization_id = %s",
        [before.capture_sequence, before.chain_hash, before.last_sequence, company.organization_id],
    )
    assert refused(company, known).capture_sequence == before.capture_sequence


def test_captures_from_before_trees_are_recomputed_onto_the_range_too(company, owner):
    without_tree(owner, company.organization_id)
    known = recomputed(company, most_captures=4).known
    more(company)
    found = recomputed(company, known)
    assert [each.capture_sequence for each in found.captures] == [5, 6, 7, 8]
    assert isinstance(verify_history(company.organization_id), Verified)
