"""When the invited was erased: the invitation's row says `erased` from then on."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("people", "0001_initial")]

    operations = [
        migrations.AddField(model_name="invitation", name="erased_at", field=models.DateTimeField(null=True)),
    ]
