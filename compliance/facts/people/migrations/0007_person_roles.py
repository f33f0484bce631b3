import django.contrib.postgres.fields
from django.db import migrations, models

from compliance.tenancy import protection


class Migration(migrations.Migration):
    dependencies = [("people", "0006_identities")]

    operations = [
        migrations.CreateModel(
            name="PersonRoles",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("organization_id", models.UUIDField(editable=False)),
                ("fact_id", models.UUIDField()),
                ("learner_profile_id", models.UUIDField()),
                ("at", models.DateTimeField()),
                (
                    "role_ids",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64), null=True, size=None
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["organization_id", "learner_profile_id", "at"], name="roles_by_person")
                ],
            },
        ),
        protection.company_rows("people_personroles"),
    ]
