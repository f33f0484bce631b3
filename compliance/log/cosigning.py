"""Has witnesses cosign the newest checkpoint, publishes it with their cosignatures, and counts their answers."""

from datetime import datetime

from compliance.log import actions, folder, keys, queries
from compliance.log.witnesses import Outcome, Witnesses


def cosign_newest(witnesses: Witnesses, now: datetime) -> int:
    """Asks the witnesses for the cosignatures that the newest checkpoint lacks, and publishes it with those.

    The witnesses get the folder's checkpoint, which only the signer writes; of the database's copy only cosignatures
    that verify are kept. Returns how many witnesses cosigned. Takes a few seconds at most. Raises nothing for what a
    witness does, and LogError when the log itself is at fault. Call it outside of a transaction, so that nothing is
    locked meanwhile.
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
