"""SCIM clients, and the turn in which the provisioning writes of one company run one after another."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from compliance.access.sources import SourceCaller
from compliance.facts.recording import Channel, Teller, telling
from compliance.provisioning import turns
from compliance.tenancy import context


class Client(NamedTuple):
    """A provisioning client (RFC 7644): the source that sends requests, and the clock that dates them.

    It holds the clock and not the time, because a write reads the clock only once its turn has come.
    """

    source: SourceCaller
    clock: Callable[[], datetime]

    @property
    def organization_id(self) -> uuid.UUID:
        """The company that the client belongs to."""
        return self.source.organization_id

    @property
    def asked(self) -> dict[str, object]:
        """The parameters of every statement about what this client has stated."""
        return {"organization": self.source.organization_id, "source": self.source.source_id}


@contextmanager
def turn(client: Client) -> Iterator[datetime]:
    """One transaction per write: provisioning writes of one company wait for one another, whichever client sends them.

    Yields the moment at which the turn began, so that facts of a request that waited are later than those of the one
    that it waited for. Facts recorded within it name the source as their origin. Reads do not wait, nor do other
    companies.
    """
    with context.company(client.organization_id), telling(Teller(Channel.SOURCE, name=client.source.name)):
        turns.wait(client.organization_id)
        yield client.clock()
