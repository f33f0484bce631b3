import django.contrib.postgres.fields
from django.db import migrations, models

from compliance.tenancy import protection


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Mark",
            fields=[
                ("organization_id", models.UUIDField(primary_key=True, serialize=False)),
                ("sequence", models.BigIntegerField(default=0)),
                ("as_at", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "console_standingmark",
            },
        ),
        migrations.CreateModel(
            name="Standing",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("organization_id", models.UUIDField(editable=False)),
                ("register", models.SmallIntegerField()),
                ("birth", models.BigIntegerField()),
                ("record_id", models.UUIDField()),
                ("learner_profile_id", models.UUIDField()),
                ("course_id", models.UUIDField(null=True)),
                ("state", models.CharField(max_length=20)),
                ("outcome", models.CharField(max_length=28)),
                ("begins_at", models.DateTimeField(null=True)),
                ("due_by", models.DateTimeField()),
                ("done_at", models.DateTimeField(null=True)),
                (
                    "team_ids",
                    django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None),
                ),
            ],
            options={
                "db_table": "console_standing",
                "indexes": [
                    models.Index(
                        fields=["organization_id", "learner_profile_id", "register"], name="standing_by_person"
                    ),
                    models.Index(
                        condition=models.Q(("outcome__in", ("open", "valid"))),
                        fields=["organization_id", "register", "due_by", "birth"],
                        name="standing_undone",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("organization_id", "register", "birth"), name="standing_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Tally",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("organization_id", models.UUIDField(editable=False)),
                ("kind", models.CharField(max_length=16)),
                ("course_id", models.UUIDField(null=True)),
                ("bucket", models.CharField(max_length=40)),
                ("number", models.BigIntegerField()),
            ],
            options={
                "db_table": "console_tally",
                "indexes": [models.Index(fields=["organization_id", "kind"], name="tally_by_kind")],
            },
        ),
        protection.company_rows("console_standing", "console_tally"),
    ]
