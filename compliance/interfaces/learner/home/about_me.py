"""`/learn/about-me`: what is kept about the person, in short, and all of it as a file."""

from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from compliance.facts.people.queries import roles_of
from compliance.interfaces.learner.visit import Visit, learner_page
from compliance.interfaces.personal_file.gathering import as_text, personal_file
from compliance.learning import words


@dataclass(frozen=True)
class Kept:
    """One line of the page: what it is about, and what is kept, in words."""

    about: str
    what: str


@require_safe
@learner_page
def about_me(visit: Visit) -> HttpResponse:
    """The page: what people look for first, and the amount of the rest."""
    found = personal_file(visit.organization, visit.learner_profile_id, visit.now)
    return visit.render("home/about_me.html", {"who": _who(visit, found), "counts": _counts(visit, found)})


@require_safe
@learner_page
def file(visit: Visit) -> HttpResponse:
    """All of it as a file to download."""
    found = personal_file(visit.organization, visit.learner_profile_id, visit.now)
    headers = {"Content-Disposition": 'attachment; filename="what-is-kept-about-me.json"'}
    return HttpResponse(as_text(found), content_type="application/json", headers=headers)


def _who(visit: Visit, found: dict[str, Any]) -> list[Kept]:
    kept = found["kept"]
    profile = kept["profile"][0]
    teams = {each["team_id"]: each for each in kept["teams"]}  # the last event of each team counts
    stays = [each for each in kept["stays"] if each["left_at"] is None or each["left_at"] > visit.now]
    contacts = {each["door"]: each for each in sorted(kept["partner_or_customer"], key=itemgetter("at"))}
    lines = [
        Kept(gettext("Name"), profile["person_name"] or ""),
        Kept(gettext("Sign-in address"), profile["account_email"] or ""),
        Kept(gettext("Work address"), profile["work_email"] or ""),
        Kept(
            gettext("Here since"),
            words.day_of(max(each["joined_at"] for each in stays), visit.zone) if stays else "",
        ),
        Kept(
            gettext("Your own company"),
            ", ".join(each["company"] for each in contacts.values() if each["joined"] and each["company"]),
        ),
        Kept(gettext("Teams"), ", ".join(sorted(each["name"] for each in teams.values() if each["joined"]))),
        Kept(gettext("Roles"), ", ".join(sorted(roles_of(visit.organization_id, visit.learner_profile_id, visit.now)))),
    ]
    return [line for line in lines if line.what]


def _counts(visit: Visit, found: dict[str, Any]) -> list[Kept]:
    kept, registers = found["kept"], found["registers"]
    numbers = (
        (gettext("Training asked of you"), len(registers["training"])),
        (gettext("Courses finished"), sum(each["voided_at"] is None for each in kept["completions"])),
        (gettext("Policies asked of you"), len(registers["policies"])),
        (gettext("Policies signed"), len(kept["policy_receipts"])),
        (gettext("Certificates"), len(registers["certificates"])),
        (gettext("Pages opened"), sum(each["film"] == 0 for each in kept["pages_read"])),
        (gettext("Answers given"), len(kept["answers"])),
        (gettext("Letters"), len(kept["letters"])),
        (gettext("Devices signed in"), sum(_is_open(each, visit.now) for each in kept["sessions"])),
    )
    return [Kept(about, str(number)) for about, number in numbers if number]


def _is_open(session: dict[str, Any], now: datetime) -> bool:
    """Whether a session has not ended; those that have are kept for a month."""
    return session["ended_at"] is None and session["expires_at"] > now
