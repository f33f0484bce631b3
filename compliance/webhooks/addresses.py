"""Where webhooks may be sent: which URLs, and which network addresses behind their names.

Staff of a company enter the URL, so it could aim at a host that only this machine can connect to. The form of a URL is
checked when it is entered and at every send. The addresses behind its name are resolved and checked at every send, and
the connection is made to the very address that was checked (`posting`), so that a name cannot change in between.
"""

import ipaddress
import re
from typing import NamedTuple
from urllib.parse import urlsplit

from compliance.webhooks.errors import BadAddressError

LONGEST = 2000
WELL_KNOWN = frozenset({80, 443})
FIRST_FREE_PORT = 1024
"""Ports below it, except those of the Web, belong to other protocols."""

_ASCII = re.compile(r"[!-~]+")
_HOST = re.compile(r"[0-9A-Za-z._-]{1,253}|\[[0-9A-Fa-f:.]+\]")
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(each)
    for each in (
        "192.0.0.0/24",  # IETF protocol assignments
        "192.88.99.0/24",  # 6to4 relays
        "168.63.129.16/32",  # from which every machine of one large cloud fetches its own secrets
        "::/96",  # IPv4 addresses embedded in IPv6, in any notation: an IPv4 address is sent to by IPv4
        "::ffff:0:0/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "2001::/23",
        "2002::/16",
        "3fff::/20",  # for documentation, since 2024
        "fec0::/10",
    )
)


class Target(NamedTuple):
    """A parsed URL."""

    host: str
    port: int
    path: str
    tls: bool

    @property
    def authority(self) -> str:
        """The value of the header `Host`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"


def target(url: str, *, plain: bool) -> Target:
    """The parts of a URL that webhooks may be sent to; `plain` allows http:// too. Raises BadAddressError.

    The error does not quote the URL, which may hold a secret.
    """
    if len(url) > LONGEST:
        raise BadAddressError(f"A webhook's URL has {LONGEST:,} characters at most.")
    if _ASCII.fullmatch(url) is None:
        raise BadAddressError("A webhook's URL is printable ASCII without spaces; write a host's name as xn--....")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadAddressError("This is no URL.") from None
    if parts.scheme not in ("https", "http") or (parts.scheme == "http" and not plain):
        raise BadAddressError("A webhook's URL begins with https://.")
    if "@" in parts.netloc:
        raise BadAddressError("A webhook's URL holds no user name and no password: the signature says who sends.")
    if "#" in url or "\\" in url:
        raise BadAddressError("A webhook's URL has no # and no backslash.")
    host = parts.netloc.removesuffix(f":{port}") if port is not None else parts.netloc
    if _HOST.fullmatch(host) is None:
        raise BadAddressError("A webhook's URL names a host.")
    number = port if port is not None else (443 if parts.scheme == "https" else 80)
    if number not in WELL_KNOWN and number < FIRST_FREE_PORT:
        raise BadAddressError("A webhook's port is 443, 80, or 1024 and above.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    # No certificate names the dot that may end a name.
    return Target(host.strip("[]").lower().removesuffix("."), number, path, parts.scheme == "https")


def is_public(address: str) -> bool:
    """Whether a numeric address is a public one of the Internet: not private, multicast or reserved."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    if any(found in network for network in _NOT_PUBLIC if network.version == found.version):
        return False
    return found.is_global and not (
        found.is_private
        or found.is_loopback
        or found.is_link_local
        or found.is_multicast
        or found.is_reserved
        or found.is_unspecified
    )


def without_query(url: str) -> str:
    """A URL without its query, which may hold a secret: for pages and lists."""
    address, mark, _ = url.partition("?")
    return f"{address}?…" if mark else address
