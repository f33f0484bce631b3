"""The rows of a register in the order in which they were written, for the feed: a small register is read at once.

Made while captures go on. If it is broken off, migrate again.
"""

from django.db import migrations, models

from compliance.tenancy.indexes import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False  # PostgreSQL makes no index beside writes within a transaction

    dependencies = [("history", "0010_trees_of_stored_rows")]

    operations = [
        AddIndexConcurrently(
            model_name="historyrow",
            index=models.Index("organization_id", "register", "sequence", name="row_by_register"),
        )
    ]
