"""Primary keys contain the company, so that its rows can live on another server than those of others."""

from django.db import migrations

from compliance.tenancy.protection import company_keys


class Migration(migrations.Migration):
    dependencies = [("operations", "0003_signed_outside")]

    operations = [company_keys("operations_reminderdelivery", "operations_verificationrun")]
