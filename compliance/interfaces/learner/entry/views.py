"""`/learn/` for whoever is not signed in."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from compliance.interfaces.learner.rendering import outside


@require_safe
def ask(request: HttpRequest) -> HttpResponse:
    """The page that asks for one's address."""
    return outside(request, "entry/ask.html")
