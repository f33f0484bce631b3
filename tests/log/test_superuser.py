"""Who detects what a superuser of the database rewrites: the table in docs/verify.md, line by line.

Each attack is made after a log was signed and cosigned. Then everybody checks: the signer before it signs the next
captures, `verify_history` with its comparison with the log, a start of web or worker, a witness, and somebody who kept
an earlier proof.
"""

import base64
import json
import shutil
from pathlib import Path

import pytest
from django.db import connection

from compliance.catalogue import REGISTERS
from compliance.facts.identities import identity_behind
from compliance.history import captures as history_captures
from compliance.history import tree
from compliance.history.projections import stored_identity
from compliance.history.text import instant
from compliance.history.verify import FirstFault, verify_history
from compliance.log import folder, keys, queries, refusals, signing, verify
from compliance.log.models import Checkpoint, Leaf, Tile
from compliance.proofs.errors import LogForked, TreeProofRefused
from compliance.proofs.history import tree_capture_digest
from compliance.proofs.witness_memory import WitnessMemory
from compliance.proofs.witness_request import CheckpointRequest
from compliance.proofs.witnessing import Witness
from compliance.tenancy import context
from tests.companies import NOW, Company, make_company
from tests.log.deployment import LATER, grow, head, stated
from tests.log.forger import ROWS, Forger
from tests.proofs.second_log import Refused, Trust, consistent
from tests.proofs.second_verifier import check_proof

NOBODY: dict[str, str] = {}


class Auditor:
    """Somebody outside, who runs a witness and has kept a proof of a row of each company."""

    def __init__(self, place: Path) -> None:
        self.witness = Witness(WitnessMemory(place, "auditor.example/w"), keys.verifier_keys())
        self.size = 0
        self.kept: dict[int, bytes] = {}
        self.checkpoint = stated()
        self.cosign()

    def cosign(self) -> None:
        """Cosign the newest published checkpoint, with the consistency proof from the log's tiles."""
        newest = queries.newest_checkpoint()
        proof = queries.consistency(self.size, newest.size) if self.size <= newest.size else []
        self.witness.add_checkpoint(CheckpointRequest(self.size, tuple(proof), newest.note), 1_800_000_000)
        self.size = newest.size

    def keep(self, company: Company, sequence: int) -> None:
        self.kept[sequence] = proof_of(company, sequence)

    def refuses(self) -> str | None:
        """The witness's reason to refuse the newest checkpoint; None when it cosigns it."""
        try:
            self.cosign()
        except (LogForked, TreeProofRefused) as fault:
            return str(fault)
        return None


def proof_of(company: Company, sequence: int) -> bytes:
    """The proof of a row, as `/proof/v1` makes it: from the tables, under the newest checkpoint."""
    organization_id = company.organization_id
    capture, index = queries.newest_signed_capture(organization_id)
    newest = queries.newest_checkpoint()
    with context.company(organization_id):
        lines = history_captures.capture_lines(organization_id, capture)
        size = int(lines["tree_size"])
        path = tree.inclusion(organization_id, sequence, size)
        chain_hash = tree_capture_digest(lines)
        row = stored_row(organization_id, sequence)
        committed = stored_identity(row["content"]) if row["register"] in ("people", "certificates") else None
        behind = identity_behind(organization_id, committed) if committed else None
    return json.dumps(
        ({"identity": behind._asdict()} if behind else {})
        | {
            "format": "svc.proof/1",
            "row": row,
            "tree": {"size": size, "index": sequence - 1, "path": [base64.b64encode(each).decode() for each in path]},
            "capture": {**lines, "chain_hash": chain_hash},
            "log": {
                "size": newest.size,
                "index": index,
                "path": [base64.b64encode(each).decode() for each in queries.inclusion(index, newest.size)],
                "checkpoint": newest.note,
            },
        }
    ).encode()


def stored_row(organization_id, sequence):
    with connection.cursor() as cursor:
        cursor.execute(ROWS, [organization_id])
        names = [column.name for column in cursor.description]
        found = dict(zip(names, cursor.fetchall()[sequence - 1], strict=True))
    return {
        "organization_id": str(organization_id),
        "sequence": sequence,
        "register": REGISTERS[found["register"]].name,
        "record_id": str(found["record_id"]),
        "valid_from": instant(found["valid_from"]),
        "recorded_at": instant(found["recorded_at"]),
        "cause": found["cause"],
        "logic_version": found["logic_version"],
        "content": found["body"],
    }


def trust() -> Trust:
    return Trust(keys.verifier_keys()[0])


def findings(company: Company, auditor: Auditor) -> dict[str, str]:
    """What each of them finds of the attack; those who find nothing are left out."""
    found: dict[str, str] = {}
    fault = verify_history(company.organization_id)
    faults = [fault.sentence] if isinstance(fault, FirstFault) else []
    faults += verify.verify_company(company.organization_id).faults + verify.verify_log().faults
    if faults:
        found["verify_history"] = "; ".join(faults)
    if at_start := refusals.refusals():
        found["start-up"] = "; ".join(each.sentence for each in at_start)
    before = queries.size()
    signing.sign_new(LATER)
    if not head(company).available:
        found["signer"] = head(company).unavailable_reason
        assert queries.size() == before
    if (sentence := auditor.refuses()) is not None:
        found["witness"] = sentence
    if (sentence := older_proofs(company, auditor)) is not None:
        found["older proof"] = sentence
    return found


