"""Primary keys contain the company, so that its rows can live on another server than those of others."""

from django.db import migrations

from compliance.tenancy.protection import company_keys


class Migration(migrations.Migration):
    dependencies = [("evidence", "0004_sample_and_verdict")]

    operations = [company_keys("evidence_pack", "evidence_packpart")]
