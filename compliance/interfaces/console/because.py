"""Explains a record in one sentence that anybody can follow: its state, and the arithmetic of its deadline.

"Overdue since 19 February 2026: added on 20 January 2026, 30 days later is 19 February 2026." Only
this module puts into words what the rules calculate. Where a row and the facts of this moment disagree, because
something is not captured yet, the sentence leaves the arithmetic out.
"""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy, pgettext

from compliance.facts.people.loading import Learners, Pair
from compliance.history import explaining
from compliance.interfaces.console.page import Words
from compliance.interfaces.console.wording import written_day, written_moment
from compliance.rules.absences import Step
from compliance.rules.company_days import day_of, end_of_day
from compliance.rules.owed_learning.outcome import outcome_at
from compliance.rules.policies.state import state_at
from compliance.rules.reckoning import NO_DEADLINE, CountedFrom, Reckoning
from compliance.rules.vocabulary import Outcome
from compliance.tenancy.models import Organization

Row = dict[str, Any]
"""A row of the registers of what is owed, as /v1 or the history holds it: moments as text."""

_COUNTED: dict[CountedFrom, Any] = {
    CountedFrom.ADDED: ngettext_lazy(
        "added on %(from)s, %(days)s day later is %(due)s", "added on %(from)s, %(days)s days later is %(due)s", "days"
    ),
    CountedFrom.REQUIRED: ngettext_lazy(
        "required since %(from)s, %(days)s day later is %(due)s",
        "required since %(from)s, %(days)s days later is %(due)s",
        "days",
    ),
    CountedFrom.PUBLISHED: ngettext_lazy(
        "published on %(from)s, %(days)s day later is %(due)s",
        "published on %(from)s, %(days)s days later is %(due)s",
        "days",
    ),
    CountedFrom.ASKED_AGAIN: ngettext_lazy(
        "asked for again on %(from)s, %(days)s day later is %(due)s",
        "asked for again on %(from)s, %(days)s days later is %(due)s",
        "days",
    ),
    CountedFrom.REVOCATION: ngettext_lazy(
        "the certificate was revoked on %(from)s, %(days)s day later is %(due)s",
        "the certificate was revoked on %(from)s, %(days)s days later is %(due)s",
        "days",
    ),
}

_TAKEN: dict[CountedFrom, Words] = {
    CountedFrom.SHARE: gettext_lazy("%(due)s is the day set for everybody who is asked to do it"),
    CountedFrom.EFFECTIVE: gettext_lazy("this version is in effect from %(due)s, and nothing is due earlier"),
    CountedFrom.CERTIFICATE_END: gettext_lazy("the certificate is valid until %(due)s, and is to be renewed by then"),
    CountedFrom.PERSONAL: gettext_lazy("%(due)s was set for this person on %(from)s"),
}


def of_training(organization: Organization, rows: Sequence[Row], moment: datetime) -> dict[str, str]:
    """The sentences of training records at `moment`, by record_id. Needs the company's context."""
    return of_person(organization, rows, (), moment)


def of_policies(organization: Organization, rows: Sequence[Row], moment: datetime) -> dict[str, str]:
    """The sentences of what is owed of policies at `moment`, by record_id. Needs the company's context."""
    return of_person(organization, (), rows, moment)


def of_person(
    organization: Organization, training: Sequence[Row], policies: Sequence[Row], moment: datetime
) -> dict[str, str]:
    """The sentences of both kinds of row at `moment`, by record_id. Needs the company's context."""
    organization_id, zone = organization.organization_id, organization.time_zone
    known: Learners = {}
    found: dict[uuid.UUID, Reckoning] = {}
    if training:
        found |= explaining.of_training(organization_id, zone, _pairs(training), moment, known)
    if policies:
        found |= explaining.of_policies(organization_id, zone, _pairs(policies), moment, known)
    days = _Days(zone)
    states = [(row, _training(row, moment, days)) for row in training]
    states += [(row, _policy(row, moment, days)) for row in policies]
    because = {}
    for row, state in states:
        reckoned = found.get(uuid.UUID(row["record_id"]), NO_DEADLINE)
        because[row["record_id"]] = sentence(state, reckoned if _fits(row, reckoned) else None, days)
    return because


def _pairs(rows: Sequence[Row]) -> list[Pair]:
    return [(uuid.UUID(row["learner_profile_id"]), uuid.UUID(row["course_id"])) for row in rows]


def _fits(row: Row, reckoned: Reckoning) -> bool:
    """Whether the row has the deadline that the rules calculate now."""
    return _instant(row, "due_at") == reckoned.excused_at


def sentence(state: str, reckoned: Reckoning | None, days: "_Days") -> str:
    """The state and, where there is a deadline, its arithmetic."""
    because = _because(reckoned, days) if reckoned is not None else ""
    if not because or reckoned is None:
        return pgettext("why a record is as it is", "%(state)s.") % {"state": state}
    first = pgettext("why a record is as it is", "%(state)s: %(because)s.") % {"state": state, "because": because}
    return " ".join([first, *(_moved(step) for step in reckoned.steps)])