def older_proofs(company: Company, auditor: Auditor) -> str | None:
    """What somebody with an earlier proof finds: it is valid, but the service now proves another history or none."""
    for sequence, kept in auditor.kept.items():
        row = check_proof(kept, trust())
        newest = queries.newest_checkpoint()
        older = auditor.checkpoint
        grown = older.size <= newest.size and consistent(
            older.size, newest.size, older.root, newest.root, queries.consistency(older.size, newest.size)
        )
        if not grown:
            return "the log does not continue the one of the older proof"
        now = proof_of(company, sequence)
        try:
            check_proof(now, trust())
        except Refused as fault:
            return f"no proof of the row can be made: {fault}"
        if json.loads(now)["row"] != row:
            return "another text is proved"
    return None


@pytest.fixture
def company(superuser) -> Company:
    company = make_company()
    grow(company, "Anna", "Boris", "Chloe")
    signing.sign_new(NOW)
    return company


@pytest.fixture
def auditor(company, tmp_path) -> Auditor:
    auditor = Auditor(tmp_path / "witness")
    for sequence in (1, head(company).sequence):
        auditor.keep(company, sequence)
    return auditor


@pytest.fixture
def forger(company, superuser) -> Forger:
    return Forger(superuser, company.organization_id)


def active_to_suspended(body: str) -> str:
    return body.replace('"active"', '"suspended"')


def test_untouched_nobody_finds_anything(company, auditor):
    grow(company, "Dora")
    assert findings(company, auditor) == NOBODY


def test_a_signed_row_with_its_digest(company, auditor, forger):
    forger.rewrite_row(1, active_to_suspended)
    found = findings(company, auditor)
    assert set(found) == {"verify_history", "older proof"}
    assert "no proof of the row can be made" in found["older proof"]


def test_what_the_signer_signs_after_a_signed_row_was_rewritten_still_holds_the_row_as_it_was(company, auditor, forger):
    forger.rewrite_row(1, active_to_suspended)
    grow(company, "Dora")
    assert signing.sign_new(LATER) == 1
    kept = json.loads(auditor.kept[1])
    with context.company(company.organization_id):
        lines = history_captures.capture_lines(company.organization_id, head(company).capture_sequence)
    forger.rewrite_row(1, lambda _: kept["row"]["content"])
    assert json.loads(proof_of(company, 1))["capture"]["tree_root"] == lines["tree_root"]
    check_proof(proof_of(company, 1), trust())


def test_a_row_that_is_not_signed_yet_with_its_digest(company, auditor, forger):
    grow(company, "Dora")
    forger.rewrite_row(head(company).sequence, active_to_suspended)
    found = findings(company, auditor)
    assert set(found) == {"signer", "verify_history"}


def test_a_signed_row_and_its_capture(company, auditor, forger):
    forger.rewrite_row(head(company).sequence, active_to_suspended)
    forger.rewrite_captures(head(company).capture_sequence)
    found = findings(company, auditor)
    assert set(found) == {"signer", "verify_history", "start-up", "older proof"}
    assert "forked" in found["signer"]


def test_a_row_and_its_capture_before_the_signer_saw_them_are_found_by_nobody(company, auditor, forger):
    grow(company, "Dora")
    forger.rewrite_row(head(company).sequence, active_to_suspended)
    forger.rewrite_captures(head(company).capture_sequence)
    assert findings(company, auditor) == NOBODY


def test_the_whole_company_from_row_1_on(company, auditor, forger):
    forger.rewrite_row(1, active_to_suspended)
    forger.rewrite_captures()
    found = findings(company, auditor)
    assert set(found) == {"signer", "verify_history", "start-up", "older proof"}


def test_the_whole_company_and_its_entries_in_the_published_log(company, auditor, forger):
    forger.rewrite_row(1, active_to_suspended)
    forger.rewrite_captures()
    forger.rewrite_entries()
    found = findings(company, auditor)
    assert {"signer", "verify_history", "start-up", "older proof"} <= set(found)


def test_names_exchanged_between_two_people_where_proofs_take_them_from(company, auditor, forger):
    forger.exchange("people_identity", "subject_id", ["person_name", "work_email", "salt"])
    found = findings(company, auditor)
    assert set(found) == {"verify_history", "older proof"}
    assert "no proof of the row can be made: identity" in found["older proof"]


def test_names_exchanged_between_two_people_where_readers_see_them(company, auditor, forger):
    forger.exchange("people_profile", "learner_profile_id", ["person_name", "work_email"])
    assert set(findings(company, auditor)) == {"verify_history"}
    assert json.loads(auditor.kept[1])["identity"] == json.loads(proof_of(company, 1))["identity"]


def test_the_whole_company_by_who_holds_the_key_as_well_and_begins_the_log_anew(company, auditor, forger, log_folder):
    forger.rewrite_row(1, active_to_suspended)
    forger.rewrite_captures()
    shutil.rmtree(log_folder)
    for model in (Leaf, Tile, Checkpoint):
        forger.connection.execute(f"TRUNCATE {model._meta.db_table}")
    signing.sign_new(LATER)
    assert refusals.refusals() == []
    check_proof(proof_of(company, 1), trust())
    found = findings(company, auditor)
    assert set(found) == {"witness", "older proof"}
    grow(company, "Dora", "Egon")
    assert set(findings(company, auditor)) == {"witness", "older proof"}
    assert folder.read(folder.CHECKPOINT) is not None
