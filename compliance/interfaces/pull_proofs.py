"""Proofs of a sample of the rows that were pulled, kept beside them.

A kept proof can show later what the history held, and reveals a history that was rewritten meanwhile. The rows are
chosen at random at each pull, so that nobody can know which rows may be changed unnoticed.
"""

import json
import random
from collections.abc import Callable, Iterator

from compliance.catalogue.declaration import Register
from compliance.interfaces.pull_service import FaultError, PullError, Service
from compliance.interfaces.pulled import REGISTERS, Folder, Json
from compliance.proofs.errors import NotAPage
from compliance.proofs.findings import Report
from compliance.proofs.log_trust import LogTrust
from compliance.proofs.row_proof import RowProof, parse_row_proof
from compliance.proofs.row_verifier import verify_row_proof

_BY_CLOCK = {"access_state"}
"""Fields of stored texts that the clock may change when a row is read, besides those that the catalogue marks so."""


def prove(service: Service, folder: Folder, number: int, trust: LogTrust, say: Callable[[str], None]) -> None:
    """Fetch and keep the proofs of `number` random rows of the last pull; fewer where there are fewer.

    Each is verified and compared with the row as it was pulled. Raises FaultError for a wrong one, and PullError.
    """
    state = folder.state
    kept = moved = 0
    report = Report()
    for register, row in _sample(folder, number):
        identity = str(row[register.identity])
        try:
            content = service.answer(f"/proof/v1/{register.name}/{identity}", _moment(register, state))
        except PullError as error:
            if error.code != "not_found":
                raise
            moved += 1  # a fact recorded since the pull removed the row
            continue
        proof = _read(register, identity, content, state, trust, report)
        folder.keep_proof(f"{register.name}-{identity}-{proof.row.sequence}", content)
        kept += 1
        if proof.row.sequence > state["sequence"]:
            moved += 1
        else:
            _compare(register, row, proof)
    _fail(report)
    signed = "" if trust.log_key else " Nobody's signature was checked: that takes --log-key."
    say(f"Kept {kept} proofs; {moved} of the rows asked about have changed since the pull.{signed}")


def _sample(folder: Folder, number: int) -> Iterator[tuple[Register, Json]]:
    counts: dict[str, int] = folder.state["rows"]
    places = sorted(random.SystemRandom().sample(range(sum(counts.values())), min(number, sum(counts.values()))))
    begin = 0
    for name, count in counts.items():
        wanted = {place - begin for place in places if begin <= place < begin + count}
        for at, row in enumerate(folder.rows(name, pulled=True) if wanted else ()):
            if at in wanted:
                yield REGISTERS[name], row
        begin += count


def _moment(register: Register, state: Json) -> dict[str, str]:
    """The moment that the row was pulled for; a register without a moment is always read as of now."""
    return {} if register.window.end is None else {"as_at": state["as_at"]}


def _read(register: Register, identity: str, content: bytes, state: Json, trust: LogTrust, report: Report) -> RowProof:
    """The proof, verified to be of the row that was asked for. Raises FaultError."""
    name = f"The proof of {register.name} {identity}"
    try:
        proof = parse_row_proof(name, content, report)
    except NotAPage as error:
        raise FaultError(str(error)) from error
    if proof is None:
        _fail(report)
        raise AssertionError("what is no proof has a fault")
    asked = (state["organization_id"], register.name, identity)
    if (proof.row.organization_id, proof.row.register, proof.row.record_id) != asked:
        raise FaultError(f"{name} is the proof of another row.")
    verify_row_proof(proof, trust, report)
    return proof


def _compare(register: Register, row: Json, proof: RowProof) -> None:
    """Compare the row as it was pulled with the proved text. Raises FaultError."""
    stated = json.loads(proof.row.content.partition("\n")[0])
    fields = register.row.model_fields
    for name, value in {"sequence": proof.row.sequence, **stated}.items():
        by_clock = name in _BY_CLOCK or (name in fields and fields[name].json_schema_extra)
        nested = isinstance(value, list) and any(isinstance(each, dict) for each in value)  # with the current titles
        if name in row and not by_clock and not nested and row[name] != value:
            raise FaultError(f"{register.name} {proof.row.record_id}: {name} is not what its proof holds.")


def _fail(report: Report) -> None:
    if report.faults:
        raise FaultError("\n".join(str(fault) for fault in report.faults[:20]))
