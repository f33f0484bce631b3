"""The address a request came from (design 7): X-Forwarded-For counts only from configured proxies."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The rightmost hop that is no trusted proxy of ours; the peer itself when it is none."""
    hops = [request.META.get("REMOTE_ADDR", "")]
    hops += [hop.strip() for hop in reversed(request.headers.get("X-Forwarded-For", "").split(","))]
    networks = [ipaddress.ip_network(word, strict=False) for word in settings.TRUSTED_PROXIES]
    found = ""
    for hop in hops:
        try:
            address = ipaddress.ip_address(hop)
        except ValueError:
            break
        found = str(address)
        if not any(address in network for network in networks):
            break
    return found
