"""Addresses that providers gave are rows of their own, and a userName stands in lower case too."""

from django.db import migrations, models

from compliance.tenancy.lower_case import lower_case
from compliance.tenancy.protection import company_keys, company_rows


class Migration(migrations.Migration):
    dependencies = [("provisioning", "0004_company_keys")]

    operations = [
        migrations.RunSQL("DROP FUNCTION IF EXISTS provisioned_named(uuid, text)", migrations.RunSQL.noop),
        migrations.CreateModel(
            name="ProvisionedAddress",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("organization_id", models.UUIDField(editable=False)),
                ("source_id", models.UUIDField()),
                ("learner_profile_id", models.UUIDField()),
                ("address", models.TextField(help_text="In lower case.", null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["organization_id", "source_id", "address"], name="provisioned_address_by_itself"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=["organization_id", "learner_profile_id", "source_id", "address"],
                        name="provisioned_address_once",
                    )
                ],
            },
        ),
        company_keys("provisioning_provisionedaddress"),
        migrations.RunSQL(
            "INSERT INTO provisioning_provisionedaddress (organization_id, source_id, learner_profile_id, address)"
            " SELECT u.organization_id, u.source_id, u.learner_profile_id, a.address"
            " FROM provisioning_provisioneduser u CROSS JOIN LATERAL unnest(u.addresses) AS a (address)"
            " WHERE length(a.address) <= 320",
            migrations.RunSQL.noop,
        ),
        company_rows("provisioning_provisionedaddress"),
        migrations.RemoveIndex("provisioneduser", "provisioned_user_by_address"),
        migrations.RemoveField("provisioneduser", "addresses"),
        migrations.RemoveIndex("provisioneduser", "provisioned_user_by_name"),
        migrations.AddField("provisioneduser", "user_name_lower", lower_case("user_name")),
        migrations.AddIndex(
            "provisioneduser",
            models.Index(fields=["organization_id", "user_name_lower"], name="provisioned_user_by_name"),
        ),
    ]
