from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("history", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="historyrow",
            name="row_sha256",
            field=models.BinaryField(
                default=b"", help_text="The row digest (`svc.row/1`), so that a fault has a place.", max_length=32
            ),
            preserve_default=False,
        ),
    ]
