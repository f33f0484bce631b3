from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("understand", "0003_completion_from_history"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="standing",
            index=models.Index(
                fields=["organization_id", "register", "course_id", "outcome", "due_by", "birth"],
                name="standing_of_course",
                condition=models.Q(course_id__isnull=False),
            ),
        ),
        migrations.AddIndex(
            model_name="standing",
            index=models.Index(
                fields=["organization_id", "register", "course_id", "done_at", "birth"],
                name="standing_done",
                condition=models.Q(done_at__isnull=False),
            ),
        ),
    ]
