"""Where webhooks may be sent: which URLs, and which addresses behind their names.

A receiver is named by staff of a company, so its URL could aim at what only this machine can reach. The form of a URL
is checked when it is given and at every send; the addresses behind its name are resolved and checked at every send, and
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
"""Below it, but for those of the Web, other protocols listen."""

_ASCII = re.compile(r"[!-~]+")
_HOST = re.compile(r"[0-9A-Za-z._-]{1,253}|\[[0-9A-Fa-f:.]+\]")
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(each)
    for each in (
        "192.0.0.0/24",  # of protocols
        "192.88.99.0/24",  # relays of 6to4
        "168.63.129.16/32",  # what every machine of one large cloud asks for its own secrets
        "::/96",  # IPv4 addresses within IPv6, in every way of writing them: an IPv4 address goes over IPv4
        "::ffff:0:0/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "2001::/23",
        "2002::/16",
        "fec0::/10",
    )
)


class Target(NamedTuple):
    """A URL, taken apart."""

    host: str
    port: int
    path: str
    tls: bool

    @property
    def authority(self) -> str:
        """What the header `Host` says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"


def target(url: str, *, plain: bool) -> Target:
    """The parts of a URL that webhooks may be sent to; `plain`: http:// too. Raises BadAddressError.

    The error is stated without the URL, which may hold a secret.
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
    return Target(host.strip("[]").lower(), number, path, parts.scheme == "https")


def is_public(address: str) -> bool:
    """Whether a numeric address is one of the Internet's, and not one within a network, of many or of nobody."""
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
