"""Indexes that are built while the service continues to write.

PostgreSQL builds them outside of a transaction. A build that is broken off, as by `lock_timeout`, leaves an invalid
index of that name, and a migration that makes several leaves those that were finished.
"""

from typing import Any

from django.contrib.postgres import operations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState

_IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"


class AddIndexConcurrently(operations.AddIndexConcurrently):
    """As Django's, and may be run again: it keeps an index that was finished, and replaces one that was not."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Builds the index."""
        name = schema_editor.quote_name(self.index.name)
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(_IS_VALID, [name])
            found: tuple[Any, ...] | None = cursor.fetchone()
        if found == (True,):
            return
        if found is not None:
            self._ensure_not_in_transaction(schema_editor)
            schema_editor.execute(f"DROP INDEX CONCURRENTLY {name}")
        super().database_forwards(app_label, schema_editor, from_state, to_state)
