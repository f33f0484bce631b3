"""The addresses below /scim/v2. The gate of the API resolves them (`api.gate`); none has a trailing slash."""

from typing import Any

from django.urls import URLPattern, path, re_path

from compliance.interfaces.scim import discovery, views
from compliance.interfaces.scim.kinds import KINDS
from compliance.provisioning.kinds import ResourceKind

_ONE: Any = {"get": "retrieve", "put": "update", "patch": "partial_update", "delete": "destroy"}
_ANY: Any = {"get": "http_method_not_allowed"}


def _of_kind(kind: ResourceKind[Any]) -> list[URLPattern]:
    """The addresses of a kind: its list, its search, and each of its resources."""
    root = f"scim/v2{kind.endpoint}"
    return [
        path(root, views.ListViewSet.as_view({"get": "list", "post": "create"}, kind=kind)),
        path(f"{root}/.search", views.SearchViewSet.as_view({"post": "search"}, kind=kind)),
        path(f"{root}/<str:identifier>", views.OneViewSet.as_view(_ONE, kind=kind)),
    ]


urlpatterns = [
    *(pattern for kind in KINDS for pattern in _of_kind(kind)),
    path("scim/v2/ServiceProviderConfig", discovery.ConfigurationViewSet.as_view({"get": "retrieve"})),
    path("scim/v2/Schemas", discovery.SchemasViewSet.as_view({"get": "list"})),
    path("scim/v2/Schemas/<str:identifier>", discovery.SchemasViewSet.as_view({"get": "retrieve"})),
    path("scim/v2/ResourceTypes", discovery.ResourceTypesViewSet.as_view({"get": "list"})),
    path("scim/v2/ResourceTypes/<str:identifier>", discovery.ResourceTypesViewSet.as_view({"get": "retrieve"})),
    path("scim/v2/Me", views.NotSupported.as_view(_ANY, refusal="A token is nobody's: /Me is not supported.")),
    path("scim/v2/Bulk", views.NotSupported.as_view(_ANY, refusal="Bulk operations are not supported.")),
    path("scim/v2/.search", views.NotSupported.as_view(_ANY, refusal="Search below /Users or /Groups.")),
    re_path("", views.NothingHere.as_view(_ANY)),
]
