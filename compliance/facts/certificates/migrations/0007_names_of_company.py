"""Names on certificates are found by company and commitment together.

By the commitment alone, a planner without statistics read all of the company beside it for each proof. Made while
captures go on. If it is broken off, migrate again.
"""

from django.db import migrations, models

from compliance.tenancy.indexes import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False  # PostgreSQL makes no index beside writes within a transaction

    dependencies = [("certificates", "0006_code_of_companies")]

    operations = [
        AddIndexConcurrently(
            model_name="issuedname",
            index=models.Index(fields=["organization_id", "identity_sha256"], name="issued_name_of_company"),
        ),
    ]
