"""Columns that hold another column's text in lower case, so that an index finds it whatever its case.

Under row-level security PostgreSQL uses an index for plain equality only, and not for `lower(column)`: a function might
reveal rows that the reader may not see. A function that runs as the owner, above row-level security, would be allowed,
but a cluster sends no statement to a node if it calls a function that itself queries tables.
"""

from django.db.models import GeneratedField, TextField
from django.db.models.functions import Lower


def lower_case(column: str) -> GeneratedField:
    """A column that the database computes from `column`; erasure clears it with that one."""
    return GeneratedField(expression=Lower(column), output_field=TextField(), db_persist=True)
