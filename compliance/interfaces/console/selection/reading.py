"""Reads what a list posts to an act: ticked rows, or all rows of its filters, which are looked up again here.

`record_ids` holds identifiers of records; `everything` is sealed text that names a list, its filters and the moment, so
that the lookup finds what was on the page, as known then. Neither gives access to another company: its identifiers are
treated like unknown ones.
"""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import QueryDict
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from compliance.history import queries as history
from compliance.interfaces.console import identifiers, keyset
from compliance.interfaces.console.errors import ConsoleError
from compliance.interfaces.console.moments import company_of, pin_of
from compliance.interfaces.console.understand import queries as summary
from compliance.interfaces.console.understand.filters import Filters
from compliance.interfaces.console.wording import written_number
from compliance.registers import ordered
from compliance.registers.listings import LISTINGS
from compliance.registers.questions import Question
from compliance.tenancy.models import Organization

STEP = "chosen"
"""The step with which a list hands its selection to an act."""

RECORDS, EVERYTHING = "record_ids", "everything"
AT_MOST = 10_000


class NothingChosenError(ConsoleError):
    """No row was ticked."""


class TooManyChosenError(ConsoleError):
    """More rows than an act takes at once."""


class OutdatedSelectionError(ConsoleError):
    """The sealed text is from another company or another deployment, or was truncated."""


@dataclass(frozen=True)
class Chosen:
    """The records that were chosen, in no particular order."""

    records: list[history.Subject]

    @cached_property
    def record_ids(self) -> list[uuid.UUID]:
        """The identifiers of the records."""
        return [each.record_id for each in self.records]

    @cached_property
    def people(self) -> list[uuid.UUID]:
        """The people whose records these are, each once."""
        return list(dict.fromkeys(each.learner_profile_id for each in self.records if each.learner_profile_id))


def of_register(page: str, word: str, question: Question) -> str:
    """All rows of a register's page under its filters, as sealed text."""
    values = (
        page, word, question.moment.isoformat(), question.start.isoformat() if question.start else "",
        question.pin.capture_sequence, question.course or "", question.team or "", question.learner or "",
    )  # fmt: skip
    return keyset.seal(_place(question.company.organization_id), ("register", *values))


def of_work(organization_id: uuid.UUID, asked: Filters, moment: datetime) -> str:
    """All rows of a work list under its filters, as sealed text."""
    values = (asked.show, asked.course or "", asked.team or "", asked.person or "", asked.age, moment.isoformat())
    return keyset.seal(_place(organization_id), ("work", *values))


def chosen(organization: Organization, posted: QueryDict) -> Chosen:
    """The rows that a list has posted, within the company's context.

    Raises NothingChosenError, TooManyChosenError, OutdatedSelectionError.
    """
    if text := posted.get(EVERYTHING, ""):
        found = keyset.unseal(_place(organization.organization_id), text)
        if not found:
            raise OutdatedSelectionError(_("This selection cannot be read any more. Go back to the list, and choose."))
        kind, *values = found
        return Chosen((_of_register if kind == "register" else _of_work)(organization, values))
    given = [each for line in posted.getlist(RECORDS) for each in line.replace(",", " ").split()]
    return Chosen(_ticked(organization.organization_id, given))


def _ticked(organization_id: uuid.UUID, given: list[str]) -> list[history.Subject]:
    """The records of these identifiers; one of another company is refused like one that does not exist."""
    wanted = {identifiers.read(each) for each in given[: AT_MOST + 1]}
    if not wanted:
        raise NothingChosenError(_("Choose at least one row first."))
    _within(len(given))
    found = history.subjects_of(organization_id, [each for each in wanted if each])
    missing = len(wanted) - len({each.record_id for each in found})
    if missing:
        raise OutdatedSelectionError(
            _("%(number)s of the chosen rows are not in this company's records.") % {"number": written_number(missing)}
        )
    return found


def _of_register(organization: Organization, values: list[Any]) -> list[history.Subject]:
    page, word, moment, start, known, course, team, learner = values
    listing = LISTINGS[page].filtered(word)
    pin, _latest, _sequence = pin_of(organization.organization_id, str(known))
    question = Question(
        company_of(organization),
        pin,
        datetime.fromisoformat(moment),
        datetime.fromisoformat(start) if start else None,
        identifiers.read(course),
        learner=identifiers.read(learner),
        team=identifiers.read(team),
    )
    found = ordered.identified(listing, question, AT_MOST + 1)
    _within(len(found))
    return _subjects(listing.register.number, found)


def _of_work(organization: Organization, values: list[Any]) -> list[history.Subject]:
    show, course, team, person, age, moment = values
    asked = Filters(show, identifiers.read(course), identifiers.read(team), age, identifiers.read(person))
    wanted = asked.wanted(datetime.fromisoformat(moment))
    found = summary.identified(organization.organization_id, wanted, AT_MOST + 1)
    _within(len(found))
    return _subjects(wanted.register, found)


def _subjects(register: int, found: Iterable[ordered.Identified]) -> list[history.Subject]:
    return [history.Subject(each.record_id, register, each.birth, each.learner_profile_id) for each in found]


def _within(number: int) -> None:
    if number > AT_MOST:
        raise TooManyChosenError(
            _(
                "These are more than %(most)s rows, the most that can be acted on at once. Choose a team, a course or a"
                " policy in the list first."
            )
            % {"most": written_number(AT_MOST)}
        )


def _place(organization_id: uuid.UUID) -> str:
    return f"selection {organization_id}"
