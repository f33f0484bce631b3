"""A company's tree covers all rows of its history in every capture, and a proof reads only a small part of it."""

import hashlib
import random
import uuid
from contextlib import suppress
from importlib import import_module
from itertools import filterfalse
from types import SimpleNamespace

import pytest
from django.db import connections
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compliance.facts.errors import FactsError
from compliance.facts.ledger import sealing
from compliance.history import tree
from compliance.history.actions import capture, capture_all
from compliance.history.captures import capture_lines
from compliance.history.errors import MissingRowError, NoTreeError
from compliance.history.models import HistoryHead, Subtree
from compliance.history.tree import KeptRoot
from compliance.history.verify import FirstFault, Verified, verify_history
from compliance.proofs.errors import TreeProofRefused
from compliance.proofs.history import tree_capture_digest
from compliance.proofs.merkle import CompactRange, leaf_hash, root_from_inclusion
from compliance.tenancy import context
from tests.companies import NOW, day, make_company
from tests.history.forms import without_tree
from tests.history.reading import captures, rows

MANY = 70_000
"""So many rows that subtrees of two kept heights are complete."""


def defined(leaves: list[bytes]) -> bytes:
    """The hash of a tree as RFC 6962 section 2.1 defines it, over the leaves' contents."""
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return hashlib.sha256(b"\x01" + defined(leaves[:split]) + defined(leaves[split:])).digest()


def digests_of(organization_id: uuid.UUID) -> list[bytes]:
    return [bytes(row.row_sha256) for row in rows(organization_id)]


LATE = st.lists(
    st.tuples(
        st.sampled_from(["complete", "leave", "join"]), st.integers(0, 5), st.integers(0, 2), st.integers(1, 400)
    ),
    min_size=1, max_size=6,
)  # fmt: skip


@pytest.mark.django_db
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(facts=LATE)
def test_the_root_of_every_capture_is_that_of_the_rows_up_to_its_last_however_late_facts_come(facts):
    company = make_company()
    organization_id = company.organization_id
    people = [company.join(f"Person {number}") for number in range(6)]
    courses = [company.course(f"Course {number}") for number in range(3)]
    for course in courses:
        company.share(course, days=30)
    capture_all(organization_id, NOW)
    for number, (kind, who, what, when) in enumerate(facts):
        with suppress(FactsError):  # for example somebody who left before they joined
            if kind == "complete":
                company.complete(people[who], courses[what], day(when))
            elif kind == "join":
                company.join(f"Late {number}", at=day(when))
            else:
                company.leave(people[who], at=day(when))
                people[who] = company.join(f"After {number}", at=day(when))
        capture(organization_id, NOW)
    stored = digests_of(organization_id)
    with context.company(organization_id):
        for each in captures(organization_id):
            lines = capture_lines(organization_id, each.capture_sequence)
            assert lines["tree_size"] == str(each.last_sequence)
            assert lines["tree_root"] == defined(stored[: each.last_sequence]).hex()
            assert tree_capture_digest(lines) == each.chain_hash
            assert each.rows_sha256 is None
            for sequence in {1, each.first_sequence, each.last_sequence} & set(range(1, each.last_sequence + 1)):
                path = tree.inclusion(organization_id, sequence, each.last_sequence)
                leaf = leaf_hash(stored[sequence - 1])
                root = root_from_inclusion(leaf, sequence - 1, each.last_sequence, path)
                assert root.hex() == lines["tree_root"]
        assert bytes(each.ledger_head) == sealing.head(organization_id)
    assert isinstance(verify_history(organization_id), Verified)


@pytest.mark.django_db
def test_a_capture_states_where_the_ledger_stood(now):
    company = make_company()
    company.join("Anna")
    capture_all(company.organization_id, now)
    first, second = captures(company.organization_id)
    assert bytes(first.ledger_head) == bytes(32)
    with context.company(company.organization_id):
        lines = list(sealing.digests_after(company.organization_id, bytes(32)))
        assert bytes(second.ledger_head) == lines[-1] == sealing.head(company.organization_id)
        assert list(sealing.digests_after(company.organization_id, lines[0])) == lines[1:]
        assert list(sealing.digests_after(company.organization_id, b"x" * 32)) == []


