"""Primary keys contain the company, so that its rows can live on another server than those of others."""

from django.db import migrations

from compliance.tenancy.protection import company_keys


class Migration(migrations.Migration):
    dependencies = [("shares", "0001_initial")]

    operations = [company_keys("shares_share", "shares_sharestep")]
