"""Every address of the service, by interface."""

from django.urls import URLPattern, URLResolver, include, path

from compliance.interfaces.console.staff_admin import site as staff_site

handler400 = "compliance.interfaces.pages.failures.bad_request"
handler403 = "compliance.interfaces.pages.failures.forbidden"
handler404 = "compliance.interfaces.pages.failures.not_found"
handler500 = "compliance.interfaces.pages.failures.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("compliance.interfaces.api.page_urls")),  # /v1 itself is answered by api.gate
    path("", include("compliance.interfaces.pages.urls")),
    path("learn/", include("compliance.interfaces.learner.urls")),
    path("log/", include("compliance.interfaces.log.urls")),
    path("tools/", include("compliance.interfaces.tools.urls")),
    path("console/sign-in/", include("compliance.interfaces.console.sign_in.urls")),
    path("console/", include("compliance.interfaces.console.urls")),  # some of its pages are below console/staff/
    path("console/staff/", staff_site.urls),  # which answers whatever is left there
]
