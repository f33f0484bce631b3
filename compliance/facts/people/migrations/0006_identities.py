import django.contrib.postgres.indexes
from django.db import migrations, models

from compliance.tenancy import protection


class Migration(migrations.Migration):
    dependencies = [("people", "0005_erasures_counted")]

    operations = [
        migrations.CreateModel(
            name="Identity",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "organization_id",
                        "subject_id",
                        "capture_sequence",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("organization_id", models.UUIDField(editable=False)),
                ("subject_id", models.UUIDField(help_text="learner_profile_id or invitation_id")),
                ("capture_sequence", models.BigIntegerField()),
                ("identity_sha256", models.BinaryField(max_length=32)),
                ("salt", models.BinaryField(max_length=16, null=True)),
                ("person_name", models.TextField(null=True)),
                ("work_email", models.TextField(null=True)),
            ],
            options={
                "indexes": [
                    django.contrib.postgres.indexes.HashIndex(fields=["identity_sha256"], name="identity_by_commitment")
                ],
            },
        ),
        protection.company_rows("people_identity"),
    ]
