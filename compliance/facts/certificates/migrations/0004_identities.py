import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("certificates", "0003_check_codes_by_company"),
    ]

    operations = [
        migrations.AddField(
            model_name="issuedname",
            name="identity_sha256",
            field=models.BinaryField(max_length=32, null=True),
        ),
        migrations.AddField(
            model_name="issuedname",
            name="salt",
            field=models.BinaryField(max_length=16, null=True),
        ),
        migrations.AddIndex(
            model_name="issuedname",
            index=django.contrib.postgres.indexes.HashIndex(
                fields=["identity_sha256"], name="issued_name_by_commitment"
            ),
        ),
    ]