@pytest.mark.django_db
def test_the_lines_of_a_capture_that_has_none_are_refused():
    company = make_company()
    with context.company(company.organization_id):
        assert capture_lines(company.organization_id, 1)["first_sequence"] == ""
        with pytest.raises(NoTreeError):
            capture_lines(company.organization_id, 2)


def fill(organization_id: uuid.UUID, count: int) -> list[bytes]:
    """Stores rows without content; returns their digests. The head counts them, and no tree covers them yet."""
    with context.company(organization_id):
        connections["default"].cursor().execute(
            "INSERT INTO history_historyrow (organization_id, sequence, register, birth, capture_sequence, valid_from,"
            " recorded_at, cause, logic_version, body, row_sha256)"
            " SELECT %s, n, 1, n, 2, now(), now(), 'first', 1, '', sha256(n::text::bytea)"
            " FROM generate_series(1, %s) n RETURNING NULL",
            [organization_id, count],
        )
    HistoryHead.objects.filter(organization_id=organization_id).update(sequence=count)
    return [hashlib.sha256(str(number).encode()).digest() for number in range(1, count + 1)]


def kept(organization_id: uuid.UUID) -> dict[tuple[int, int], bytes]:
    with context.company(organization_id):
        stored = Subtree.objects.filter(organization_id=organization_id)
        return {(each.height, each.index): bytes(each.root) for each in stored}


def all_kept(leaves: int) -> set[tuple[int, int]]:
    """The places of all complete subtrees of 16, 256, 4,096, ... rows."""
    return {(height, index) for height in range(4, 64, 4) for index in range(leaves >> height)}


