"""Commitments of people are found by company and commitment together.

By the commitment alone, a planner without statistics read all of the company beside it for each proof. Made while
captures go on. If it is broken off, migrate again.
"""

from django.db import migrations, models

from compliance.tenancy.indexes import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False  # PostgreSQL makes no index beside writes within a transaction

    dependencies = [("people", "0012_addresses_in_lower_case")]

    operations = [
        AddIndexConcurrently(
            model_name="identity",
            index=models.Index(fields=["organization_id", "identity_sha256"], name="identity_of_company"),
        ),
    ]
