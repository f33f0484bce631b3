"""The pages for people: /docs (the contract, with assets of our own) and /problems/<code> (one a problem type)."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from compliance.interfaces.api.openapi import document_bytes
from compliance.interfaces.api.problems import Code


def docs(request: HttpRequest) -> HttpResponse:
    """The contract for people."""
    return render(request, "api/docs.html")


def contract(request: HttpRequest) -> HttpResponse:
    """The document that /docs shows; the contract is no secret, so no key is asked for here."""
    return HttpResponse(document_bytes(settings.BASE_URL), content_type="application/json")


def problems(request: HttpRequest) -> HttpResponse:
    """All problem types."""
    codes = [{"code": code.code, "meaning": code.value} for code in Code]
    return render(request, "api/problems.html", {"codes": codes})


def problem(request: HttpRequest, code: str) -> HttpResponse:
    """One problem type."""
    for known in Code:
        if known.code == code:
            said = {"what": _with_code(known.value.what), "remedy": _with_code(known.value.remedy)}
            return render(request, "api/problem.html", {"code": code, "meaning": known.value, "said": said})
    raise Http404("There is no such problem type.")


def _with_code(sentence: str) -> SafeString:
    """A sentence in which what stands between backticks is set as code."""
    pieces = enumerate(sentence.split("`"))
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", piece) if number % 2 else piece,) for number, piece in pieces)
    )
