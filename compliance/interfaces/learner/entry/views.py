"""`/learn/` for whoever is not signed in."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def ask(request: HttpRequest) -> HttpResponse:
    """The page that asks for one's address."""
    return render(request, "learner/entry/ask.html")
