"""The pages of this part."""

from django.utils.translation import gettext_lazy as _

from compliance.interfaces.console.page import Page, Section
from compliance.interfaces.console.people import auditors, person, teams
from compliance.interfaces.console.who_may import Permission

_SEE = Permission.SEE

PAGES: tuple[Page, ...] = (
    Page("person", "people/<uuid:learner_profile_id>/", person.person, _SEE, _("Person")),
    Page("teams", "teams/", teams.teams, _SEE, _("Teams"), section=Section.PEOPLE, methods=("GET", "POST")),
    Page("team", "teams/<uuid:team_id>/", teams.team, _SEE, _("Team")),
    Page("auditors", "auditors/", auditors.auditors, Permission.CHANGE_RECORDS, _("Auditors"), section=Section.PROOF),
)
