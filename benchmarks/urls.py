"""The product's addresses, and the peers' pages beside them."""

from django.urls import URLPattern, URLResolver, path

from benchmarks.peers import views
from config.urls import urlpatterns as _ours

urlpatterns: list[URLPattern | URLResolver] = [
    *_ours,
    path("peer/now", views.Now.as_view()),
    path("peer/simple-history", views.Simple.as_view()),
    path("peer/simple-history/total", views.Simple.as_view(pagination_class=views.Offsets)),
    path("peer/simple-history/counted", views.Simple.as_view(pagination_class=views.CountedCursors)),
    path("peer/pghistory", views.Tracked.as_view()),
]
