"""`/learn/language`: the language menu of every page. A choice is stored for the person, and in the browser."""

from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_POST

from compliance.interfaces.learner import cookies
from compliance.interfaces.learner.languages import is_tag, keep
from compliance.interfaces.learner.leading import page_again
from compliance.interfaces.learner.rendering import private, see_other
from compliance.learning import preferences, sessions, tokens
from compliance.learning.errors import UnknownTokenError
from compliance.tenancy import context


@require_POST
def choose(request: HttpRequest) -> HttpResponseBase:
    """Stores the language and returns to the page whose menu was used."""
    response = private(see_other(page_again(request.POST.get("back", ""))))
    language = request.POST.get("language", "")
    if is_tag(language):
        _keep_for_the_person(request, language)
        keep(response, language)
    return response


def _keep_for_the_person(request: HttpRequest, language: str) -> None:
    token, now = cookies.token_of(request), datetime.now(UTC)
    try:
        organization_id = tokens.company_of(token)
    except UnknownTokenError:
        return
    with context.company(organization_id):
        session = sessions.session_of(organization_id, token, now)
        if session is not None:
            preferences.choose_language(organization_id, session.learner_profile_id, language)
