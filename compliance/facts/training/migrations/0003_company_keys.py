"""Primary keys contain the company, so that its rows can live on another server than those of others."""

from django.db import migrations

from compliance.tenancy.protection import company_keys


class Migration(migrations.Migration):
    dependencies = [("training", "0002_reminder_capture")]

    operations = [
        company_keys(
            "training_attendancemark",
            "training_completion",
            "training_livesession",
            "training_obligationchange",
            "training_reminder",
            "training_trainer",
        )
    ]
