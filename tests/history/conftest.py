"""Who may do everything to what is final."""

import psycopg
import pytest
from django.db import connections

APPEND_ONLY = ("history_capture", "history_historyrecord", "history_historyrow", "history_subtree", "pending_seal")


@pytest.fixture
def owner(committed):
    """A connection that may do everything: the tables' owner, with what binds even the owner out of the way."""
    values = connections["owner"].settings_dict
    with psycopg.connect(
        host=values["HOST"], port=values["PORT"], user=values["USER"], password=values["PASSWORD"],
        dbname=values["NAME"], autocommit=True,
    ) as connection:  # fmt: skip
        for table in APPEND_ONLY:
            connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            connection.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        yield connection
        for table in APPEND_ONLY:
            connection.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
            connection.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    connection.close()
