"""Where a fact came from, in words for the person who reads its story."""

import uuid
from collections.abc import Mapping

from compliance.facts.pending.queries import Came
from compliance.facts.recording import Channel
from compliance.interfaces.console.who_may import Account


def words(came: Came, known: Mapping[uuid.UUID, Account]) -> str:
    """Like "told by ada in the console, confirmed by ben"."""
    who = _name(came.actor_id, known)
    by = f" by {who}" if who else ""
    confirmed = f", confirmed by {_name(came.confirmed_by, known)}" if came.confirmed_by else ""
    match came.channel:
        case Channel.CONSOLE:
            return f"told{by} in the console{confirmed}"
        case Channel.FILE:
            return f"told{by or ' on the server'} in a facts file{confirmed}"
        case Channel.COMMAND:
            return f"told{by} by the command {came.name}"
        case Channel.SOURCE:
            return f"told by {came.name} (source)"
        case Channel.LEARNER:
            return "told by the learner"
    return f"told{by} by a program on the server"


def _name(actor_id: uuid.UUID | None, known: Mapping[uuid.UUID, Account]) -> str:
    if actor_id is None:
        return ""
    account = known.get(actor_id)
    return account.username if account else f"account {actor_id}"
