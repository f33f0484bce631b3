from django.db import migrations, models

from compliance.tenancy import protection


class Migration(migrations.Migration):
    dependencies = [("certificates", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="IssuedName",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("organization_id", models.UUIDField(editable=False)),
                ("certificate_id", models.UUIDField()),
                ("learner_profile_id", models.UUIDField()),
                ("person_name", models.TextField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["organization_id", "learner_profile_id"], name="issued_name_by_person")
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("organization_id", "certificate_id"), name="certificate_named_once")
                ],
            },
        ),
        protection.company_rows("certificates_issuedname"),
    ]
