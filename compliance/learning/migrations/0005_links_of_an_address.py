from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("learning", "0004_company_keys")]

    operations = [
        migrations.AddField(
            model_name="personallink",
            name="address_sha256",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
    ]
