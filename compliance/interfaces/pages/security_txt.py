"""`/.well-known/security.txt`: where to report a weakness (RFC 9116)."""

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from compliance.interfaces.pages.answers import sealed

# RFC 9116, 2.5.5 recommends less than a year. The page is made anew for every request.
LASTS = timedelta(days=180)


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """The file, if the deployment names contacts (SECURITY_CONTACT), the preferred one first."""
    if not settings.SECURITY_CONTACT:
        raise Http404("This deployment names no contact.")
    expires = (datetime.now(UTC) + LASTS).replace(hour=0, minute=0, second=0, microsecond=0)
    lines = [
        *(f"Contact: {contact}" for contact in settings.SECURITY_CONTACT),
        f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}",
        "Preferred-Languages: en",
        f"Canonical: {settings.BASE_URL}/.well-known/security.txt",
    ]
    return sealed(HttpResponse("".join(f"{line}\n" for line in lines), content_type="text/plain; charset=utf-8"))
