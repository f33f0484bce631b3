"""`/learn/language`: the language menu of every page. A choice is stored for the person, and in the browser."""

from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_POST

from compliance.interfaces.learner.languages import is_tag, keep
from compliance.interfaces.learner.leading import page_again
from compliance.interfaces.learner.rendering import private, see_other
from compliance.interfaces.learner.visit import session_here
from compliance.learning import preferences
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
    session = session_here(request, datetime.now(UTC))
    if session is not None:
        with context.company(session.organization_id):
            preferences.choose_language(session.organization_id, session.learner_profile_id, language)
