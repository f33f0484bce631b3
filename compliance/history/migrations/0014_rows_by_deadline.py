"""The undone versions of owed courses and policies by deadline, for reminders: each hour they read what is due.

Made while captures go on. If it is broken off, migrate again.
"""

from django.db import migrations, models

from compliance.tenancy.indexes import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False  # PostgreSQL makes no index beside writes within a transaction

    dependencies = [("history", "0013_smaller_subtrees")]

    operations = [
        AddIndexConcurrently(
            model_name="historyrow",
            index=models.Index(
                fields=["organization_id", "register", "due_at"],
                name="row_due",
                condition=models.Q(
                    register__in=(1, 6), due_at__isnull=False, done_at__isnull=True, waived_at__isnull=True
                ),
            ),
        )
    ]
