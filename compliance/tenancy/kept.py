"""What a room keeps about one person, declared so that the file of all that is kept about them is complete.

Each room that has rows about people lists them as parts in its own `kept.py`; `interfaces/personal_file` puts them
together. The file has every column of a row but those left out here, so a new column is included without further work.
Tests compare the parts with all models and with the columns that erasure clears.
"""

import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

from django.db.models import Model, QuerySet

LEFT_OUT = {
    "pk": "a number of the table's own",
    "id": "a number of the table's own",
    "organization_id": "the company is named above",
    "learner_profile_id": "the person is named above",
    "trainer_profile_id": "the person is named above",
    "subject_id": "the person, or an invitation of theirs",
    "search_text": "made of name and addresses, which are in the same row",
    "account_email_lower": "the account's address again, which is in the same row",
    "work_email_lower": "the work address again, which is in the same row",
    "user_name_lower": "the name again, which is in the same row",
    "fact_id": "a number of the ledger's",
    "token_sha256": "what it is the digest of opens a session",
    "address_sha256": "the digest of an address and of what opens a session",
    "actor_id": "somebody else",
    "voided_by": "somebody else",
}
"""Columns that the file leaves out, by name, with the reason: secrets, other people, and values without information."""


class Part(NamedTuple):
    """The rows of one table that are about a person: `name` is their key in the file, `more` what `rows` adds."""

    name: str
    model: type[Model]
    rows: Callable[[uuid.UUID, uuid.UUID], QuerySet[Any]]
    """Takes the identifiers of a company and a profile; called within the company's context."""
    more: tuple[str, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of each row that the file has."""
        return (*self.more, *(each.name for each in self.model._meta.fields if each.name not in LEFT_OUT))


def of_learner(name: str, model: type[Model]) -> Part:
    """A part whose rows name the person's profile."""

    def rows(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> QuerySet[Any]:
        found = model._default_manager.filter(organization_id=organization_id, learner_profile_id=learner_profile_id)
        return found.order_by("pk")

    return Part(name, model, rows)


def read(part: Part, organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> list[dict[str, Any]]:
    """The person's rows of a part. One statement."""
    return list(part.rows(organization_id, learner_profile_id).values(*part.fields))
