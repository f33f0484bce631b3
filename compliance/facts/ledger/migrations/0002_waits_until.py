from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pending", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="pendingsubject",
            name="waits_until",
            field=models.DateTimeField(help_text="When the fact behind it takes effect, if that was ahead.", null=True),
        ),
    ]
