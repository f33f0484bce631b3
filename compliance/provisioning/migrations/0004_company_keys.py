"""Primary keys contain the company, so that its rows can live on another server than those of others."""

from django.db import migrations

from compliance.tenancy.protection import company_keys


class Migration(migrations.Migration):
    dependencies = [("provisioning", "0003_file_team")]

    operations = [
        company_keys(
            "provisioning_employeenumber",
            "provisioning_fileteam",
            "provisioning_provisionedgroup",
            "provisioning_provisioneduser",
        )
    ]
