from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("training", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="reminder",
            name="capture_sequence",
            field=models.BigIntegerField(help_text="The capture that took it in; null until then.", null=True),
        ),
        migrations.AddIndex(
            model_name="reminder",
            index=models.Index(
                condition=models.Q(("capture_sequence__isnull", True)),
                fields=["organization_id", "at"],
                name="reminder_not_captured",
            ),
        ),
    ]