def small(root: KeptRoot) -> bool:
    """Whether the previous release did not keep this root."""
    return root[0] % 8 != 0


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("missing", "statements"),
    [
        (lambda root: False, 1),
        (lambda root: small(root) and root[1] // 3 in (0, 7, 60, 200), 2),
        (lambda root: small(root) and root[1] > 100, 2),
        (small, 2),
    ],
    ids=["none is missing", "some", "those of the last rows", "all that the release before did not keep"],
)
def test_a_path_takes_the_same_statements_at_any_size(django_assert_max_num_queries, missing, statements):
    organization_id = make_company().organization_id
    digests = fill(organization_id, MANY)
    chance = random.Random(7)
    with context.company(organization_id):
        tree.keep(organization_id, filterfalse(missing, tree.grow(CompactRange(), digests)))
        for size in (1, 2, 15, 16, 17, 255, 256, 257, 65_535, 65_536, 65_537, MANY, chance.randrange(3, MANY)):
            root = defined(digests[:size])
            for sequence in {1, size, (size + 1) // 2, chance.randint(1, size)}:
                with django_assert_max_num_queries(statements):
                    path = tree.inclusion(organization_id, sequence, size)
                assert root_from_inclusion(leaf_hash(digests[sequence - 1]), sequence - 1, size, path) == root
        for sequence, size in ((0, 5), (6, 5)):
            with pytest.raises(TreeProofRefused):
                tree.inclusion(organization_id, sequence, size)
        with pytest.raises(MissingRowError):
            tree.inclusion(organization_id, 1, MANY + 1000)


@pytest.mark.django_db
def test_roots_of_all_subtrees_of_every_fourth_height_are_kept():
    organization_id = make_company().organization_id
    digests = [bytes([number % 256]) * 32 for number in range(MANY)]
    with context.company(organization_id):
        tree.keep(organization_id, tree.grow(CompactRange(), digests))
    assert set(kept(organization_id)) == all_kept(MANY)


MIGRATION = import_module("compliance.history.migrations.0010_trees_of_stored_rows")
SMALLER = import_module("compliance.history.migrations.0013_smaller_subtrees")


def migrate() -> None:
    MIGRATION.build_trees(None, SimpleNamespace(connection=connections["owner"]))


def keep_smaller() -> None:
    SMALLER.keep_smaller(None, SimpleNamespace(connection=connections["owner"]))


def test_the_migration_keeps_the_roots_that_the_release_before_did_not_and_may_be_run_again(committed):
    whole = {}
    for count in (5000, 40):
        organization_id = make_company().organization_id
        roots = list(tree.grow(covered := CompactRange(), fill(organization_id, count)))
        with context.company(organization_id):
            tree.keep(organization_id, filterfalse(small, roots))
        HistoryHead.objects.filter(organization_id=organization_id).update(
            tree_size=count, tree_range=covered.to_bytes()
        )
        whole[organization_id] = {(height, index): root for height, index, root in roots}
    for _ in range(2):
        keep_smaller()
        assert {each: kept(each) for each in whole} == whole


@pytest.mark.one_server("Citus tells no node of a setting that set_config makes; this migration is older than clusters")
def test_the_migration_builds_the_trees_of_what_is_stored_and_goes_on_where_it_ended(committed):
    organization_id = make_company().organization_id
    digests = fill(organization_id, MANY)
    begun, whole = CompactRange(), CompactRange()
    roots = {(height, index): root for height, index, root in filterfalse(small, tree.grow(whole, digests))}
    with context.company(organization_id):  # the migration was interrupted after the first thousand rows
        tree.keep(organization_id, filterfalse(small, tree.grow(begun, digests[:1000])))
    HistoryHead.objects.filter(organization_id=organization_id).update(tree_size=1000, tree_range=begun.to_bytes())
    migrate()
    head = HistoryHead.objects.get(organization_id=organization_id)
    assert (head.tree_size, bytes(head.tree_range)) == (MANY, whole.to_bytes())
    assert kept(organization_id) == roots
    migrate()
    assert kept(organization_id) == roots


def test_what_the_tree_does_not_cover_yet_is_left_to_the_next_capture(committed):
    organization_id = make_company().organization_id
    digests = fill(organization_id, 100)
    covered = CompactRange()
    with context.company(organization_id):
        tree.keep(organization_id, tree.grow(covered, digests[:50]))
    HistoryHead.objects.filter(organization_id=organization_id).update(tree_size=50, tree_range=covered.to_bytes())
    keep_smaller()
    assert set(kept(organization_id)) == all_kept(50)
    with context.company(organization_id):
        tree.keep(organization_id, tree.grow(covered, digests[50:]))
    assert set(kept(organization_id)) == all_kept(100)


def test_the_migration_refuses_a_history_that_lacks_rows(committed):
    organization_id = make_company().organization_id
    fill(organization_id, 10)
    HistoryHead.objects.filter(organization_id=organization_id).update(sequence=12)
    with pytest.raises(ValueError, match="lacks rows before 12"):
        migrate()
    assert HistoryHead.objects.get(organization_id=organization_id).tree_size == 0


@pytest.mark.parametrize("migrated", [True, False], ids=["migrated", "captured by the old release meanwhile"])
def test_the_first_capture_with_a_tree_covers_the_rows_of_all_captures_before(owner, migrated):
    company = make_company()
    organization_id = company.organization_id
    course = company.course()
    people = [company.join(f"Person {number}") for number in range(140)]
    company.share(course, days=30)
    capture_all(organization_id, NOW)
    without_tree(owner, organization_id)
    assert isinstance(verify_history(organization_id), Verified)
    if migrated:
        migrate()
        assert isinstance(verify_history(organization_id), Verified)
        keep_smaller()
        assert isinstance(verify_history(organization_id), Verified)
    company.complete(people[0], course, day(20))
    capture_all(organization_id, NOW)
    before, last = captures(organization_id)[-2:]
    assert before.tree_root is None
    assert before.rows_sha256 is not None
    stored = digests_of(organization_id)
    assert len(stored) > 256
    assert bytes(last.tree_root) == defined(stored)
    assert kept(organization_id) == {
        (height, index): defined(stored[index << height : index + 1 << height])
        for height, index in all_kept(len(stored))
    }
    with context.company(organization_id), pytest.raises(NoTreeError):
        capture_lines(organization_id, before.capture_sequence)
    assert isinstance(verify_history(organization_id), Verified)


KEPT_COLUMNS = "organization_id, height, index, root"
OF_8, OF_4 = (f"WHERE organization_id = %s AND height = {height} AND index =" for height in (8, 4))
ALTERED = {
    "root": f"UPDATE history_subtree SET root = sha256(root) {OF_8} 1",
    "missing": f"DELETE FROM history_subtree {OF_8} 0",
    "beyond": f"INSERT INTO history_subtree ({KEPT_COLUMNS}) SELECT organization_id, height, 90, root"
    f" FROM history_subtree {OF_8} 0 RETURNING NULL",
    "beyond, small": f"INSERT INTO history_subtree ({KEPT_COLUMNS}) SELECT organization_id, height, 90, root"
    f" FROM history_subtree {OF_4} 0 RETURNING NULL",
    "of no kept height": f"INSERT INTO history_subtree ({KEPT_COLUMNS}) SELECT organization_id, 6, 0, root"
    f" FROM history_subtree {OF_4} 0 RETURNING NULL",
    "height": f"UPDATE history_subtree SET height = 7 {OF_8} 1",
    "small root": f"UPDATE history_subtree SET root = sha256(root) {OF_4} 1",
    "place": f"UPDATE history_subtree SET index = 3 {OF_4} 2",
}
FOUND = {
    "root": "The stored subtree of the rows 257 to 512 is not theirs.",
    "missing": "The stored subtree of the rows 1 to 256 is not theirs.",
    "beyond": "Subtrees of height 8 are stored for rows that are not.",
    "beyond, small": "Subtrees of height 4 are stored for rows that are not.",
    "of no kept height": "Subtrees of height 6 are stored for rows that are not.",
    "height": "The stored subtree of the rows 257 to 512 is not theirs.",
    "small root": "The stored subtree of the rows 17 to 32 is not theirs.",
    "place": "The stored subtree of the rows 49 to 64 is not theirs.",
}


def two_subtrees() -> uuid.UUID:
    """A company whose tree has two subtrees of 256 rows."""
    company = make_company()
    company.share(company.course(), days=30)
    for number in range(280):
        company.join(f"Person {number}")
    capture_all(company.organization_id, NOW)
    assert isinstance(verify_history(company.organization_id), Verified)
    assert {place for place in kept(company.organization_id) if place[0] == 8} == {(8, 0), (8, 1)}
    return company.organization_id


@pytest.mark.parametrize("what", ALTERED)
def test_whoever_alters_the_stored_subtrees_is_found_with_the_rows_they_are_of(owner, what):
    organization_id = two_subtrees()
    if what == "place":  # where the other is kept, the key refuses it
        owner.execute(f"DELETE FROM history_subtree {OF_4} 3", [organization_id])
    owner.execute(ALTERED[what], [organization_id])
    fault = verify_history(organization_id)
    assert isinstance(fault, FirstFault)
    assert fault.sentence == FOUND[what]


@pytest.mark.parametrize("gone", ["true", "index < 3", "index = 5", "index > 20"])
def test_a_history_holds_without_the_roots_that_the_release_before_did_not_keep(owner, gone):
    organization_id = two_subtrees()
    owner.execute(
        f"DELETE FROM history_subtree WHERE organization_id = %s AND height = 4 AND {gone}", [organization_id]
    )
    assert isinstance(verify_history(organization_id), Verified)
