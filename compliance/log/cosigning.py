"""The newest checkpoint and its witnesses: it is published with each cosignature, and their answers are counted."""

from datetime import datetime

from compliance.log import actions, folder, keys, queries
from compliance.log.witnesses import Outcome, Witnesses


def cosign_newest(witnesses: Witnesses, now: datetime) -> int:
    """Ask the witnesses for what the newest checkpoint lacks, and publish it with what they cosigned.

    What they are asked to cosign is the folder's checkpoint, which nobody but the signer writes; of what the database
    holds beside it only cosignatures that verify are kept. Returns how many cosigned. Takes a few seconds at most, and
    nothing that a witness does raises anything. Raises LogError when the log itself is at fault. Outside of a
    transaction: nothing is locked while they are asked.
    """
    signed, published = folder.read(folder.CHECKPOINT), queries.newest_checkpoint()
    if signed is None or published is None or keys.checked_checkpoint(signed).size != published.size:
        return 0
    note = signed + "".join(witnesses.cosignatures_in(published.note))
    answers = witnesses.ask(note, published.size, queries.consistency, now)
    lines = [each.line for each in answers if each.outcome is Outcome.COSIGNED]
    if lines:
        actions.keep_cosigned(published.size, note + "".join(lines))
    actions.keep_answers(answers, published.size, now)
    return len(lines)
