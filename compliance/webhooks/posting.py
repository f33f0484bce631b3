"""One POST to an untrusted receiver, with limits on time and bytes.

Written on sockets (asyncio) and h11, because it must connect to the address that it has checked while TLS verifies the
name, and because 15 seconds limit the whole exchange, however slowly an answer arrives. It follows no redirect, uses no
proxy from the environment, keeps no cookie, and logs no URL.
"""

import asyncio
import functools
import ipaddress
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import NamedTuple

import h11

from compliance.webhooks.addresses import Target, is_public
from compliance.webhooks.models import Failure

SECONDS = 15.0
"""Limits the whole try: name resolution, connection, TLS, request and the head of the answer."""

_CONNECT_SECONDS = 5.0
_ADDRESSES_AT_MOST = 4
_HEAD_BYTES = 16 * 1024
_BODY_BYTES = 4 * 1024
_CLOSING_SECONDS = 1.0
_CHUNK = 4096

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Resolves a host to its numeric addresses."""


class Answer(NamedTuple):
    """The result of a POST: a status or a failure, the time it took, and how long the receiver asks to wait."""

    status: int | None
    failure: str
    milliseconds: int
    retry_after: float | None = None


class _Refused(Exception):
    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.failure = failure


@functools.lru_cache(maxsize=1)
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


async def resolve(host: str, port: int) -> Sequence[str]:
    """The addresses of `host` as the system finds them, in the order in which it would try them. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


async def post(
    target: Target,
    headers: Sequence[tuple[str, str]],
    body: bytes,
    *,
    allow_private: bool,
    resolve: Resolve = resolve,
    context: ssl.SSLContext | None = None,
    seconds: float = SECONDS,
) -> Answer:
    """Sends one request and reads the head of the answer. A fault of the receiver is returned, never raised.

    `allow_private` allows any address. `context`: trusted certificates, if other than the system's.
    """
    began = time.monotonic()
    writer: asyncio.StreamWriter | None = None
    try:
        async with asyncio.timeout(seconds):
            addresses = await _checked(target, allow_private, resolve)
            reader, writer = await _connect(target, addresses, context or _trusted())
            connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEAD_BYTES)
            response = await _ask(connection, target, headers, body, reader, writer)
        answer = _answer(response, _since(began))
        await _take_leave(connection, reader, writer)
        return answer
    except _Refused as refused:
        return Answer(None, refused.failure, _since(began))
    except TimeoutError:
        return Answer(None, Failure.TIMEOUT, _since(began))
    finally:
        if writer is not None:
            writer.transport.abort()


async def _checked(target: Target, allow_private: bool, resolve: Resolve) -> Sequence[str]:
    """The addresses to connect to. If one of them is not public, none is used."""
    try:
        found = await resolve(target.host, target.port)
    except (OSError, UnicodeError):
        found = []
    if not found:
        raise _Refused(Failure.NO_NAME)
    if not allow_private and not all(is_public(each) for each in found):
        raise _Refused(Failure.NOT_PUBLIC)
    return found[:_ADDRESSES_AT_MOST]


async def _connect(
    target: Target, addresses: Sequence[str], context: ssl.SSLContext
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connects to the first of the addresses that accepts. They are numeric, so nothing is resolved again.

    Each address but the last has a limit of its own; the last one has all the time that is left.
    """
    secured: dict[str, object] = {"ssl": context, "server_hostname": target.host} if target.tls else {}
    for address in addresses:
        ipaddress.ip_address(address.partition("%")[0])
        try:
            async with asyncio.timeout(None if address == addresses[-1] else _CONNECT_SECONDS):
                return await asyncio.open_connection(address, target.port, limit=_HEAD_BYTES, **secured)  # type: ignore[arg-type]
        except (ssl.SSLError, ValueError):
            raise _Refused(Failure.TLS) from None
        except OSError:
            continue
    raise _Refused(Failure.UNREACHABLE)


async def _ask(
    connection: h11.Connection,
    target: Target,
    headers: Sequence[tuple[str, str]],
    body: bytes,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> h11.Response:
    """Sends the request and returns the head of the final answer."""
    all_headers = [
        ("host", target.authority),
        ("connection", "close"),
        ("content-length", str(len(body))),
        *headers,
    ]
    request = h11.Request(method="POST", target=target.path, headers=all_headers)
    sent = [connection.send(each) for each in (request, h11.Data(data=body), h11.EndOfMessage())]
    read = 0
    try:
        writer.write(b"".join(each for each in sent if each))
        while True:
            event = connection.next_event()
            if isinstance(event, h11.Response):
                return event
            if event is h11.NEED_DATA:
                data = await reader.read(_CHUNK)
                read += len(data)
                if not data:
                    raise _Refused(Failure.CLOSED)
                if read > _HEAD_BYTES:
                    raise _Refused(Failure.GARBLED)
                connection.receive_data(data)
            elif not isinstance(event, h11.InformationalResponse):
                raise _Refused(Failure.GARBLED)
    except h11.RemoteProtocolError:
        raise _Refused(Failure.GARBLED) from None
    except OSError:
        raise _Refused(Failure.CLOSED) from None


def _answer(response: h11.Response, milliseconds: int) -> Answer:
    status = response.status_code
    if 200 <= status < 300:
        return Answer(status, "", milliseconds)
    if 300 <= status < 400:
        return Answer(status, Failure.REDIRECT, milliseconds)
    if status == 410:
        return Answer(status, Failure.GONE, milliseconds)
    return Answer(status, Failure.STATUS, milliseconds, _retry_after(response))


def _retry_after(response: h11.Response) -> float | None:
    """How many seconds the receiver asks to wait: a number, or a moment relative to the receiver's clock (`Date`)."""
    headers = dict(response.headers)
    text = headers.get(b"retry-after", b"").decode("ascii", "replace")
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        until, now = (parsedate_to_datetime(each) for each in (text, headers.get(b"date", b"").decode("latin-1")))
        return max((until.astimezone(UTC) - now.astimezone(UTC)).total_seconds(), 0.0)
    except (ValueError, OverflowError):
        return None


async def _take_leave(connection: h11.Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Reads a short answer to its end, so that the receiver may finish; errors here are ignored."""
    with suppress(TimeoutError, OSError, h11.RemoteProtocolError):
        async with asyncio.timeout(_CLOSING_SECONDS):
            read = 0
            while read <= _BODY_BYTES:
                event = connection.next_event()
                if event is h11.NEED_DATA:
                    data = await reader.read(_CHUNK)
                    read += len(data)
                    connection.receive_data(data)
                elif not isinstance(event, h11.Data):
                    break
            writer.close()
            await writer.wait_closed()


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
