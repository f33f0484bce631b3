"""The pages for people: /docs (the contract) and /problems/<code> (one per problem type)."""

from functools import lru_cache
from typing import Any

import orjson
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from compliance.interfaces.api import contract_page
from compliance.interfaces.api.openapi import document_bytes
from compliance.interfaces.api.problems import Code


def docs(request: HttpRequest) -> HttpResponse:
    """The contract for people."""
    return render(request, "api/docs.html", _contract(settings.BASE_URL))


@lru_cache(maxsize=2)
def _contract(base_url: str) -> dict[str, Any]:
    return contract_page.contract(orjson.loads(document_bytes(base_url)))


def contract(request: HttpRequest) -> HttpResponse:
    """The document itself; it needs no key, since the contract is no secret."""
    return HttpResponse(document_bytes(settings.BASE_URL), content_type="application/json")


def problems(request: HttpRequest) -> HttpResponse:
    """All problem types."""
    codes = [{"code": code.code, "meaning": code.value} for code in Code]
    return render(request, "api/problems.html", {"codes": codes})


def problem(request: HttpRequest, code: str) -> HttpResponse:
    """One problem type."""
    for known in Code:
        if known.code == code:
            return render(request, "api/problem.html", {"code": code, "meaning": known.value})
    raise Http404("There is no such problem type.")
