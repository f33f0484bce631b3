"""The address that a request came from, by the API's rule about proxies."""

from django.conf import settings
from django.http import HttpRequest

from compliance.interfaces.api import networks


def client_address(request: HttpRequest) -> str:
    """The rightmost hop that is not a trusted proxy of ours; empty if there is none."""
    return str(networks.client_address(request.META, settings.TRUSTED_PROXIES) or "")
