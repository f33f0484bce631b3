"""The ledger keeps the origin of each fact, and a chain over all of it: verification names an altered line."""

import threading
import uuid
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F

from compliance.facts.ledger import sealing
from compliance.facts.ledger.models import Fact, LedgerHead, Origin, Seal, Unsealed
from compliance.facts.ledger.sealing import verify_ledger
from compliance.facts.people.erasing import erase_person
from compliance.facts.recording import Channel, Teller, telling
from compliance.history import actions
from compliance.proofs.digests import ZERO_DIGEST
from compliance.proofs.instants import hashed_instant
from compliance.proofs.ledger import line_hasher
from compliance.tenancy import context
from tests.companies import NOW, make_company
from tests.verbs import create_team


@pytest.fixture
def company(committed):
    """A company with facts from three origins, sealed by two captures."""
    company = make_company()
    anna = company.join("Anna")
    company.share(company.course())
    actions.capture_all(company.organization_id, NOW)
    ada = Teller(Channel.CONSOLE, actor_id=uuid.uuid4(), confirmed_by=uuid.uuid4())
    with telling(ada):
        create_team(organization_id=company.organization_id, name="Sales", at=NOW)
    with telling(Teller(Channel.COMMAND, "erase")):
        erase_person(organization_id=company.organization_id, learner_profile_id=anna.learner_profile_id, at=NOW)
    actions.capture_all(company.organization_id, NOW)
    return company


def ledger(company):
    with context.company(company.organization_id):
        lines = list(Fact.objects.order_by("id"))
        return lines, {origin.pk: origin for origin in Origin.objects.all()}, LedgerHead.objects.get()


def test_each_fact_keeps_by_which_way_it_came_and_who_told_it(company):
    lines, origins, head = ledger(company)
    team, erased = lines[-2], lines[-1]
    assert (origins[team.origin].channel, team.kind) == ("console", "team_created")
    assert origins[team.origin].actor_id == team.actor_id
    assert origins[team.origin].confirmed_by is not None
    assert (origins[erased.origin].channel, origins[erased.origin].name) == ("command", "erase")
    assert {origins[line.origin].channel for line in lines[:-2]} == {"program"}
    assert head.lines == len(lines)
    assert verify_ledger(company.organization_id) == (len(lines), 0, "")


def test_who_told_it_does_not_make_a_repetition_another_fact(company):
    lines, _, _ = ledger(company)
    assert len({bytes(line.digest) for line in lines}) == len(lines)
    assert len({line.fact_id for line in lines}) == len(lines)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE pending_fact SET kind = 'team_left' WHERE id = %(id)s",
        "UPDATE pending_fact SET at = '2020-02-29T12:00:00Z' WHERE id = %(id)s",
        "UPDATE pending_fact SET recorded_at = '2020-02-29T12:00:00Z' WHERE id = %(id)s",
        "UPDATE pending_fact SET at = 'infinity' WHERE id = %(id)s",
        "UPDATE pending_fact SET recorded_at = '-infinity' WHERE id = %(id)s",
        "UPDATE pending_fact SET digest = sha256('other') WHERE id = %(id)s",
        "UPDATE pending_fact SET actor_id = '00000000-0000-4000-8000-000000000001' WHERE id = %(id)s",
        "UPDATE pending_fact SET about = '00000000-0000-4000-8000-000000000001' WHERE id = %(id)s",
        "UPDATE pending_fact SET fact_id = '00000000-0000-4000-8000-000000000001' WHERE id = %(id)s",
        "UPDATE pending_fact SET origin = 0 WHERE id = %(id)s",
        "UPDATE pending_origin SET channel = 'learner' WHERE id = %(origin)s",
        "UPDATE pending_origin SET name = 'other' WHERE id = %(origin)s",
        "UPDATE pending_origin SET confirmed_by = NULL WHERE id = %(origin)s",
        "DELETE FROM pending_origin WHERE id = %(origin)s",
        "DELETE FROM pending_fact WHERE id = %(id)s",
    ],
)
def test_whatever_is_altered_of_a_line_is_named_by_its_line(company, owner, change):
    lines, _, _ = ledger(company)
    line = lines[-2]
    owner.execute(change, {"id": line.pk, "origin": line.origin})
    found = verify_ledger(company.organization_id)
    assert found.fault.startswith(f"Line {len(lines) - 1} of the ledger")
    with pytest.raises(CommandError):
        call_command("verify_history", "--organization", str(company.organization_id))


