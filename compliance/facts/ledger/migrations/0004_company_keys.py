"""Primary keys contain the company, so that its rows can live on another server than those of others."""

from django.db import migrations

from compliance.tenancy.protection import company_keys


class Migration(migrations.Migration):
    dependencies = [("pending", "0003_origins_and_seals")]

    operations = [
        company_keys(
            "pending_fact",
            "pending_ledgerhead",
            "pending_origin",
            "pending_pendingsubject",
            "pending_seal",
            "pending_unsealed",
        ),
        # The primary key is the same index now.
        migrations.RemoveIndex("PendingSubject", "pending_in_order"),
    ]
