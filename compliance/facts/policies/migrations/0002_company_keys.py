"""Primary keys contain the company, so that its rows can live on another server than those of others."""

from django.db import migrations

from compliance.tenancy.protection import company_keys


class Migration(migrations.Migration):
    dependencies = [("policies", "0001_initial")]

    operations = [
        company_keys("policies_policyversion", "policies_rawsignature", "policies_receipt", "policies_receiptchain")
    ]
