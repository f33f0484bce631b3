"""`/learn/` for whoever is not signed in: asking for a link by one's e-mail address.

The answer is made before the address is looked up, so neither its words nor its time reveals who is known here: the
request is stored sealed, the worker does the rest (`answering.py`), and the page is the same for everybody.
"""

import re
from datetime import UTC, datetime
from functools import lru_cache

import redis
from celery import current_app
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe
from kombu.exceptions import OperationalError

from compliance.interfaces.api.limits import Limiter, Policy, ProcessCounter, RedisCounter
from compliance.interfaces.api.networks import client_address, pseudonym
from compliance.interfaces.learner import cookies
from compliance.interfaces.learner.languages import interface_language, languages_of
from compliance.interfaces.learner.leading import leads_to, way_in
from compliance.interfaces.learner.rendering import outside, private, see_other
from compliance.learning import link_requests
from compliance.redis_client import client

TASK = "compliance.learner.answer"
WINDOW_SECONDS = 15 * 60
REQUESTS_A_NETWORK = 30
"""The requests accepted from one network in a quarter of an hour, at the default of RATE_LIMIT_ADDRESS_PER_MINUTE.

Another value of the setting changes this in proportion.
"""

_SETTING_UNSET = 600
_ADDRESS = re.compile(r"[^\s@<>\x00-\x1f\x7f]{1,64}@[^\s@<>\x00-\x1f\x7f]{1,190}")


@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """The page that asks for one's address, and the handling of its form."""
    lead = leads_to("/learn/" + (request.POST if request.method == "POST" else request.GET).get("to", ""))
    if request.method != "POST":
        return _form(request, lead)
    address = request.POST.get("address", "").strip()
    if _ADDRESS.fullmatch(address) is None:
        return _form(request, lead, typed=address[:300])
    if _has_room(request):
        _take_in(address, datetime.now(UTC))
    response = private(see_other("/learn/asked"))
    cookies.remember_lead(response, lead)
    return response


@require_safe
def asked(request: HttpRequest) -> HttpResponse:
    """The page that follows every request, whether or not the address is known."""
    return outside(request, "entry/asked.html")


def _form(request: HttpRequest, lead: str, typed: str | None = None) -> HttpResponse:
    values = {"lead": lead, "typed": typed or "", "back_to": way_in(lead)}
    if typed is None:
        return outside(request, "entry/ask.html", values)
    with translation.override(interface_language(languages_of(request))):
        fault = gettext("Type your e-mail address, such as name@example.com.")
    return outside(request, "entry/ask.html", values | {"faults": [("address", fault)], "fault": fault}, status=422)


def _has_room(request: HttpRequest) -> bool:
    """Counts one request of this network; returns whether the network is within its limit."""
    network = pseudonym(client_address(request.META, settings.TRUSTED_PROXIES))
    quota = max(REQUESTS_A_NETWORK * settings.RATE_LIMIT_ADDRESS_PER_MINUTE // _SETTING_UNSET, 1)
    return _limiter(client()).acquire((Policy("learner-links", network, quota),)).refused_by is None


@lru_cache(maxsize=4)
def _limiter(shared: redis.Redis) -> Limiter:
    return Limiter(RedisCounter(shared, window_seconds=WINDOW_SECONDS), ProcessCounter(window_seconds=WINDOW_SECONDS))


def _take_in(address: str, now: datetime) -> None:
    request_id = link_requests.take_in(address, now)
    try:
        current_app.send_task(TASK, [str(request_id)], retry=False)
    except (OperationalError, OSError):
        pass  # the task of each minute finds the request
