"""The origin of a fact in words, for the reader of its story."""

import uuid
from collections.abc import Mapping

from django.utils.translation import gettext

from compliance.facts.ledger.queries import FactOrigin
from compliance.facts.recording import Channel
from compliance.interfaces.console.permissions import Account


def words(came: FactOrigin, known: Mapping[uuid.UUID, Account]) -> str:
    """The origin as a phrase: who recorded the fact, by which way, and who confirmed it."""
    values = {"who": _name(came.actor_id, known), "name": came.name, "second": _name(came.confirmed_by, known)}
    return _sentence(Channel(came.channel), bool(values["who"]), bool(values["second"])) % values


def _sentence(channel: Channel, by_somebody: bool, confirmed: bool) -> str:
    """The phrase for each way in. Each is a whole phrase, because languages order its parts differently."""
    match channel, by_somebody, confirmed:
        case Channel.CONSOLE, _, True:
            return gettext("told by %(who)s in the console, confirmed by %(second)s")
        case Channel.CONSOLE, True, _:
            return gettext("told by %(who)s in the console")
        case Channel.CONSOLE, _, _:
            return gettext("told in the console")
        case Channel.FILE, True, True:
            return gettext("told by %(who)s in a facts file, confirmed by %(second)s")
        case Channel.FILE, True, _:
            return gettext("told by %(who)s in a facts file")
        case Channel.FILE, _, _:
            return gettext("told on the server in a facts file")
        case Channel.COMMAND, True, _:
            return gettext("told by %(who)s by the command %(name)s")
        case Channel.COMMAND, _, _:
            return gettext("told by the command %(name)s")
        case Channel.SOURCE, _, _:
            return gettext("told by %(name)s (source)")
        case Channel.LEARNER, _, _:
            return gettext("told by the learner")
        case _, True, _:
            return gettext("told by %(who)s by a program on the server")
    return gettext("told by a program on the server")


def _name(actor_id: uuid.UUID | None, known: Mapping[uuid.UUID, Account]) -> str:
    if actor_id is None:
        return ""
    account = known.get(actor_id)
    return account.username if account else gettext("account %(actor_id)s") % {"actor_id": actor_id}
