"""TCP ports: which are in use, which are free, and reserving one until its server starts."""

import contextlib
import errno
import random
import socket
from collections.abc import Iterator

from development.embedded.errors import PortTakenError

# Another server on any of these addresses would answer some of the clients that mean ours.
_ADDRESSES = (
    (socket.AF_INET, "127.0.0.1"),
    (socket.AF_INET, "0.0.0.0"),  # noqa: S104 - bound for an instant, never served
    (socket.AF_INET6, "::1"),
    (socket.AF_INET6, "::"),
)
_LACKING = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EPROTONOSUPPORT)  # a machine without IPv6
_NEARBY = 100


def free_port() -> int:
    """A TCP port that is free, and that no outgoing connection is given before its server has started.

    Systems use ports from 32768 on (Linux) or 49152 for connections, so a port below cannot be taken by one.
    """
    chance = random.SystemRandom()
    return next(port for port in iter(lambda: chance.randrange(20_000, 32_000), 0) if is_free(port))


def is_free(port: int) -> bool:
    """Whether nobody serves `port`, on any address and either protocol. Raises PermissionError for a privileged port.

    SO_REUSEPORT is not set, so that servers which share their port are noticed too; SO_REUSEADDR is set, so that
    connections of a server that has just ended do no harm.
    """
    for family, address in _ADDRESSES:
        try:
            with socket.socket(family) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind((address, port))
                probe.listen(1)
        except PermissionError:
            raise
        except OSError as error:
            if error.errno not in _LACKING:
                return False
    return True


def free_port_after(port: int) -> int:
    """The next free port above `port`, or any free port where a hundred are taken."""
    nearby = range(port + 1, min(port + 1 + _NEARBY, 65536))
    return next((each for each in nearby if is_free(each)), 0) or free_port()


@contextlib.contextmanager
def kept(port: int) -> Iterator[None]:
    """Reserves `port` for a server that shares its port (SO_REUSEPORT), so that no other takes it before the start.

    Raises PortTakenError when another process serves or reserves it.
    """
    try:
        if not is_free(port):
            raise PortTakenError(f"Port {port} is taken; {free_port_after(port)} is free.")
        with socket.socket() as keeper:
            keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            keeper.bind(("127.0.0.1", port))  # never listens, so it is given no connection
            yield
    except PermissionError as error:
        raise PortTakenError(f"Port {port} is for root alone; {free_port_after(8000)} is free.") from error
