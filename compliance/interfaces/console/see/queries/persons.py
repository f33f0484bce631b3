"""One person: who they are, their teams, and their rows in every register by the API's own code."""

import uuid
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from compliance.registers import certificates, pages, people, policies, training
from compliance.registers.pages import Listing
from compliance.registers.questions import Position, Question
from compliance.tenancy import sql

ROWS_AT_MOST = 200


class Profile(NamedTuple):
    """A person as they are today."""

    learner_profile_id: uuid.UUID
    person_name: str | None
    work_email: str | None
    account_email: str | None
    erased_at: datetime | None


def profile(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> Profile | None:
    """The person, None when the company knows none of this identifier."""
    rows = sql.fetch(
        "SELECT learner_profile_id, person_name, work_email, account_email, erased_at FROM people_profile"
        " WHERE organization_id = %s AND learner_profile_id = %s",
        [organization_id, learner_profile_id],
    )
    return Profile(*rows[0]) if rows else None


def teams(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, moment: datetime) -> list[tuple[uuid.UUID, str]]:
    """The teams the person was in at the moment, by name."""
    rows = sql.fetch(
        "SELECT t.team_id, t.name FROM (SELECT DISTINCT ON (team_id) team_id, joined FROM people_teammembership"
        " WHERE organization_id = %(company)s AND learner_profile_id = %(person)s AND at <= %(moment)s"
        " ORDER BY team_id, at DESC, id DESC) m"
        " JOIN people_team t ON t.organization_id = %(company)s AND t.team_id = m.team_id"
        " WHERE m.joined ORDER BY t.name",
        {"company": organization_id, "person": learner_profile_id, "moment": moment},
    )
    return [(row[0], row[1]) for row in rows]


def rows(listing: Listing, question: Question) -> list[dict[str, Any]]:
    """The person's rows in a register, as the API would give them."""
    page = pages.page(listing, question, Position(), ROWS_AT_MOST, 2**31)
    return list(orjson.loads(b"[" + page.content + b"]"))


def everything(question: Question) -> dict[str, list[dict[str, Any]]]:
    """The person's rows in the registers that speak of people; `question` names the person."""
    whole = question._replace(start=question.company.history_complete_from)
    return {
        "employments": rows(people.PEOPLE, whole),
        "training": rows(training.RECORDS, question),
        "policies": rows(policies.POLICY_RECORDS, question),
        "certificates": rows(certificates.CERTIFICATES, question),
        "receipts": rows(policies.ACKNOWLEDGEMENTS, whole),
    }
