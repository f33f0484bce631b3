from django.db import migrations, models
from django.db.models.functions import Lower


class Migration(migrations.Migration):
    dependencies = [("people", "0007_person_roles")]

    operations = [
        migrations.AddIndex(
            model_name="profile", index=models.Index(Lower("account_email"), name="profile_by_account_address")
        ),
        migrations.AddIndex(
            model_name="profile", index=models.Index(Lower("work_email"), name="profile_by_work_address")
        ),
    ]
