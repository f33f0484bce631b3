from django.db import migrations, models

from compliance.tenancy import protection


class Migration(migrations.Migration):
    dependencies = [("people", "0008_profile_by_address")]

    operations = [
        migrations.CreateModel(
            name="Absence",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("organization_id", models.UUIDField(editable=False)),
                ("absence_id", models.UUIDField()),
                ("learner_profile_id", models.UUIDField()),
                ("at", models.DateTimeField()),
                ("first_day", models.DateField()),
                ("last_day", models.DateField()),
                ("reason_code", models.CharField(max_length=14, null=True)),
                ("voided_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=["organization_id", "absence_id"], name="absence_once")],
                "indexes": [models.Index(fields=["organization_id", "learner_profile_id"], name="absence_by_person")],
            },
        ),
        protection.company_rows("people_absence"),
    ]
