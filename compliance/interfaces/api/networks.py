"""Where a call comes from: forwarded addresses count only if configured proxies sent them."""

import ipaddress
from collections.abc import Iterable, Mapping
from functools import lru_cache

from django.utils.crypto import salted_hmac

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def client_address(environment: Mapping[str, object], proxies: Iterable[str]) -> Address | None:
    """The rightmost hop that is none of our proxies; None when nobody whom we trust states an address."""
    trusted = _networks(tuple(proxies))
    peer = _address(str(environment.get("REMOTE_ADDR") or ""))
    if peer is None or not _within(peer, trusted):
        return peer
    hops = str(environment.get("HTTP_X_FORWARDED_FOR") or "").split(",")
    for hop in reversed(hops):
        if not hop.strip():
            continue
        address = _address(hop)
        if address is None or not _within(address, trusted):
            return address
        peer = address
    return peer


def is_secure(environment: Mapping[str, object], proxies: Iterable[str]) -> bool:
    """Whether the call came over TLS, according to the server or a configured proxy."""
    if environment.get("wsgi.url_scheme") == "https":
        return True
    peer = _address(str(environment.get("REMOTE_ADDR") or ""))
    scheme = str(environment.get("HTTP_X_FORWARDED_PROTO") or "").strip().lower()
    return scheme == "https" and peer is not None and _within(peer, _networks(tuple(proxies)))


def allowed(address: Address | None, networks: Iterable[str]) -> bool:
    """Whether a key with these networks may be used from `address`; no networks: from anywhere."""
    blocks = _networks(tuple(networks))
    return not blocks or (address is not None and _within(address, blocks))


def bucket(address: Address | None) -> str:
    """The name under which calls from an address are counted: IPv6 by /64, which is one subscriber."""
    if address is None:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False).network_address) + "/64"
    return str(address)


def pseudonym(address: Address | None) -> str:
    """The name of an address in Redis, where calls are counted: a keyed digest of its bucket, never the address."""
    return salted_hmac("compliance.networks", bucket(address), algorithm="sha256").hexdigest()[:32]


@lru_cache(maxsize=1024)
def _networks(blocks: tuple[str, ...]) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(block, strict=False) for block in blocks)


def _within(address: Address, networks: Iterable[Network]) -> bool:
    return any(address.version == network.version and address in network for network in networks)


@lru_cache(maxsize=4096)
def _address(text: str) -> Address | None:
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].split("]")[0]
    elif text.count(":") == 1:
        text = text.split(":")[0]
    try:
        address = ipaddress.ip_address(text.split("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
