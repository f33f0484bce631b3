"""The keys that a verifier trusts (the log's and its witnesses'), and whether they signed a checkpoint of the log.

Only keys that the verifier was given separately count. Nothing in a proof or a pack decides whom to trust.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .cosignature import cosigned_times, parse_witness_key
from .errors import NoteMalformed, NoteUnverified
from .findings import Check, Report
from .log import LogCheckpoint, parse_log_checkpoint
from .pages import printable
from .signed_note import VerifierKey, parse_note, parse_verifier_key, verified_text


class LogTrust(NamedTuple):
    """The given keys: the log's (None: none) and the witnesses', of which `quorum` must have cosigned."""

    log_key: VerifierKey | None = None
    witness_keys: tuple[VerifierKey, ...] = ()
    quorum: int = 0


def log_trust(log_key: str | None, witness_keys: Sequence[str] = (), quorum: int | None = None) -> LogTrust:
    """Return the trust in keys given as verifier key lines; without `quorum`, every witness must have cosigned.

    Raises NoteMalformed for a line that is not such a key, and for a quorum that these witnesses cannot reach. Lines
    with the same public key are one witness.
    """
    witnesses = tuple({key.public_key: key for key in map(parse_witness_key, witness_keys)}.values())
    needed = len(witnesses) if quorum is None else quorum
    if not 0 <= needed <= len(witnesses):
        raise NoteMalformed(f"Of {len(witnesses)} witnesses, whose keys were given, {needed} cannot have cosigned.")
    return LogTrust(None if log_key is None else parse_verifier_key(log_key), witnesses, needed)


def check_signed_checkpoint(place: str, note: str, trust: LogTrust, report: Report) -> LogCheckpoint | None:
    """Return the content of a log's checkpoint, and report for each trusted key whether its signature is valid.

    None when the note is not a checkpoint. The caller must report a missing log key.
    """
    try:
        checkpoint = parse_log_checkpoint(parse_note(note).text)
    except NoteMalformed as fault:
        report.fault(Check.FORM, place, (), str(fault))
        return None
    if trust.log_key is not None:
        _check_log(place, note, checkpoint, trust.log_key, report)
    if trust.witness_keys:
        _check_witnesses(place, note, trust, report)
    return checkpoint


def check_one_history(checkpoints: Iterable[tuple[str, LogCheckpoint]], report: Report) -> None:
    """Report checkpoints of one log with the same size and different roots: the log was forked.

    Each checkpoint is given with its place. Each may be signed correctly: only the comparison reveals the fault.
    """
    known: dict[tuple[str, int], tuple[str, bytes]] = {}
    for place, checkpoint in checkpoints:
        first, root = known.setdefault((checkpoint.origin, checkpoint.size), (place, checkpoint.root))
        if root != checkpoint.root:
            sentence = f"The log was forked: {first} states another root for the same {checkpoint.size} entries."
            report.fault(Check.LOG, place, (), sentence)


def _check_log(place: str, note: str, checkpoint: LogCheckpoint, key: VerifierKey, report: Report) -> None:
    """Check the log's signature. A log signs under its own origin: a key of another name belongs to another log."""
    if key.key_name != checkpoint.origin:
        sentence = (
            f"The checkpoint is of the log {printable(checkpoint.origin)},"
            f" and the key given is of {printable(key.key_name)}."
        )
        report.fault(Check.SIGNATURE, place, (), sentence)
        return
    try:
        verified_text(note, key.line())
    except NoteUnverified as fault:
        report.fault(Check.SIGNATURE, place, (), str(fault))
    else:
        report.holding.append(f"{place}: signed by the key of the log {printable(key.key_name)} that was given.")


def _check_witnesses(place: str, note: str, trust: LogTrust, report: Report) -> None:
    """Count the witnesses with a valid cosignature; one with a witness's name that is not valid is a fault."""
    cosigned = []
    for key in trust.witness_keys:
        try:
            cosigned += [printable(each.key_name) for each in cosigned_times(note, key.line())]
        except NoteUnverified:
            sentence = f"The cosignature of {printable(key.key_name)} is not valid."
            report.fault(Check.WITNESS, place, (), sentence)
    if len(cosigned) < trust.quorum:
        sentence = f"{len(cosigned)} of the witnesses given cosigned the checkpoint, and {trust.quorum} must have."
        report.fault(Check.WITNESS, place, (), sentence)
    elif cosigned:
        report.holding.append(f"{place}: cosigned by {', '.join(sorted(cosigned))}.")
