"""What a room keeps of one person, declared so that the file of all that is kept about them forgets nothing.

Each room that has rows about people lists them as parts in its own `kept.py`; `interfaces/personal_file` puts them
together. Of each row all columns are given but those that are left out here, so a new column is in the file at once.
Tests compare the parts with all models and with the columns that erasure clears.
"""

import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

from django.db.models import Model, QuerySet

LEFT_OUT = {
    "pk": "a number of the table's own",
    "id": "a number of the table's own",
    "organization_id": "the company stands above",
    "learner_profile_id": "the person stands above",
    "trainer_profile_id": "the person stands above",
    "subject_id": "the person, or an invitation of theirs",
    "search_text": "made of name and addresses, which stand beside it",
    "account_email_lower": "the account's address again, which stands beside it",
    "work_email_lower": "the work address again, which stands beside it",
    "user_name_lower": "the name again, which stands beside it",
    "fact_id": "a number of the ledger's",
    "token_sha256": "what it is the digest of opens a session",
    "actor_id": "somebody else",
    "voided_by": "somebody else",
}
"""Columns that are not given, by name, and why not: what opens something, who else acted, and what says nothing."""


class Part(NamedTuple):
    """The rows of one table that are about a person: `name` is their key in the file, `more` what `rows` adds."""

    name: str
    model: type[Model]
    rows: Callable[[uuid.UUID, uuid.UUID], QuerySet[Any]]
    """Of a company and a profile; within the company's context."""
    more: tuple[str, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """What is given of each row."""
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
