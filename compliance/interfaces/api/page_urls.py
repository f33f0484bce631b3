"""The addresses of the API's pages for people and of its health checks."""

from django.urls import path

from compliance.interfaces.api import documentation, health

urlpatterns = [
    path("docs", documentation.docs, name="docs"),
    path("docs/openapi.json", documentation.contract, name="docs-contract"),
    path("problems", documentation.problems, name="problems"),
    path("problems/<str:code>", documentation.problem, name="problem"),
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
]
