from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("console", "0006_four_eyes")]

    operations = [
        migrations.AddField(
            model_name="job",
            name="leads_to",
            field=models.CharField(
                blank=True,
                default="",
                help_text="The page on which its end shows: for who confirms twice.",
                max_length=300,
            ),
        ),
        migrations.AddField(
            model_name="job",
            name="seen",
            field=models.BigIntegerField(
                default=0,
                help_text="The newest fact about whom or what the preview was: a later one shows it anew.",
            ),
        ),
    ]
