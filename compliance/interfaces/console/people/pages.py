"""The pages of this part."""

from django.utils.translation import gettext_lazy as _

from compliance.interfaces.console.page import ConsolePage, Section
from compliance.interfaces.console.people import auditors, person, teams
from compliance.interfaces.console.permissions import Permission

_SEE = Permission.SEE

PAGES: tuple[ConsolePage, ...] = (
    ConsolePage("person", "people/<uuid:learner_profile_id>/", person.person, _SEE, _("Person")),
    ConsolePage("teams", "teams/", teams.teams, _SEE, _("Teams"), section=Section.PEOPLE, methods=("GET", "POST")),
    ConsolePage("team", "teams/<uuid:team_id>/", teams.team, _SEE, _("Team")),
    ConsolePage(
        "auditors", "auditors/", auditors.auditors, Permission.CHANGE_RECORDS, _("Auditors"), section=Section.PROOF
    ),
)
