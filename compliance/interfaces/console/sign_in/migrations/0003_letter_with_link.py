"""Letters that bring the code of an invitation, sealed until they leave."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sign_in", "0002_seal_stored")]

    operations = [
        migrations.AddField(
            model_name="letter",
            name="sealed",
            field=models.TextField(
                blank=True,
                default="",
                help_text="The code of an invitation that the letter brings, sealed; it goes with it.",
            ),
        ),
    ]
