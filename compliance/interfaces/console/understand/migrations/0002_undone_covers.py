from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("understand", "0001_initial"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="standing",
            name="standing_undone",
        ),
        migrations.AddIndex(
            model_name="standing",
            index=models.Index(
                condition=models.Q(("outcome__in", ("open", "valid"))),
                fields=["organization_id", "register", "due_by", "birth"],
                include=("course_id", "learner_profile_id"),
                name="standing_undone",
            ),
        ),
    ]
