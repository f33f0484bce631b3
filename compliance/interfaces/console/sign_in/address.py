"""The address a request came from, by the API's own rule about proxies."""

from django.conf import settings
from django.http import HttpRequest

from compliance.interfaces.api import networks


def client_address(request: HttpRequest) -> str:
    """The rightmost hop that is no trusted proxy of ours; empty when nobody tells one."""
    return str(networks.client_address(request.META, settings.TRUSTED_PROXIES) or "")
