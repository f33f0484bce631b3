"""A port that a process serves is not free, however it serves it."""

import socket

import pytest

from development.embedded import ports
from development.embedded.errors import PortTakenError

SERVED = {
    "loopback": (socket.AF_INET, "127.0.0.1", ()),
    "every address": (socket.AF_INET, "0.0.0.0", ()),
    "shared as web processes share theirs": (socket.AF_INET, "127.0.0.1", (socket.SO_REUSEADDR, socket.SO_REUSEPORT)),
    "IPv6 loopback": (socket.AF_INET6, "::1", (socket.SO_REUSEADDR, socket.SO_REUSEPORT)),
    "every IPv6 address": (socket.AF_INET6, "::", (socket.SO_REUSEADDR,)),
}


def _listen(family, address, options=(), port=0):
    server = socket.socket(family)
    for option in options:
        server.setsockopt(socket.SOL_SOCKET, option, 1)
    server.bind((address, port))
    server.listen()
    return server


@pytest.mark.parametrize("how", SERVED)
def test_a_port_that_anybody_serves_is_taken_and_another_is_named(how):
    family, address, options = SERVED[how]
    try:
        server = _listen(family, address, options)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with server:
        port = server.getsockname()[1]
        assert not ports.is_free(port)
        with pytest.raises(PortTakenError) as said, ports.kept(port):
            pass
        words = str(said.value).split()
        assert words[:4] == ["Port", str(port), "is", "taken;"]
        assert ports.is_free(int(words[4]))
    assert ports.is_free(port)


def test_a_port_is_free_at_once_when_its_server_has_ended_although_connections_linger():
    with _listen(socket.AF_INET, "127.0.0.1", (socket.SO_REUSEADDR,)) as server:
        port = server.getsockname()[1]
        client = socket.create_connection(("127.0.0.1", port))
        served, _ = server.accept()
        served.close()  # the side that closes first keeps the connection in TIME_WAIT
        client.close()
    assert ports.is_free(port)


def test_a_port_that_is_kept_is_taken_for_others_and_open_to_the_server_it_is_kept_for():
    port, options = ports.free_port(), (socket.SO_REUSEADDR, socket.SO_REUSEPORT)
    with ports.kept(port):
        with pytest.raises(PortTakenError), ports.kept(port):
            pass
        with _listen(socket.AF_INET, "127.0.0.1", options, port) as server:
            for _ in range(20):  # none is given to the socket that reserves the port
                with socket.create_connection(("127.0.0.1", port), timeout=5):
                    server.settimeout(5)
                    server.accept()[0].close()
    assert ports.is_free(port)
