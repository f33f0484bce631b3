"""What differs on a cluster of several PostgreSQL servers (Citus), all of it, by the setting CLUSTER.

One plain PostgreSQL makes its plans once a connection, whatever the company: it stands in a sub-select, so that nobody
plans by the statistics of one company. Citus must see the company in the statement itself, or it would not know which
node to ask, and it makes its plans with what is asked.
"""

import re
from functools import lru_cache

from django.conf import settings

_GIVEN = re.compile(r"\(SELECT (%(?:\(\w+\))?[sb](?:::\w+)?)\)")

PLANS = "force_custom_plan" if settings.CLUSTER else "force_generic_plan"
"""How PostgreSQL plans statements that answer requests: its setting `plan_cache_mode`."""

ANSWER = "RETURNING NULL" if settings.CLUSTER else ""
"""Ends an INSERT of rows that are sent and cannot conflict. A cluster makes a COPY of one that answers nothing, which
row-level security refuses; one PostgreSQL imports 3 % faster without the answers, whose rows nobody reads."""


@lru_cache(maxsize=1_024)
def planned(statement: str) -> str:
    """The statement as this installation plans it: a parameter alone in a sub-select stands there by itself."""
    return _GIVEN.sub(r"\1", statement) if settings.CLUSTER else statement
