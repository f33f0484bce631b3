"""The addresses of a package on its author's machine."""

from django.urls import path
from django.views.static import serve

from compliance.interfaces.player import author_views as views
from compliance.interfaces.player.serving import ROOT

urlpatterns = [
    path("", views.overview, name="overview"),
    path("pages/<slug:page_id>", views.page, name="page"),
    path("media/<slug:media_id>", views.media, name="media"),
    path("style/<slug:scope>.css", views.style, name="style"),
    path("state", views.state, name="state"),
    path("static/<path:path>", serve, {"document_root": ROOT / "compliance" / "interfaces" / "static"}),
]
