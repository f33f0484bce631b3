"""Primary keys contain the company, so that its rows can live on another server than those of others."""

from django.db import migrations

from compliance.tenancy.protection import company_keys


class Migration(migrations.Migration):
    dependencies = [("history", "0011_rows_by_register")]

    operations = [company_keys("history_duesubject")]
