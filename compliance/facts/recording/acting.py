"""Records an action as a fact: builds the line that a file would contain, and records it alone."""

import uuid
from datetime import datetime
from typing import Any, TypeVar

from pydantic import ValidationError

from compliance.facts.errors import InvalidFactError
from compliance.facts.lines.kinds import FactLine
from compliance.facts.lines.reading import sentences
from compliance.facts.recording.recording import record

LineType = TypeVar("LineType", bound=FactLine)


def act(
    kind: type[LineType],
    *,
    organization_id: uuid.UUID,
    at: datetime,
    now: datetime | None = None,
    actor_id: uuid.UUID | None = None,
    **fields: Any,
) -> LineType:
    """Records one fact of `kind` in one transaction and returns its line.

    `at` is when it takes effect, `now` when it is recorded (`at` when None). Collections may be of any type. Raises
    InvalidFactError if a field breaks its form, and the errors of `facts.errors` if the fact is refused.
    """
    stated = {name: _plain(value) for name, value in fields.items()}
    if "actor_id" in kind.model_fields:  # these kinds of fact have a field for who acted
        stated["actor_id"] = actor_id
    try:
        line = kind(fact_id=uuid.uuid4(), at=at, **stated)
    except ValidationError as error:
        raise InvalidFactError(" ".join(sentences(error, 0))) from None
    record(organization_id, [line], now=now or at, actor_id=actor_id)
    return line


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list | set | frozenset) else value
