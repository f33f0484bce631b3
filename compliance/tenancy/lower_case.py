"""Columns that hold another one's text in lower case, so that it is found by index whatever its case.

Row-level security uses an index for plain equality alone: it keeps `lower(column)` out of any, since a function might
tell of rows that it should not see. A function of the owner, which is above row-level security, would be let through,
but a cluster hands no statement to a node that calls a function which asks tables itself.
"""

from django.db.models import GeneratedField, TextField
from django.db.models.functions import Lower


def lower_case(column: str) -> GeneratedField:
    """A column that the database computes from `column`; erasure clears it with that one."""
    return GeneratedField(expression=Lower(column), output_field=TextField(), db_persist=True)
