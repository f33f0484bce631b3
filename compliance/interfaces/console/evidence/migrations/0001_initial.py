from django.db import migrations, models

from compliance.tenancy import protection


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Pack",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("organization_id", models.UUIDField(editable=False)),
                ("job_id", models.UUIDField()),
                ("first_day", models.DateField()),
                ("last_day", models.DateField()),
                ("capture_sequence", models.BigIntegerField()),
                ("file_name", models.CharField(max_length=120)),
                ("begun_at", models.DateTimeField()),
                ("built", models.BooleanField(default=False)),
                ("size", models.BigIntegerField(default=0)),
                ("sha256", models.CharField(blank=True, default="", max_length=64)),
                ("list_sha256", models.CharField(blank=True, default="", max_length=64)),
                ("completeness", models.JSONField(default=dict)),
                ("registers", models.JSONField(default=dict)),
            ],
            options={
                "indexes": [models.Index(fields=["organization_id", "-begun_at"], name="pack_by_moment")],
                "constraints": [models.UniqueConstraint(fields=("organization_id", "job_id"), name="pack_once")],
            },
        ),
        migrations.CreateModel(
            name="PackPart",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("organization_id", models.UUIDField(editable=False)),
                ("job_id", models.UUIDField()),
                ("number", models.IntegerField()),
                ("content", models.BinaryField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("organization_id", "job_id", "number"), name="pack_part_once")
                ],
            },
        ),
        protection.company_rows("evidence_pack", "evidence_packpart"),
    ]
