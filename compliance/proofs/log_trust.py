"""Whom a verifier trusts, and whether they signed a checkpoint of the log.

Only keys that the verifier was given from elsewhere count. Nothing that a proof or a pack carries says whom to trust.
"""

from typing import NamedTuple

from .errors import NoteMalformed, NoteUnverified
from .findings import Check, Report
from .log import LogCheckpoint, parse_log_checkpoint
from .signed_note import VerifierKey, parse_note, parse_verifier_key, verified_text


class LogTrust(NamedTuple):
    """The keys that were given: the log's (null: none)."""

    log_key: VerifierKey | None = None


def log_trust(log_key: str | None) -> LogTrust:
    """Return the trust in a key given as a verifier key line. Raises NoteMalformed for a line that is no such key."""
    return LogTrust(None if log_key is None else parse_verifier_key(log_key))


def check_signed_checkpoint(place: str, note: str, trust: LogTrust, report: Report) -> LogCheckpoint | None:
    """Return what a log's checkpoint states, and report each signature of the trusted keys: that it holds or does not.

    Null when the note is no checkpoint. That no log key was given is for the caller to report.
    """
    try:
        signed = parse_note(note)
        checkpoint = parse_log_checkpoint(signed.text)
    except NoteMalformed as fault:
        report.fault(Check.FORM, place, (), str(fault))
        return None
    if trust.log_key is not None:
        _check_log(place, note, checkpoint, trust.log_key, report)
    return checkpoint


def _check_log(place: str, note: str, checkpoint: LogCheckpoint, key: VerifierKey, report: Report) -> None:
    """The log signs under its own origin: a key of another name is one of another log."""
    if key.key_name != checkpoint.origin:
        sentence = f"The checkpoint is of the log {checkpoint.origin}, and the key given is of {key.key_name}."
        report.fault(Check.SIGNATURE, place, (), sentence)
        return
    try:
        verified_text(note, key.line())
    except NoteUnverified as fault:
        report.fault(Check.SIGNATURE, place, (), str(fault))
    else:
        report.holding.append(f"{place}: signed by the key of the log {key.key_name} that was given.")
