from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("learning", "0001_initial")]

    operations = [
        migrations.RemoveConstraint(model_name="pageread", name="page_read_once"),
        migrations.AddField(
            model_name="pageread",
            name="film",
            field=models.PositiveIntegerField(default=0, help_text="0: the page itself."),
        ),
        migrations.AddConstraint(
            model_name="pageread",
            constraint=models.UniqueConstraint(
                fields=("organization_id", "take_id", "lesson_sha256", "page_id", "film"), name="page_read_once"
            ),
        ),
    ]
