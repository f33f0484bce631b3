"""Verifies a proof of one row: from the hashed text, through two trees, to a checkpoint that others signed.

The row's text gives its digest (`svc.row/1`), the digest a leaf, the leaf and its path the root of the company's tree,
the capture with that root its chain hash (`svc.capture/2`), that hash an entry in the deployment's log, and the entry
and its path the root in the checkpoint. Every step is recomputed; none is taken from the file.
"""

from .errors import NotAPage, TreeProofRefused
from .findings import Check, Report
from .history import row_hasher, tree_capture_digest
from .identity import identity_sha256
from .log import LogCheckpoint
from .log_trust import LogTrust, check_signed_checkpoint
from .merkle import leaf_hash, root_from_inclusion
from .pages import JsonObject, parse_json, printable
from .row_proof import ProvedRow, RowProof, TreePlace

NOT_PROVED = (
    "Not proved: that no newer version of the row exists, that nothing was left out of the register,"
    " or that what the row states is true. A proof shows that the company's history holds exactly this text."
)


def verify_row_proof(proof: RowProof, trust: LogTrust, report: Report) -> LogCheckpoint | None:
    """Add every finding about a proof to the report; return the content of its checkpoint, or None.

    Places name the file and the member at fault.
    """
    before = len(report.faults)
    _check_tree(proof, report)
    _check_capture(proof, report)
    checkpoint = check_signed_checkpoint(f"{proof.name} log.checkpoint", proof.checkpoint, trust, report)
    _check_log(proof, checkpoint, report)
    _check_identity(proof, report)
    if len(report.faults) == before:
        _state(proof, trust, report)
    return checkpoint


def _state(proof: RowProof, trust: LogTrust, report: Report) -> None:
    """Report what a proof without a fault proves, and what it does not prove."""
    row, capture = proof.row, proof.capture
    report.holding.append(
        f"{proof.name}: version {row.sequence} of {row.register} {row.record_id}, in force from {row.valid_from} on,"
        f" is row {row.sequence} of {proof.tree.size} in the history of company {row.organization_id}"
        f" as of capture {capture['capture_sequence']} ({capture['captured_at']})."
    )
    report.holding.append(
        f"{proof.name}: that capture is entry {proof.log.index} of the {proof.log.size} that the checkpoint covers."
    )
    if proof.identity is not None:
        report.holding.append(f"{proof.name}: the row is about the person whom `identity` names.")
    report.notes.append(f"{proof.name}: {NOT_PROVED}")
    if trust.log_key is None:
        report.unchecked.append(
            f"{proof.name}: no log key was given, so nobody's signature was checked."
            " Anyone can make up a file like this: without `--log-key` it proves nothing."
        )


def row_sha256(row: ProvedRow) -> bytes:
    """Return the digest of a row, whose hash is the leaf in the company's tree."""
    digest = row_hasher(row.organization_id)(
        str(row.sequence),
        row.register,
        row.record_id,
        row.valid_from,
        row.recorded_at,
        row.cause,
        str(row.logic_version),
        row.content.encode(),
    )
    return bytes.fromhex(digest)


def _check_tree(proof: RowProof, report: Report) -> None:
    """Check that the row's place follows from its sequence, and that its path leads to the root in the capture."""
    row, tree, capture = proof.row, proof.tree, proof.capture
    _compare(proof, Check.TREE, "row.organization_id", row.organization_id, "capture.organization_id",
             capture["organization_id"], report)  # fmt: skip
    _compare(proof, Check.TREE, "tree.index", tree.index, "row.sequence less one", row.sequence - 1, report)
    _compare(proof, Check.TREE, "tree.size", tree.size, "capture.tree_size", int(capture["tree_size"]), report)
    root = _root(proof.name, "tree", row_sha256(row), tree, report)
    if root is not None and root.hex() != capture["tree_root"]:
        report.fault(
            Check.ROW, proof.name, ("row", "tree.path", "capture.tree_root"),
            "The row and its path do not lead to the root that the capture holds: one of them was changed.",
        )  # fmt: skip


def _check_capture(proof: RowProof, report: Report) -> None:
    """Check that the capture's lines give its chain hash, and agree with each other and with the row."""
    row, capture, name = proof.row, proof.capture, proof.name
    if tree_capture_digest(capture) != proof.chain_hash:
        sentence = "chain_hash is not the digest of the capture's lines: one of them was changed."
        report.fault(Check.CAPTURE, name, ("capture", "capture.chain_hash"), sentence)
    first, last = capture["first_sequence"], capture["last_sequence"]
    if (first == "") != (last == "") or (first and not 0 < int(first) <= int(last) == int(capture["tree_size"])):
        sentence = "These cannot be the first and last row of a capture after which the tree has this size."
        report.fault(Check.CAPTURE, name, ("capture.first_sequence", "capture.last_sequence"), sentence)
    elif first and row.sequence >= int(first):
        _compare(proof, Check.CAPTURE, "row.recorded_at", row.recorded_at, "capture.captured_at",
                 capture["captured_at"], report)  # fmt: skip
    if row.recorded_at > capture["captured_at"]:
        report.fault(Check.CAPTURE, name, ("row.recorded_at",), "The row was recorded after the capture that has it.")


def _check_log(proof: RowProof, checkpoint: LogCheckpoint | None, report: Report) -> None:
    """Check that the capture's entry leads to the root in the checkpoint."""
    if checkpoint is None:
        return
    _compare(
        proof, Check.LOG, "log.size", proof.log.size, "the size that log.checkpoint states", checkpoint.size, report
    )
    root = _root(proof.name, "log", bytes.fromhex(proof.chain_hash), proof.log, report)
    if root is not None and root != checkpoint.root:
        report.fault(
            Check.LOG, proof.name, ("capture.chain_hash", "log.index", "log.path", "log.checkpoint"),
            "The capture and its path do not lead to the root that the checkpoint states: one of them was changed.",
        )  # fmt: skip


def _check_identity(proof: RowProof, report: Report) -> None:
    """Check that the name and address are those to which the row's text commits."""
    if proof.identity is None:
        return
    committed = commitment_in(proof.row.content)
    if committed is None:
        sentence = "The row's text commits to no name, so nothing proves this one."
        report.fault(Check.IDENTITY, proof.name, ("identity",), sentence)
    elif identity_sha256(*proof.identity) != committed:
        sentence = "The salt, name and address do not give identity_sha256 of the row's text."
        report.fault(Check.IDENTITY, proof.name, ("identity",), sentence)


def commitment_in(content: str) -> object:
    """Return `identity_sha256` of a stored text; None where it has none."""
    try:
        fields = parse_json("content", content.encode())
    except NotAPage:
        return None
    return fields.get("identity_sha256") if isinstance(fields, JsonObject) and not fields.repeated else None


def _root(name: str, part: str, leaf: bytes, place: TreePlace, report: Report) -> bytes | None:
    try:
        return root_from_inclusion(leaf_hash(leaf), place.index, place.size, place.path)
    except TreeProofRefused as fault:
        report.fault(Check.TREE if part == "tree" else Check.LOG, name, (f"{part}.index", f"{part}.path"), str(fault))
        return None


def _compare(proof: RowProof, check: Check, member: str, value: object, other: str, expected: object,
             report: Report) -> None:  # fmt: skip
    if value != expected:
        sentence = f"{member} is {printable(value)}, but {other} is {printable(expected)}."
        report.fault(check, proof.name, (member,), sentence)
