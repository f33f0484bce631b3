"""Places for the bodies that an interface receives at the same time, shared fairly among the networks that send."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from compliance.interfaces.serving import bodies
from compliance.interfaces.serving.errors import BodyRefusedError

BODIES_AT_ONCE = 256
"""How many bodies an interface receives at the same time in a process, because each takes memory."""


class Places:
    """A new body always finds a place: if all are taken, the network that has the most of them loses one.

    So whoever sends slowly, on however many connections, takes places from themselves and not from another network.
    """

    def __init__(self) -> None:
        self._networks: dict[asyncio.Timeout, str] = {}  # by the deadlines of the bodies that have a place

    @contextmanager
    def one(self, network: str, deadline: asyncio.Timeout) -> Iterator[None]:
        """Has a place for a body with this deadline. Raises BodyRefusedError when the deadline is over or moved up."""
        if len(self._networks) >= BODIES_AT_ONCE:
            self._take_back()
        self._networks[deadline] = network
        try:
            yield
        except TimeoutError:
            raise BodyRefusedError(bodies.TIMED_OUT if deadline in self._networks else bodies.TOO_MANY) from None
        finally:
            self._networks.pop(deadline, None)

    def _take_back(self) -> None:
        """Ends the body with the nearest deadline of the network with the most: files of staff have distant ones."""
        ((crowded, _),) = Counter(self._networks.values()).most_common(1)
        nearest = min(
            (deadline for deadline, network in self._networks.items() if network == crowded),
            key=lambda deadline: deadline.when() or 0.0,
        )
        del self._networks[nearest]
        if not nearest.expired():
            nearest.reschedule(asyncio.get_running_loop().time())
