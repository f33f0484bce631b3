"""Primary keys contain the company, so that its rows can live on another server than those of others."""

from django.db import migrations, models

from compliance.tenancy.protection import company_keys


class Migration(migrations.Migration):
    dependencies = [("certificates", "0004_identities")]

    operations = [
        company_keys(
            "certificates_certificatecorrection",
            "certificates_certificaterevocation",
            "certificates_checkcode",
            "certificates_issuedname",
        ),
        migrations.AlterField("CheckCode", "check_code", models.CharField(max_length=40, null=True)),
        migrations.AddConstraint(
            "CheckCode",
            models.UniqueConstraint(fields=["check_code", "organization_id"], name="check_code_opens_one"),
        ),
    ]
