"""The addresses below `/learn/`; those of each subject are declared beside its views."""

from django.urls import URLPattern, URLResolver, include, path

app_name = "learner"
ROOM = "compliance.interfaces.learner"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include(f"{ROOM}.entry.urls")),
    path("", include(f"{ROOM}.home.urls")),
    path("", include(f"{ROOM}.player.urls")),
    path("", include(f"{ROOM}.signing.urls")),
    path("", include(f"{ROOM}.offline.urls")),
]
