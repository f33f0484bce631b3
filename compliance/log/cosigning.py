"""The newest checkpoint and its witnesses: it is published with each cosignature, and their answers are counted."""

from datetime import datetime

from compliance.log import actions, queries
from compliance.log.witnesses import Outcome, Witnesses


def cosign_newest(witnesses: Witnesses, now: datetime) -> int:
    """Ask the witnesses for what the newest checkpoint lacks, and publish it with what they cosigned.

    Returns how many cosigned. Takes a few seconds at most, and nothing that a witness does raises anything. Outside of
    a transaction: nothing is locked while they are asked.
    """
    published = queries.newest_checkpoint()
    if published is None:
        return 0
    answers = witnesses.ask(published.note, published.size, queries.consistency, now)
    lines = [each.line for each in answers if each.outcome is Outcome.COSIGNED]
    if lines:
        actions.keep_cosigned(published.size, published.note + "".join(lines))
    actions.keep_answers(answers, published.size, now)
    return len(lines)