def _because(reckoned: Reckoning, days: "_Days") -> str:
    if reckoned.due_at is None or reckoned.counted_from is None:
        return ""
    words = {"due": days.due(reckoned.due_at), "from": ""}
    if reckoned.counted_at is not None:
        words["from"] = days.day(reckoned.counted_at)
    if reckoned.days is not None:
        return str(_COUNTED[reckoned.counted_from] % {**words, "days": reckoned.days})
    if reckoned.counted_from is CountedFrom.EFFECTIVE:
        words["due"] = days.day(reckoned.due_at)
    if reckoned.counted_from is CountedFrom.PERSONAL and reckoned.counted_at is None:
        return _("%(due)s was set for this person") % words
    return str(_TAKEN[reckoned.counted_from]) % words


def _moved(step: Step) -> str:
    """How an absence moved a deadline, with its arithmetic."""
    beyond = (step.from_day - step.away.first_day).days
    words = {
        "first": written_day(step.away.first_day),
        "last": written_day(step.away.last_day),
        "before": written_day(step.from_day),
        "after": written_day(step.to_day),
        "days": beyond,
    }
    if not beyond:
        return (
            _("Away from %(first)s to %(last)s: %(before)s is the first of these days, so the last one counts.") % words
        )
    return (
        ngettext(
            "Away from %(first)s to %(last)s: %(before)s is %(days)s day after the first of these days, and %(days)s"
            " day after the last is %(after)s.",
            "Away from %(first)s to %(last)s: %(before)s is %(days)s days after the first of these days, and %(days)s"
            " days after the last is %(after)s.",
            beyond,
        )
        % words
    )


def _training(row: Row, moment: datetime, days: "_Days") -> str:
    """The state of a training record, as a clause."""
    due_at, done_at, ended_at = (_instant(row, name) for name in ("due_at", "completed_at", "ended_at"))
    waived_at = _instant(row, "waived_at")
    outcome = row.get("outcome") or _outcome(row, moment)
    words = {
        "due": days.due(due_at),
        "done": days.day(done_at),
        "ended": days.day(ended_at),
        "waived": days.day(waived_at),
    }
    if due_at is None and outcome == Outcome.COMPLETED_ON_TIME:
        return _("Done on %(done)s; there was no deadline") % words
    if due_at is None and outcome == Outcome.NOT_DUE_YET:
        return _("To do; there is no deadline")
    if outcome == Outcome.EXCUSED and ended_at is None:
        return _("Excused")
    return str(_OUTCOMES[Outcome(outcome)]) % words


_OUTCOMES: dict[Outcome, Words] = {
    Outcome.OVERDUE: gettext_lazy("Overdue since %(due)s"),
    Outcome.NOT_DUE_YET: gettext_lazy("Due by %(due)s"),
    Outcome.COMPLETED_ON_TIME: gettext_lazy("Done on %(done)s, in time"),
    Outcome.COMPLETED_LATE: gettext_lazy("Done on %(done)s, after it was due by %(due)s"),
    Outcome.COMPLETED_BEFORE_REQUIREMENT: gettext_lazy("Done on %(done)s, before it was asked for"),
    Outcome.WAIVED: gettext_lazy("Waived on %(waived)s"),
    Outcome.MISSED: gettext_lazy("Due by %(due)s, not done, and no longer asked for since %(ended)s"),
    Outcome.EXCUSED: gettext_lazy("No longer asked for since %(ended)s"),
    Outcome.OPTIONAL_NOT_DONE: gettext_lazy("Optional: nobody has to do it"),
}


def _outcome(row: Row, moment: datetime) -> Outcome:
    """The outcome of a row that has none, as the history stores rows: it is in force and has not ended."""
    assigned_at = _instant(row, "assigned_at")
    assert assigned_at is not None
    return outcome_at(
        moment,
        requirement_before_end=row.get("requirement_before_end") or row["requirement"],
        assigned_at=assigned_at,
        due_at=_instant(row, "due_at"),
        completed_at=_instant(row, "completed_at"),
        ended_at=_instant(row, "ended_at"),
        waived_at=_instant(row, "waived_at"),
    )[0]


def _policy(row: Row, moment: datetime, days: "_Days") -> str:
    """The state of what is owed of a policy, as a clause."""
    due_at, signed_at = _instant(row, "due_at"), _instant(row, "signed_at")
    words = {"due": days.due(due_at), "signed": days.day(signed_at)}
    if signed_at is not None:
        if due_at is not None and signed_at > due_at:
            return _("Signed on %(signed)s, after it was due by %(due)s") % words
        return _("Signed on %(signed)s") % words
    if due_at is None:
        return _("To sign; there is no deadline")
    if state_at(None, due_at, moment).value == Outcome.OVERDUE.value:
        return _("Overdue since %(due)s") % words
    return _("Due by %(due)s") % words


class _Days:
    """Writes moments as days of one company."""

    def __init__(self, zone: str) -> None:
        self.zone = zone

    def day(self, moment: datetime | None) -> str:
        """The day of a moment."""
        return "" if moment is None else written_day(day_of(self.zone, moment))

    def due(self, moment: datetime | None) -> str:
        """A deadline: its day, with the time where it is not the end of the day."""
        if moment is None:
            return ""
        day = day_of(self.zone, moment)
        return written_day(day) if moment == end_of_day(self.zone, day) else written_moment(moment, ZoneInfo(self.zone))


def _instant(row: Row, name: str) -> datetime | None:
    value = row.get(name)
    return datetime.fromisoformat(value) if isinstance(value, str) and value else None
