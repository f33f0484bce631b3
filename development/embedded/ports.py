"""TCP ports: which are served, which are free, and one kept for us until its server comes."""

import contextlib
import errno
import random
import socket
from collections.abc import Iterator

from development.embedded.errors import PortTakenError

# A server of somebody else on any of these answers some of those who mean ours.
_ADDRESSES = (
    (socket.AF_INET, "127.0.0.1"),
    (socket.AF_INET, "0.0.0.0"),  # noqa: S104 - looked at for an instant, never served
    (socket.AF_INET6, "::1"),
    (socket.AF_INET6, "::"),
)
_LACKING = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EPROTONOSUPPORT)  # a machine without IPv6
_NEARBY = 100


def free_port() -> int:
    """A TCP port that nobody uses, and that no connection is given while the server for it is still beginning.

    Systems give connections theirs from 32768 on (Linux) or 49152, so a port below cannot be gone a second later.
    """
    chance = random.SystemRandom()
    return next(port for port in iter(lambda: chance.randrange(20_000, 32_000), 0) if is_free(port))


def is_free(port: int) -> bool:
    """Whether nobody serves `port`, on any address and either protocol. Raises PermissionError for a port of root's.

    SO_REUSEPORT is not set, so that servers which share their port with others of their kind are noticed too;
    SO_REUSEADDR is, so that connections of a server that has just ended are no hindrance.
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
    """The next free port above `port`, or, where a hundred are taken, any that is free."""
    nearby = range(port + 1, min(port + 1 + _NEARBY, 65536))
    return next((each for each in nearby if is_free(each)), 0) or free_port()


@contextlib.contextmanager
def kept(port: int) -> Iterator[None]:
    """Keeps `port` for a server that shares its port (SO_REUSEPORT), so that nobody takes it before that server comes.

    Raises PortTakenError when somebody serves it, or keeps it too.
    """
    try:
        if not is_free(port):
            raise PortTakenError(f"Port {port} is taken; {free_port_after(port)} is free.")
        with socket.socket() as keeper:
            keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            keeper.bind(("127.0.0.1", port))  # never listens, so no connection is given to it
            yield
    except PermissionError as error:
        raise PortTakenError(f"Port {port} is for root alone; {free_port_after(8000)} is free.") from error
