"""A network between a browser and the server that can be down, or fail between a request and its answer."""

import socket
import threading
from contextlib import suppress
from enum import Enum


class Network(Enum):
    """What happens to connections."""

    THERE = "there"
    AWAY = "away"
    """A new connection is cut at once."""
    CUTS = "cuts"
    """A request is passed to the server, and its answer is lost with the connection."""
    ALONE = "alone"
    """A gateway answers that nobody is behind it."""


class CuttingProxy:
    """Forwards TCP to a server at 127.0.0.1 while the network is up."""

    def __init__(self, server_port: int) -> None:
        self.network = Network.THERE
        self.cut = threading.Event()
        """Set once an answer was lost."""
        self.carried = False
        """Whether any recorded work left the device."""
        self.dies_at = b""
        """The network goes down at the moment when a browser sends this."""
        self.holds = b""
        """A request that begins with this waits until `released` is set."""
        self.released = threading.Event()
        self._server_port = server_port
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def become(self, network: Network) -> None:
        """Changes the network; existing connections are cut."""
        self.network = network
        self.cut.clear()
        self.dies_at = b""
        with self._lock:
            for each in self._open:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Closes it, with all connections."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.become(Network.AWAY)
        for each in self._threads:
            each.join(5)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self.network is Network.AWAY:
                    client.close()
                    continue
                thread = threading.Thread(target=self._serve, args=(client,), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _serve(self, client: socket.socket) -> None:
        if self.network is Network.ALONE:
            with client, suppress(OSError):
                if client.recv(65_536):
                    client.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        with client, socket.create_connection(("127.0.0.1", self._server_port)) as server:
            with self._lock:
                self._open |= {client, server}
            sends = threading.Event()
            back = threading.Thread(target=self._pass_back, args=(server, client, sends), daemon=True)
            back.start()
            heard = b""
            with suppress(OSError):
                while part := client.recv(65_536):
                    heard = (heard + part)[-200_000:]
                    if self.dies_at and self.dies_at in part:
                        self.become(Network.AWAY)
                        break
                    if self.holds and self.holds in part:
                        self.released.wait(90)
                    if b'"kind"' in heard[max(heard.rfind(b"POST /learn/offline/"), 0) :]:
                        sends.set()
                        self.carried = True
                    server.sendall(part)
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            back.join(5)
            with self._lock:
                self._open -= {client, server}

    def _pass_back(self, server: socket.socket, client: socket.socket, sends: threading.Event) -> None:
        with suppress(OSError):
            while part := server.recv(65_536):
                if sends.is_set() and self.network is Network.CUTS:
                    client.shutdown(socket.SHUT_RDWR)
                    self.cut.set()
                    return
                client.sendall(part)
            client.shutdown(socket.SHUT_RDWR)
