"""`/learn/`: home of a person who is signed in, else the page that asks for their address; and what they have done."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from compliance.interfaces.learner import cookies
from compliance.interfaces.learner.entry.asking import ask
from compliance.interfaces.learner.home import done as did
from compliance.interfaces.learner.home.owed import owed
from compliance.interfaces.learner.visit import Visit, learner_page
from compliance.learning import words


def home(request: HttpRequest) -> HttpResponseBase:
    """Home, or the page to sign in. The form of that page is taken from whoever is signed in by now as well."""
    return _home(request) if cookies.token_of(request) and request.method != "POST" else ask(request)


@require_safe
@learner_page
def _home(visit: Visit) -> HttpResponse:
    found = owed(visit)
    return visit.render("home/home.html", {"owed": found, "to_do": words.to_do(len(found.tasks))})


@require_safe
@learner_page
def done(visit: Visit) -> HttpResponse:
    """The certificates one holds, the courses one finished and the policies one confirmed."""
    return visit.render("home/done.html", {"done": did.done(visit)})
