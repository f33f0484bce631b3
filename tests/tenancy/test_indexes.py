"""An index that was broken off while it was built is built by the next `migrate`."""

from importlib import import_module
from pathlib import Path

import pytest
from django.db import OperationalError, connections
from django.db.migrations.loader import MigrationLoader

import compliance

OPERATION = import_module("compliance.history.migrations.0014_rows_by_deadline").Migration.operations[0]
IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('row_due')"


@pytest.mark.one_server("writers are on the nodes, where no lock of the coordinator delays the index")
def test_an_index_that_was_broken_off_is_built_and_a_finished_one_is_kept(committed, administration):
    owner = connections["owner"]
    before = MigrationLoader(owner).project_state(("history", "0013_smaller_subtrees"))
    after = before.clone()
    OPERATION.state_forwards("history", after)

    def build():
        with owner.schema_editor(atomic=False) as editor:
            OPERATION.database_forwards("history", editor, before, after)

    def is_valid():
        return administration.execute(IS_VALID).fetchone()

    with owner.schema_editor(atomic=False) as editor:
        OPERATION.database_backwards("history", editor, after, before)
    try:
        with owner.cursor() as cursor:
            cursor.execute("SET lock_timeout = '100ms'")
        with administration.transaction():
            administration.execute("LOCK TABLE history_historyrow IN ROW EXCLUSIVE MODE")
            with pytest.raises(OperationalError, match="lock timeout"):
                build()
        assert is_valid() == (False,)
        build()
        assert is_valid() == (True,)
        build()
        assert is_valid() == (True,)
    finally:
        owner.close()
        if is_valid() is None:
            build()
            owner.close()


def test_every_migration_builds_its_indexes_so():
    folder = Path(compliance.__file__).parent
    found = [each for each in folder.glob("**/migrations/*.py") if "AddIndexConcurrently(" in each.read_text()]
    assert found
    for each in found:
        assert "from compliance.tenancy.indexes import AddIndexConcurrently" in each.read_text(), each
