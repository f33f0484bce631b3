"""Primary keys contain the company, so that its rows can live on another server than those of others."""

from django.db import migrations

from compliance.tenancy.protection import company_keys


class Migration(migrations.Migration):
    dependencies = [("pages", "0002_notices_are_letters")]

    operations = [company_keys("pages_link")]
