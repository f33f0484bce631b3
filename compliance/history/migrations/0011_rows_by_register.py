"""The rows of a register in the order in which they were written, for the feed: a small register is read at once."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("history", "0010_trees_of_stored_rows")]

    operations = [
        migrations.AddIndex(
            model_name="historyrow",
            index=models.Index("organization_id", "register", "sequence", name="row_by_register"),
        )
    ]
