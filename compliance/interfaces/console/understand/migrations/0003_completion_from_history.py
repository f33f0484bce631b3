from django.db import migrations, models

from compliance.tenancy import protection

# Everything kept beside the history is made anew by the next refresh, the new table with it.
ANEW = ["DELETE FROM console_tally", "UPDATE console_standingmark SET sequence = 0, as_at = NULL"]


class Migration(migrations.Migration):
    dependencies = [
        ("understand", "0002_undone_covers"),
    ]

    operations = [
        migrations.CreateModel(
            name="Step",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("organization_id", models.UUIDField(editable=False)),
                ("birth", models.BigIntegerField()),
                ("course_id", models.UUIDField(null=True)),
                ("at", models.DateTimeField()),
                ("required", models.SmallIntegerField()),
                ("done", models.SmallIntegerField()),
            ],
            options={
                "db_table": "console_step",
                "indexes": [models.Index(fields=["organization_id", "birth"], name="step_by_record")],
            },
        ),
        protection.company_rows("console_step"),
        migrations.RunSQL(ANEW, migrations.RunSQL.noop),
    ]
