"""Whom SCIM is spoken with, and the turn that one company's writes take."""

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
    """A provisioning client (RFC 7644): the source that speaks, and the clock by which it is heard.

    The clock is passed in, and not the time, because a write asks for it once its turn has come.
    """

    source: SourceCaller
    clock: Callable[[], datetime]

    @property
    def organization_id(self) -> uuid.UUID:
        """The one company that it speaks of."""
        return self.source.organization_id

    @property
    def asked(self) -> dict[str, object]:
        """The parameters that every statement about what it knows has."""
        return {"organization": self.source.organization_id, "source": self.source.source_id}


@contextmanager
def turn(client: Client) -> Iterator[datetime]:
    """One transaction in which this company's provisioning writes, whoever its client, wait for one another.

    Gives the moment at which its turn came: facts of a request that waited are later than those of the one that it
    waited for. Whatever is recorded within is of the source. Reads wait for nobody, and neither do other companies.
    """
    with context.company(client.organization_id), telling(Teller(Channel.SOURCE, name=client.source.name)):
        turns.wait(client.organization_id)
        yield client.clock()
