"""Why something is owed, in one sentence: who asks, whom, and what sets the deadline.

Every sentence is complete, so that it can be translated; none is put together from parts.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.utils.translation import get_language_bidi, gettext, ngettext

from compliance.facts.shares.queries import Asked
from compliance.history.of_person import Held
from compliance.interfaces.learner.visit import Visit
from compliance.learning import words
from compliance.letters.content import within
from compliance.rules.vocabulary import Door, DueBasis


def of_training(visit: Visit, record: Held, shares: Sequence[Asked], renewed_until: datetime | None) -> str:
    """Why a course or a lesson is owed; `renewed_until` is the end of the certificate that it renews, if any."""
    values = {"company": _name(visit.organization.name)}
    if record.fields["renews_certificate_id"] is not None:
        if renewed_until is None:
            return gettext("It renews your certificate.")
        values["day"] = words.day_of(renewed_until, visit.zone)
        if renewed_until < visit.now:
            return gettext("It renews your certificate, which ran out on %(day)s.") % values
        return gettext("It renews your certificate, which runs out on %(day)s.") % values
    if record.fields["due_basis"] == DueBasis.OVERRIDE:
        return gettext("%(company)s set this date for you.") % values
    days = min((each.days for each in shares if each.days is not None), default=None)
    if record.fields["due_basis"] != DueBasis.DAYS_AFTER_ADDED or days is None:
        return _asked(visit, shares, record.fields["doors"])
    values["days"] = str(days)
    audience, teams = _widest(shares)
    if audience == "everyone":
        return (
            ngettext(
                "Everyone at %(company)s does this within %(days)s day.",
                "Everyone at %(company)s does this within %(days)s days.",
                days,
            )
            % values
        )
    if audience == "teams":
        values["teams"] = teams
        return (
            ngettext(
                "Everyone in %(teams)s does this within %(days)s day.",
                "Everyone in %(teams)s does this within %(days)s days.",
                days,
            )
            % values
        )
    return (
        ngettext(
            "%(company)s has asked you to do this within %(days)s day.",
            "%(company)s has asked you to do this within %(days)s days.",
            days,
        )
        % values
    )


def of_policy(visit: Visit, record: Held, shares: Sequence[Asked], before: Iterable[Held]) -> str:
    """Why a policy is owed; `before` are the person's receipts."""
    versions = [each.fields["version"] for each in before if each.course_id == record.course_id]
    if record.fields["version"] in versions:
        return gettext("You have confirmed this policy before, and it is time to confirm it again.")
    if versions:
        return gettext("You have confirmed an earlier version, and this one is new.")
    return _asked(visit, shares, [record.fields["door"]])


def _asked(visit: Visit, shares: Sequence[Asked], doors: Sequence[str]) -> str:
    values = {"company": _name(visit.organization.name)}
    audience, teams = _widest(shares)
    if audience == "teams":
        return gettext("It is for everyone in %(teams)s.") % {"teams": teams}
    if audience != "everyone":
        return gettext("%(company)s has asked you to do this.") % values
    if Door.EMPLOYEE in doors:
        return gettext("It is for everyone at %(company)s.") % values
    if Door.PARTNER in doors:
        return gettext("It is for all partners of %(company)s.") % values
    return gettext("It is for all customers of %(company)s.") % values


def _name(text: str) -> str:
    """A name within a sentence of the active language, isolated where its script runs in the other direction."""
    return within(text, right_to_left=get_language_bidi())


def _widest(shares: Sequence[Asked]) -> tuple[str, str]:
    """The widest audience among the shares, and those of their teams that the person is in."""
    audiences = {each.audience for each in shares}
    teams = sorted({_name(name) for each in shares for name in each.teams})
    if "everyone" in audiences:
        return "everyone", ""
    return ("teams", ", ".join(teams)) if teams else ("people", "")
