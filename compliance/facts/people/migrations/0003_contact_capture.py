from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("people", "0002_invitation_erased_at")]

    operations = [
        migrations.AddField(
            model_name="contact",
            name="capture_sequence",
            field=models.BigIntegerField(help_text="The capture that took it in; null until then.", null=True),
        ),
        migrations.AddIndex(
            model_name="contact",
            index=models.Index(
                condition=models.Q(("capture_sequence__isnull", True)),
                fields=["organization_id", "at"],
                name="contact_not_captured",
            ),
        ),
    ]
