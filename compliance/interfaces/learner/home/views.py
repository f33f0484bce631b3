"""`/learn/`: home of whoever is signed in, else the page that asks for one's address."""

from django.http import HttpRequest, HttpResponseBase

from compliance.interfaces.learner import cookies
from compliance.interfaces.learner.entry.views import ask
from compliance.interfaces.learner.visit import Visit, learner_page


def home(request: HttpRequest) -> HttpResponseBase:
    """Home, or the way in."""
    return _home(request) if cookies.token_of(request) else ask(request)


@learner_page
def _home(visit: Visit) -> HttpResponseBase:
    return visit.render("home/home.html")
