"""What a room keeps of one person, declared so that the file of all that is kept about them forgets nothing.

Each room that has rows about people lists them as parts in its own `kept.py`; `interfaces/personal_file` puts them
together. Tests compare the parts with all models and with the columns that erasure clears.
"""

import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

from django.db.models import Model, QuerySet


class Part(NamedTuple):
    """The rows of one table that are about a person: `name` is their key in the file, `fields` what is given of each.

    Left out of `fields` are what opens something (tokens, even their digests) and who else acted.
    """

    name: str
    model: type[Model]
    fields: tuple[str, ...]
    rows: Callable[[uuid.UUID, uuid.UUID], QuerySet[Any]]
    """Of a company and a profile; within the company's context."""


def of_learner(name: str, model: type[Model], fields: str) -> Part:
    """A part whose rows name the person's profile; `fields` are separated by spaces."""

    def rows(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> QuerySet[Any]:
        found = model._default_manager.filter(organization_id=organization_id, learner_profile_id=learner_profile_id)
        return found.order_by("pk")

    return Part(name, model, tuple(fields.split()), rows)


def read(part: Part, organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> list[dict[str, Any]]:
    """The person's rows of a part. One statement."""
    return list(part.rows(organization_id, learner_profile_id).values(*part.fields))
