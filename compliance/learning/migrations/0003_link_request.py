from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("learning", "0002_films_seen")]

    operations = [
        migrations.CreateModel(
            name="LinkRequest",
            fields=[
                ("request_id", models.UUIDField(primary_key=True, serialize=False)),
                ("asked_at", models.DateTimeField()),
                ("sealed_address", models.TextField()),
            ],
        ),
    ]
