"""The few rows that each capture looks for among all that waits: wide subjects, and those that have failed.

Made while captures go on. If it is broken off, migrate again.
"""

from django.db import migrations, models

from compliance.tenancy.indexes import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False  # PostgreSQL makes no index beside writes within a transaction

    dependencies = [("pending", "0006_what_waits_of_companies")]

    operations = [
        AddIndexConcurrently(
            model_name="pendingsubject",
            index=models.Index(
                fields=["organization_id", "id"],
                name="pending_wide",
                condition=models.Q(kind__in=["everything_of_person", "everyone_of_course", "share", "team", "company"]),
            ),
        ),
        AddIndexConcurrently(
            model_name="pendingsubject",
            index=models.Index(
                fields=["organization_id", "id"], name="pending_failing", condition=models.Q(attempts__gt=0)
            ),
        ),
    ]