@pytest.mark.parametrize(
    "change, said",
    [
        ("DELETE FROM pending_seal WHERE organization_id = %s", "Line 1 of the ledger is missing"),
        ("UPDATE pending_seal SET digests = '' WHERE organization_id = %s", "Line 1 of the ledger"),
        ("UPDATE pending_ledgerhead SET head = repeat('0', 64) WHERE organization_id = %s", "The head of the ledger"),
        ("DELETE FROM pending_ledgerhead WHERE organization_id = %s", "The ledger has seals and no head."),
        (
            "INSERT INTO pending_fact (organization_id, fact_id, kind, at, recorded_at, digest, origin)"
            " SELECT organization_id, gen_random_uuid(), kind, at, recorded_at, digest, origin FROM pending_fact"
            " WHERE organization_id = %s LIMIT 1",
            "facts, of which",
        ),
    ],
)
def test_what_is_put_in_or_cut_off_by_hand_is_found(company, owner, change, said):
    owner.execute(change, [company.organization_id])
    assert said in verify_ledger(company.organization_id).fault


def test_nothing_of_the_ledger_is_changed_by_the_application(company):
    for model in (Fact, Origin, Seal):
        mine = model.objects.filter(organization_id=company.organization_id)
        for change in (mine.delete, lambda mine=mine: mine.update(id=F("id") + 1_000_000)):
            with context.company(company.organization_id), pytest.raises(Exception, match=r"append-only|permission"):
                change()


def test_the_line_names_nobody(company):
    _, origins, _ = ledger(company)
    with context.company(company.organization_id):
        rows = [str(row) for model in (Fact, Origin, Seal) for row in model.objects.values()]
    assert not [row for row in rows if "Anna" in row or "example.org" in row]
    assert origins


def test_a_large_origin_is_sealed_in_turns_and_holds(committed, monkeypatch):
    monkeypatch.setattr(sealing, "SEALED_AT_ONCE", 3)
    monkeypatch.setattr(sealing, "LINES_IN_A_SEAL", 2)
    company = make_company()
    for number in range(4):
        company.join(f"Person {number}")
    company.share(company.course())
    actions.capture_all(company.organization_id, NOW)
    lines, _, head = ledger(company)
    assert head.lines == len(lines)
    assert verify_ledger(company.organization_id) == (len(lines), 0, "")
    with context.company(company.organization_id):
        assert not Unsealed.objects.exists()


def test_what_commits_late_is_sealed_later_and_the_recorders_do_not_wait(committed):
    """An import is still open while others record and capture: its earlier row ids are chained after theirs."""
    company = make_company()
    begun, captured = threading.Event(), threading.Event()

    def slow():
        try:
            with context.company(company.organization_id):
                create_team(organization_id=company.organization_id, name="Slow", at=NOW)
                begun.set()
                assert captured.wait(30)
        finally:
            connection.close()

    thread = threading.Thread(target=slow)
    thread.start()
    assert begun.wait(30)
    create_team(organization_id=company.organization_id, name="Quick", at=NOW)
    actions.sweep_company(company.organization_id, NOW)
    lines, _, head = ledger(company)
    assert (len(lines), head.lines) == (1, 1)
    captured.set()
    thread.join(30)
    actions.sweep_company(company.organization_id, NOW + timedelta(minutes=1))
    lines, _, head = ledger(company)
    assert (len(lines), head.lines) == (2, 2)
    with context.company(company.organization_id):
        order = [row for seal in Seal.objects.order_by("first_line") for row in seal.facts]
    assert order == sorted(order, reverse=True)
    assert verify_ledger(company.organization_id).fault == ""


def test_facts_from_before_the_chain_are_sealed_by_the_next_capture(committed, owner):
    company = make_company()
    company.join("Anna")
    for table in ("pending_origin", "pending_unsealed"):
        owner.execute(f"DELETE FROM {table} WHERE organization_id = %s", [company.organization_id])
    owner.execute("UPDATE pending_fact SET origin = 0 WHERE organization_id = %s", [company.organization_id])
    owner.execute(
        "INSERT INTO pending_unsealed (organization_id, origin, after) VALUES (%s, 0, 0)", [company.organization_id]
    )
    actions.capture_all(company.organization_id, NOW)
    found = verify_ledger(company.organization_id)
    assert (found.unsealed, found.fault) == (0, "")
    assert found.lines > 0


def test_an_empty_ledger_holds(committed):
    company = make_company()
    assert verify_ledger(company.organization_id) == (0, 0, "")
    assert ZERO_DIGEST == "0" * 64


def test_a_sealed_line_is_what_the_document_says(company):
    lines, origins, _ = ledger(company)
    with context.company(company.organization_id):
        seal = Seal.objects.order_by("first_line").first()
    first = next(line for line in lines if line.pk == seal.facts[0])
    expected = line_hasher(str(company.organization_id))(
        "1", ZERO_DIGEST, str(first.fact_id), first.kind, hashed_instant(first.at), hashed_instant(first.recorded_at),
        bytes(first.digest).hex(), str(first.about or ""), origins[first.origin].channel, origins[first.origin].name,
        str(first.actor_id or ""), str(origins[first.origin].confirmed_by or ""),
    )  # fmt: skip
    assert bytes(seal.digests[:32]) == expected
