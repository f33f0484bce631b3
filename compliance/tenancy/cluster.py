"""Everything that differs on a cluster of several PostgreSQL servers (Citus), by the setting CLUSTER.

One plain PostgreSQL plans a statement once per connection, for all companies: the company is a parameter in a
sub-select, so that no plan depends on the statistics of one company. Citus must see the company in the statement itself
to know which node to ask, and plans each statement with its parameters.
"""

import re
from functools import lru_cache

from django.conf import settings

_GIVEN = re.compile(r"\(SELECT (%(?:\(\w+\))?[sb](?:::\w+)?)\)")

PLANS = "force_custom_plan" if settings.CLUSTER else "force_generic_plan"
"""How PostgreSQL plans statements that answer requests: its setting `plan_cache_mode`."""

ANSWER = "RETURNING NULL" if settings.CLUSTER else ""
"""Appended to an INSERT of rows that cannot conflict. Citus turns an INSERT that returns nothing into a COPY, which
row-level security refuses. One plain PostgreSQL imports 3 % faster without returned rows, which nobody reads."""


def of_company(expression: str) -> str:
    """The SQL `expression` of the company, as PostgreSQL prints it in a policy: computed once a statement.

    Computed for each row it costs a fifth of the time of an insert, and of a look-up by index. Citus refuses a
    sub-select in a policy.
    """
    return expression if settings.CLUSTER else f"( SELECT {expression} AS company)"


@lru_cache(maxsize=1_024)
def planned(statement: str) -> str:
    """The statement as this installation plans it: on a cluster, `(SELECT parameter)` becomes the parameter itself."""
    return _GIVEN.sub(r"\1", statement) if settings.CLUSTER else statement
